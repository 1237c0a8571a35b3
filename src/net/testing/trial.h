// What the tests of the wire share: certificates made once, a server that echoes, and a folder for sockets.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "net/certificates.h"
#include "net/grpc_server.h"
#include "net/grpc_transport.h"

namespace sotto::net::trial {

inline std::int64_t now_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

inline const PemPair& ca() {
  static const PemPair made = make_ca("a CA for tests", {.now_s = now_s(), .days = 2}).value();
  return made;
}

inline const PemPair& server_pair() {
  static const PemPair made =
      make_server_certificate(ca(), {"localhost", "127.0.0.1"}, {.now_s = now_s(), .days = 2}).value();
  return made;
}

inline ServerTls server_tls() { return {server_pair().certificate, server_pair().key, ""}; }
inline ClientTls client_tls() {
  return {.ca_pem = ca().certificate, .server_name = "", .chain_pem = "", .key_pem = ""};
}

// On a free port of the loopback, over TLS.
inline ServerOptions loopback() {
  ServerOptions options;
  options.address = "127.0.0.1:0";
  options.tls = server_tls();
  return options;
}

inline std::unique_ptr<GrpcServer> serve(const ServerOptions& options, CallHandler handler) {
  auto server = GrpcServer::start(options, std::move(handler));
  EXPECT_TRUE(server.ok()) << (server.ok() ? "" : server.error().message);
  return std::move(server).value();
}

inline std::string echo(Service, const std::string& method, const std::string& request) {
  return method + "|" + request;
}

inline std::unique_ptr<Transport> dial(const GrpcServer& server, const ClientTls& tls = client_tls(),
                                       int timeout_ms = 20'000) {
  return grpc_transport(tls, server.address().text(), timeout_ms).value();
}

// A folder that goes with the test; its name is short because that of a unix socket has to be.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "sotto-net-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string socket(const std::string& name) const {
    return "unix:" + (path_ / name).string();
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace sotto::net::trial
