// What the two sides of a TLS connection bring along, as PEM texts; and why a connection does not come about.
#pragma once

#include <string>

#include "base/result.h"
#include "net/address.h"

namespace sotto::net {

struct ServerTls {
  std::string chain_pem;  // the certificate, then those between it and the CA
  std::string key_pem;
  std::string client_ca_pem;  // who signs the clients' certificates; empty: clients need none
};

struct ClientTls {
  std::string ca_pem;       // who signs the server's certificate
  std::string server_name;  // the name in the certificate, where it is not the address's host
  std::string chain_pem;    // the client's own, where the server asks for one
  std::string key_pem;
};

// Connects once, by hand, and says in one sentence with its remedy what stands in the way; fine where nothing
// does. For when gRPC says only that a handshake failed. Takes at most a few times `timeout_ms`.
[[nodiscard]] Status why_no_connection(const Address& address, const ClientTls& tls, int timeout_ms);

}  // namespace sotto::net
