// `sotto certs`, and that a server and a device can work with what it writes.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host/tls_files.h"
#include "net/grpc_server.h"
#include "net/grpc_transport.h"
#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

unsigned mode_of(const std::filesystem::path& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 ? found.st_mode & 0777u : 0u;
}

// What a device hears from a server with the folder's files, or the sentence of what failed.
std::string exchange(const std::filesystem::path& folder, const std::filesystem::path& ca) {
  const auto server_tls =
      read_server_tls({folder / "server.pem", folder / "server-key.pem", ""}, "localhost");
  if (!server_tls.ok()) return server_tls.error().message;
  ServerOptions options;
  options.address = "127.0.0.1:0";
  options.tls = server_tls.value();
  const auto server = GrpcServer::start(
      options, [](Service, const std::string&, const std::string& text) { return text + "!"; });
  if (!server.ok()) return server.error().message;
  const auto client_tls = read_client_tls({ca, "", ""}, "");
  if (!client_tls.ok()) return client_tls.error().message;
  const auto line = grpc_transport(client_tls.value(), server.value()->address().text()).value();
  const auto answer = line->call(Method::step, "hello");
  return answer.ok() ? answer.value() : answer.error().message;
}

TEST(Certs, ServeADevice) {
  const Workshop workshop;
  const Outcome made = workshop.sotto({"certs", "--out", "certs", "--host", "localhost", "127.0.0.1"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("certs/server-key.pem"), std::string::npos) << made.out;
  const auto folder = workshop.folder() / "certs";
  EXPECT_EQ(mode_of(folder / "ca-key.pem"), 0600u);
  EXPECT_EQ(mode_of(folder / "server-key.pem"), 0600u);
  EXPECT_EQ(made.out.find("PRIVATE"), std::string::npos);
  EXPECT_EQ(exchange(folder, folder / "ca.pem"), "hello!");
}

TEST(Certs, RenewingKeepsTheCa) {
  const Workshop workshop;
  const std::vector<std::string> words{"certs",     "--out",     "certs", "--host",
                                       "127.0.0.1", "localhost", "--json"};
  const auto first = workshop.sotto(words).json();
  EXPECT_EQ(first["hosts"].size(), 2u);
  const std::string ca = workshop.get("certs/ca.pem"), server = workshop.get("certs/server.pem");
  const Outcome again = workshop.sotto(words);
  EXPECT_EQ(again.code, 1);
  EXPECT_NE(again.err.find("--renew"), std::string::npos) << again.err;
  EXPECT_EQ(workshop.get("certs/server.pem"), server);
  std::vector<std::string> renewing = words;
  renewing.insert(renewing.end(), {"--renew", "--days", "10"});
  const auto second = workshop.sotto(renewing).json();
  EXPECT_LT(second["valid_until_s"], first["valid_until_s"]);
  EXPECT_EQ(workshop.get("certs/ca.pem"), ca);
  EXPECT_NE(workshop.get("certs/server.pem"), server);
  const auto folder = workshop.folder() / "certs";
  EXPECT_EQ(exchange(folder, folder / "ca.pem"), "hello!");
  EXPECT_NE(exchange(folder, folder / "server.pem").find("server.pem: this certificate may not sign others"),
            std::string::npos);
}

TEST(Certs, AnotherFoldersCaDoesNotDo) {
  const Workshop workshop;
  for (const char* name : {"one", "two"})
    ASSERT_EQ(workshop.sotto({"certs", "--out", name, "--host", "localhost", "127.0.0.1"}).code, 0);
  EXPECT_NE(
      exchange(workshop.folder() / "one", workshop.folder() / "two" / "ca.pem").find("not signed by this CA"),
      std::string::npos);
  std::filesystem::copy(workshop.folder() / "two" / "server-key.pem",
                        workshop.folder() / "one" / "server-key.pem",
                        std::filesystem::copy_options::overwrite_existing);
  EXPECT_NE(exchange(workshop.folder() / "one", "").find("does not belong to the first certificate"),
            std::string::npos);
  std::filesystem::remove(workshop.folder() / "one" / "ca.pem");
  const Outcome half = workshop.sotto({"certs", "--out", "one", "--host", "a", "--renew"});
  EXPECT_EQ(half.code, 1);
  EXPECT_NE(half.err.find("one half of a CA"), std::string::npos) << half.err;
}

TEST(Certs, BadWordsAreWrongUsage) {
  const Workshop workshop;
  EXPECT_EQ(workshop.sotto({"certs", "--out", "certs"}).code, 2);
  const Outcome url = workshop.sotto({"certs", "--out", "certs", "--host", "https://a.example"});
  EXPECT_EQ(url.code, 2);
  EXPECT_NE(url.err.find("without a scheme"), std::string::npos) << url.err;
  EXPECT_FALSE(workshop.has("certs"));
}

}  // namespace
}  // namespace sotto::cli
