#include "net/tls.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "net/testing/trial.h"

namespace sotto::net::tls_test {
namespace {

using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using Connection = std::unique_ptr<SSL, Freed<SSL_free>>;

// Whether a client that speaks this version alone gets through the handshake.
bool shakes_hands(const Address& address, int version) {
  const Context context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), version);
  SSL_CTX_set_max_proto_version(context.get(), version);
  const Socket socket = connect_to(address, 5000).value();
  const Connection connection(SSL_new(context.get()));
  SSL_set_fd(connection.get(), socket.descriptor());
  const bool done = SSL_connect(connection.get()) == 1;
  EXPECT_TRUE(!done || SSL_version(connection.get()) == version);
  return done;
}

// A foreign server: OpenSSL's own, with any certificate and any version, one connection after the other.
class ForeignServer {
 public:
  ForeignServer(const PemPair& pair, int newest) : context_(SSL_CTX_new(TLS_server_method())) {
    SSL_CTX_set_max_proto_version(context_.get(), newest);
    SSL_CTX_use_certificate(context_.get(),
                            read_pem_certificates(pair.certificate, "").value().front().get());
    SSL_CTX_use_PrivateKey(context_.get(), read_pem_key(pair.key, "").value().get());
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener_.descriptor(), reinterpret_cast<const sockaddr*>(&name), sizeof(name));
    listen(listener_.descriptor(), 16);
    socklen_t size = sizeof(name);
    getsockname(listener_.descriptor(), reinterpret_cast<sockaddr*>(&name), &size);
    address_ = {.path = "", .host = "127.0.0.1", .port = ntohs(name.sin_port)};
    thread_ = std::thread([this] { serve(); });
  }
  ForeignServer(const ForeignServer&) = delete;
  ForeignServer& operator=(const ForeignServer&) = delete;
  ~ForeignServer() {
    shutdown(listener_.descriptor(), SHUT_RDWR);
    thread_.join();
  }
  [[nodiscard]] const Address& address() const { return address_; }

 private:
  void serve() {
    while (true) {
      const int accepted = accept(listener_.descriptor(), nullptr, nullptr);
      if (accepted < 0) return;
      const Socket socket(accepted);
      const Connection connection(SSL_new(context_.get()));
      SSL_set_fd(connection.get(), accepted);
      SSL_accept(connection.get());
    }
  }

  Context context_;
  Socket listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  Address address_;
  std::thread thread_;
};

void expect_refusal(const Address& address, const ClientTls& tls, const std::string& words) {
  const auto line = grpc_transport(tls, address.text()).value();
  const auto answer = line->call(Method::step, "x");
  ASSERT_FALSE(answer.ok()) << words;
  EXPECT_EQ(answer.error().code, Code::io);
  EXPECT_NE(answer.error().message.find(words), std::string::npos) << answer.error().message;
  const auto again = line->call(Method::step, "x");  // and the second time the same
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message.find(words), std::string::npos) << again.error().message;
}

TEST(Tls, TheServerSpeaksVersionThreeAlone) {
  const auto server = trial::serve(trial::loopback(), trial::echo);
  EXPECT_TRUE(shakes_hands(server->address(), TLS1_3_VERSION));
  EXPECT_FALSE(shakes_hands(server->address(), TLS1_2_VERSION));
  // The one that refuses is the server: against another, this client does speak 1.2.
  const ForeignServer old(trial::server_pair(), TLS1_2_VERSION);
  EXPECT_TRUE(shakes_hands(old.address(), TLS1_2_VERSION));
}

TEST(Tls, TheClientSpeaksVersionThreeAlone) {
  const ForeignServer old(trial::server_pair(), TLS1_2_VERSION);
  expect_refusal(old.address(), trial::client_tls(), "speaks no TLS 1.3");
}

TEST(Tls, AnotherCaIsRefused) {
  const auto server = trial::serve(trial::loopback(), trial::echo);
  ClientTls tls = trial::client_tls();
  tls.ca_pem = make_ca("a CA for tests", {.now_s = trial::now_s(), .days = 1}).value().certificate;
  expect_refusal(server->address(), tls, "is not signed by this CA");
}

TEST(Tls, AnotherNameIsRefused) {
  const auto server = trial::serve(trial::loopback(), trial::echo);
  ClientTls tls = trial::client_tls();
  tls.server_name = "bank.example";
  expect_refusal(server->address(), tls, "is not for 'bank.example'");
  tls.server_name = "localhost";
  EXPECT_EQ(trial::dial(*server, tls)->call(Method::step, "x").value(), "Step|x");
  EXPECT_EQ(server->counts().answered, 1u);
}

TEST(Tls, TimesAreChecked) {
  const std::int64_t day_s = 86400;
  const auto at = [&](std::int64_t days) {
    return make_server_certificate(trial::ca(), {"127.0.0.1"}, {trial::now_s() + days * day_s, 1}).value();
  };
  const PemPair expired = at(-3);
  const ForeignServer yesterday(expired, TLS1_3_VERSION);
  expect_refusal(yesterday.address(), trial::client_tls(), "has expired");
  const ForeignServer tomorrow(at(3), TLS1_3_VERSION);
  expect_refusal(tomorrow.address(), trial::client_tls(), "is not yet valid");
  ServerOptions options = trial::loopback();
  options.tls = {expired.certificate, expired.key, ""};
  const auto server = GrpcServer::start(options, trial::echo);
  ASSERT_FALSE(server.ok());
  EXPECT_NE(server.error().message.find("the certificate expired on"), std::string::npos);
}

// A pair of another CA, and what trusts it.
struct OtherPair {
  PemPair ca = make_ca("another CA for tests", {.now_s = trial::now_s(), .days = 2}).value();
  PemPair pair =
      make_server_certificate(ca, {"localhost", "127.0.0.1"}, {.now_s = trial::now_s(), .days = 2}).value();

  [[nodiscard]] ServerTls server_tls() const { return {pair.certificate, pair.key, ""}; }
  [[nodiscard]] ClientTls client_tls() const {
    return {.ca_pem = ca.certificate, .server_name = "", .chain_pem = "", .key_pem = ""};
  }
};

TEST(ChangedCertificates, AreShownToNewConnectionsAndOldOnesStand) {
  const auto server = trial::serve(trial::loopback(), trial::echo);
  const OtherPair other;
  const auto standing = trial::dial(*server);
  EXPECT_EQ(standing->call(Method::step, "x").value(), "Step|x");
  EXPECT_FALSE(server->change_certificates(trial::server_tls()).value()) << "the same";
  ASSERT_TRUE(server->change_certificates(other.server_tls()).value());
  // It could not connect anew: it does not trust the new CA.
  EXPECT_EQ(standing->call(Method::step, "y").value(), "Step|y");
  EXPECT_EQ(trial::dial(*server, other.client_tls())->call(Method::step, "z").value(), "Step|z");
  expect_refusal(server->address(), trial::client_tls(), "is not signed by this CA");
  EXPECT_TRUE(shakes_hands(server->address(), TLS1_3_VERSION));
  EXPECT_FALSE(shakes_hands(server->address(), TLS1_2_VERSION));
}

TEST(ChangedCertificates, ThatCannotBeUsedAreRefusedAndTheOldOnesStay) {
  const auto server = trial::serve(trial::loopback(), trial::echo);
  const OtherPair other;
  const auto refused = [&](const ServerTls& tls, const std::string& words) {
    const Result<bool> changed = server->change_certificates(tls);
    ASSERT_FALSE(changed.ok()) << words;
    EXPECT_NE(changed.error().message.find(words), std::string::npos) << changed.error().message;
    EXPECT_EQ(trial::dial(*server)->call(Method::step, "x").value(), "Step|x");
  };
  refused({other.pair.certificate, trial::server_pair().key, ""}, "does not belong to");
  refused({"no certificate", other.pair.key, ""}, "the server's certificate");
  const PemPair expired =
      make_server_certificate(trial::ca(), {"127.0.0.1"}, {trial::now_s() - std::int64_t{3} * 86400, 1})
          .value();
  refused({expired.certificate, expired.key, ""}, "the certificate expired on");
  refused({other.pair.certificate, other.pair.key, other.ca.certificate}, "is decided at the start");
  const trial::Folder folder;
  ServerOptions local;
  local.address = folder.socket("s");
  EXPECT_FALSE(trial::serve(local, trial::echo)->change_certificates(other.server_tls()).ok());
}

TEST(ChangedCertificates, IncludeWhoSignsTheClients) {
  const OtherPair other;
  const auto client = [&](const PemPair& ca) {
    const PemPair own = make_client_certificate(ca, "a device", {.now_s = trial::now_s(), .days = 2}).value();
    ClientTls tls = trial::client_tls();
    tls.chain_pem = own.certificate;
    tls.key_pem = own.key;
    return tls;
  };
  ServerOptions options = trial::loopback();
  options.tls->client_ca_pem = trial::ca().certificate;
  const auto server = trial::serve(options, trial::echo);
  EXPECT_EQ(trial::dial(*server, client(trial::ca()))->call(Method::step, "x").value(), "Step|x");
  ServerTls changed = trial::server_tls();
  EXPECT_FALSE(server->change_certificates(changed).ok()) << "clients would need none any more";
  changed.client_ca_pem = other.ca.certificate;
  ASSERT_TRUE(server->change_certificates(changed).ok());
  EXPECT_EQ(trial::dial(*server, client(other.ca))->call(Method::step, "x").value(), "Step|x");
  expect_refusal(server->address(), client(trial::ca()), "does not take this client's certificate");
}

TEST(ChangedCertificates, DisturbNobodyWhoConnectsMeanwhile) {
  const auto server = trial::serve(trial::loopback(), trial::echo);
  const OtherPair other;
  ClientTls both = trial::client_tls();
  both.ca_pem += other.ca.certificate;
  std::atomic<bool> over = false;
  std::thread changes([&] {
    for (int n = 0; !over; ++n)
      EXPECT_TRUE(server->change_certificates(n % 2 == 0 ? other.server_tls() : trial::server_tls()).ok());
  });
  for (int n = 0; n < 20; ++n)
    EXPECT_EQ(trial::dial(*server, both)->call(Method::step, "x").value(), "Step|x");
  over = true;
  changes.join();
}

TEST(Tls, NobodyAndNoTlsAreTold) {
  Address nobody;
  {
    const auto server = trial::serve(trial::loopback(), trial::echo);
    nobody = server->address();
  }
  expect_refusal(nobody, trial::client_tls(), "nobody listens at 127.0.0.1:");
  // Something that answers every connection with text.
  const Socket listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(name);
  bind(listener.descriptor(), reinterpret_cast<const sockaddr*>(&name), size);
  listen(listener.descriptor(), 16);
  getsockname(listener.descriptor(), reinterpret_cast<sockaddr*>(&name), &size);
  std::thread talker([&] {
    for (int accepted; (accepted = accept(listener.descriptor(), nullptr, nullptr)) >= 0;) {
      const Socket socket(accepted);
      constexpr std::string_view words = "HTTP/1.1 400 Bad Request\r\n\r\n";
      send(accepted, words.data(), words.size(), MSG_NOSIGNAL);
    }
  });
  expect_refusal({.path = "", .host = "127.0.0.1", .port = ntohs(name.sin_port)}, trial::client_tls(),
                 "does not speak TLS");
  shutdown(listener.descriptor(), SHUT_RDWR);
  talker.join();
}

TEST(Tls, UnusableTextsAreRefusedBeforeAnybodyIsAsked) {
  ClientTls tls = trial::client_tls();
  tls.ca_pem = "no certificate";
  EXPECT_FALSE(grpc_transport(tls, "127.0.0.1:1").ok());
  EXPECT_FALSE(grpc_transport(trial::client_tls(), "nonsense").ok());
}

}  // namespace
}  // namespace sotto::net::tls_test
