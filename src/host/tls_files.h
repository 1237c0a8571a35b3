// The files of TLS, read and checked before anything starts: what is wrong is one sentence that names the
// file.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "net/tls.h"

namespace sotto::host {

struct ServerTlsFiles {
  std::filesystem::path certificate;  // the chain, the server's own first
  std::filesystem::path key;
  std::filesystem::path client_ca;  // empty: clients need no certificate
};
// `host` is the name under which devices reach the server; empty: not checked.
[[nodiscard]] Result<ServerTls> read_server_tls(const ServerTlsFiles& files, const std::string& host);

struct ClientTlsFiles {
  std::filesystem::path ca;
  std::filesystem::path certificate;  // empty: none
  std::filesystem::path key;
};
// `server_name` as in ClientTls.
[[nodiscard]] Result<ClientTls> read_client_tls(const ClientTlsFiles& files, const std::string& server_name);

}  // namespace sotto::host
