#include "net/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>

#include "net/certificates.h"
#include "net/openssl_handles.h"

namespace sotto::net {

namespace {

using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using Connection = std::unique_ptr<SSL, Freed<SSL_free>>;

Error unverified(long reason, const Address& address, const std::string& name) {
  switch (reason) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return fail(Code::io, fmt::format("the certificate of {} has expired: its operator has to renew it "
                                        "(if it has not, this machine's clock is wrong)",
                                        address.text()));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return fail(Code::io,
                  fmt::format("the certificate of {} is not yet valid: one of the two clocks is wrong",
                              address.text()));
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return fail(Code::io,
                  fmt::format("the certificate of {} is not for '{}': use a name that it has, or let "
                              "its operator make one with this name",
                              address.text(), name));
    default:
      return fail(Code::io, fmt::format("the certificate of {} is not signed by this CA ({}): take the CA "
                                        "certificate from the server's operator",
                                        address.text(), X509_verify_cert_error_string(reason)));
  }
}

Error broken_handshake(const Address& address) {
  const unsigned long last = ERR_peek_last_error();
  const int reason = ERR_GET_LIB(last) == ERR_LIB_SSL ? ERR_GET_REASON(last) : 0;
  switch (reason) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_BAD_RECORD_TYPE:
      return fail(Code::io,
                  fmt::format("what listens at {} does not speak TLS: is it the coordinator's port?",
                              address.text()));
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
    case SSL_R_TLSV1_ALERT_INSUFFICIENT_SECURITY:
      return fail(Code::io, fmt::format("the server at {} speaks no TLS 1.3: nothing older is used here",
                                        address.text()));
    default:
      break;
  }
  const char* said = ERR_reason_error_string(last);
  return fail(Code::io, fmt::format("the TLS handshake with {} failed: {}", address.text(),
                                    said == nullptr ? "the other side closed it" : said));
}

// The server asked for the client's certificate and then closed the connection; it need not say why.
Error unwelcome(const Address& address, bool has_certificate) {
  if (!has_certificate)
    return fail(Code::io,
                fmt::format("the server at {} asks for a client's certificate: give one that its client "
                            "CA has signed",
                            address.text()));
  return fail(Code::io,
              fmt::format("the server at {} does not take this client's certificate: it has expired, or "
                          "another CA has signed it",
                          address.text()));
}

Status prepare(SSL_CTX& context, const ClientTls& tls) {
  SSL_CTX_set_min_proto_version(&context, TLS1_3_VERSION);
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, nullptr);
  SOTTO_TRY(const std::vector<X509Handle> trusted, read_pem_certificates(tls.ca_pem, "the CA certificate"));
  for (const X509Handle& one : trusted) X509_STORE_add_cert(SSL_CTX_get_cert_store(&context), one.get());
  if (tls.chain_pem.empty()) return Done{};
  SOTTO_TRY(const std::vector<X509Handle> own,
            read_pem_certificates(tls.chain_pem, "the client's certificate"));
  SOTTO_TRY(const KeyHandle key, read_pem_key(tls.key_pem, "the client's key"));
  if (SSL_CTX_use_certificate(&context, own.front().get()) != 1 ||
      SSL_CTX_use_PrivateKey(&context, key.get()) != 1)
    return fail(Code::bad_input, "the client's key does not belong to its certificate: give the pair");
  for (std::size_t at = 1; at < own.size(); ++at) SSL_CTX_add1_chain_cert(&context, own[at].get());
  return Done{};
}

void name_peer(SSL& connection, const std::string& name) {
  if (is_ip(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(&connection), name.c_str());
    return;
  }
  SSL_set1_host(&connection, name.c_str());
  SSL_set_tlsext_host_name(&connection, name.c_str());
}

}  // namespace

Status why_no_connection(const Address& address, const ClientTls& tls, int timeout_ms) {
  SOTTO_TRY(const Socket socket, connect_to(address, timeout_ms));
  if (address.is_unix()) return Done{};
  ERR_clear_error();
  const Context context(SSL_CTX_new(TLS_client_method()));
  SOTTO_TRY_DONE(prepare(*context, tls));
  const Connection connection(SSL_new(context.get()));
  const std::string name = tls.server_name.empty() ? address.host : tls.server_name;
  name_peer(*connection, name);
  constexpr std::array<unsigned char, 3> http2{2, 'h', '2'};
  SSL_set_alpn_protos(connection.get(), http2.data(), http2.size());
  SSL_set_fd(connection.get(), socket.descriptor());
  bool was_asked = false;  // for a certificate
  SSL_set_cert_cb(
      connection.get(), [](SSL*, void* asked) { return *static_cast<bool*>(asked) = true, 1; }, &was_asked);
  const int shaken = SSL_connect(connection.get());
  const long verified = SSL_get_verify_result(connection.get());
  if (verified != X509_V_OK) return unverified(verified, address, name);
  if (shaken != 1) return broken_handshake(address);
  // In TLS 1.3 a server judges the client's certificate after the client thinks that all is well: the first
  // bytes of the connection, which an HTTP/2 server sends at once, tell.
  std::array<char, 16> first{};
  if (SSL_read(connection.get(), first.data(), first.size()) <= 0)
    return was_asked ? unwelcome(address, !tls.chain_pem.empty()) : broken_handshake(address);
  return Done{};
}

}  // namespace sotto::net
