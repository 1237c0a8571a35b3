// ServerCertificates: what a TLS server shows and asks for, changeable while it runs.
//
// Laws: every handshake that begins after change() uses the new pair, connections that stand keep what they
// have; what cannot be used is refused in one sentence and the old pair stays; whether clients need a
// certificate is decided once.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "base/result.h"
#include "net/tls.h"

namespace sotto::net {

class ServerCertificates {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ServerCertificates>> make(const ServerTls& tls);
  ~ServerCertificates();
  ServerCertificates(const ServerCertificates&) = delete;
  ServerCertificates& operator=(const ServerCertificates&) = delete;

  // Any thread, while the server runs. False: they are the ones it has.
  [[nodiscard]] Result<bool> change(const ServerTls& tls);
  // For one port of one server, which this outlives.
  [[nodiscard]] std::shared_ptr<grpc::ServerCredentials> credentials() const;

 private:
  class Held;
  explicit ServerCertificates(std::unique_ptr<Held> held);
  std::unique_ptr<Held> held_;
};

}  // namespace sotto::net
