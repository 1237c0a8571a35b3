// The gRPC transport of a device, and the operator's client: bytes to a coordinator and back, over TLS 1.3
// or, at a unix: address, without TLS.
//
// Laws: any thread may call; a connection is made with the first call and made again when it is lost; a
// failure says in one sentence what a person can do about it.
#pragma once

#include <memory>
#include <string>

#include "fed/wire/transport.h"
#include "net/tls.h"

namespace sotto::net {

inline constexpr int default_timeout_ms = 30'000;

// Each transport has a connection of its own. Fails where address or certificates cannot be used; nobody is
// asked yet.
[[nodiscard]] Result<std::unique_ptr<Transport>> grpc_transport(const ClientTls& tls,
                                                                const std::string& address,
                                                                int timeout_ms = default_timeout_ms);

class AdminClient {
 public:
  [[nodiscard]] static Result<AdminClient> connect(const ClientTls& tls, const std::string& address,
                                                   int timeout_ms = default_timeout_ms);
  AdminClient(AdminClient&&) noexcept;
  AdminClient& operator=(AdminClient&&) = delete;
  AdminClient(const AdminClient&) = delete;
  AdminClient& operator=(const AdminClient&) = delete;
  ~AdminClient();

  // The answer's JSON. What the coordinator refuses fails with its words.
  [[nodiscard]] Result<std::string> ask(const std::string& command, const std::string& json);

 private:
  class Connection;
  explicit AdminClient(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace sotto::net
