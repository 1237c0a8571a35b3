#include "host/tls_files.h"

#include <ctime>

#include "engine/files/files.h"
#include "net/certificates.h"

namespace sotto::host {

namespace {

Result<PemFile> read_pem(const std::filesystem::path& path) {
  SOTTO_TRY(std::string text, read_text(path));
  return PemFile{path.string(), std::move(text)};
}

}  // namespace

Result<ServerTls> read_server_tls(const ServerTlsFiles& files, const std::string& host) {
  const std::int64_t now_s = std::time(nullptr);
  SOTTO_TRY(const PemFile chain, read_pem(files.certificate));
  SOTTO_TRY(const PemFile key, read_pem(files.key));
  SOTTO_TRY_DONE(check_pair(chain, key, host, now_s));
  ServerTls tls{chain.text, key.text, ""};
  if (files.client_ca.empty()) return tls;
  SOTTO_TRY(const PemFile ca, read_pem(files.client_ca));
  SOTTO_TRY_DONE(check_ca(ca, now_s));
  tls.client_ca_pem = ca.text;
  return tls;
}

Result<ClientTls> read_client_tls(const ClientTlsFiles& files, const std::string& server_name) {
  const std::int64_t now_s = std::time(nullptr);
  SOTTO_TRY(const PemFile ca, read_pem(files.ca));
  SOTTO_TRY_DONE(check_ca(ca, now_s));
  ClientTls tls{.ca_pem = ca.text, .server_name = server_name, .chain_pem = "", .key_pem = ""};
  if (files.certificate.empty()) return tls;
  SOTTO_TRY(const PemFile own, read_pem(files.certificate));
  SOTTO_TRY(const PemFile key, read_pem(files.key));
  SOTTO_TRY_DONE(check_pair(own, key, "", now_s));
  tls.chain_pem = own.text;
  tls.key_pem = key.text;
  return tls;
}

}  // namespace sotto::host
