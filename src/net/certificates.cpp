#include "net/certificates.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>

#include "net/address.h"

namespace sotto::net {

namespace {

using Memory = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

constexpr std::int64_t clock_slack_s = 3600;
constexpr std::int64_t day_s = 86400;

Error no_certificate(const std::string& what) {
  const char* said = ERR_reason_error_string(ERR_get_error());
  return fail(Code::bad_input, fmt::format("OpenSSL cannot make {}: {}", what, said == nullptr ? "" : said));
}

Memory reader_of(std::string_view text) {
  return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string text_in(BIO& memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&memory, &data);
  return {data, static_cast<std::size_t>(size)};
}

bool extend(X509& certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, &certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension != nullptr && X509_add_ext(&certificate, extension.get(), -1) == 1;
}

struct ExtensionText {
  int kind;
  std::string value;
};

// Who signs: null for one that signs itself.
struct Issuer {
  X509* certificate = nullptr;
  EVP_PKEY* key = nullptr;
};

bool fill_in(X509& certificate, EVP_PKEY& key, const std::string& name, const Validity& validity) {
  std::array<unsigned char, 16> serial{};
  if (RAND_bytes(serial.data(), serial.size()) != 1) return false;
  serial[0] &= 0x7f;  // serial numbers are positive
  const std::unique_ptr<BIGNUM, Freed<BN_free>> number(BN_bin2bn(serial.data(), serial.size(), nullptr));
  const auto* words = reinterpret_cast<const unsigned char*>(name.c_str());
  return X509_set_version(&certificate, X509_VERSION_3) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(&certificate)) != nullptr &&
         ASN1_TIME_set(X509_getm_notBefore(&certificate), validity.now_s - clock_slack_s) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(&certificate), validity.now_s + day_s * validity.days) != nullptr &&
         X509_set_pubkey(&certificate, &key) == 1 &&
         X509_NAME_add_entry_by_txt(X509_get_subject_name(&certificate), "CN", MBSTRING_UTF8, words, -1, -1,
                                    0) == 1;
}

Result<PemPair> sign(const std::string& name, const Validity& validity, const Issuer& issuer,
                     const std::vector<ExtensionText>& extensions) {
  if (validity.days == 0 || validity.days > 36500)
    return fail(Code::usage, "a certificate is valid for 1 to 36500 days");
  ERR_clear_error();
  const KeyHandle key(EVP_EC_gen("P-256"));
  const X509Handle certificate(X509_new());
  if (!key || !certificate || !fill_in(*certificate, *key, name, validity))
    return no_certificate(fmt::format("a certificate with the name '{}'", name));
  X509* parent = issuer.certificate == nullptr ? certificate.get() : issuer.certificate;
  if (X509_set_issuer_name(certificate.get(), X509_get_subject_name(parent)) != 1)
    return no_certificate("a certificate");
  for (const ExtensionText& extension : extensions)
    if (!extend(*certificate, parent, extension.kind, extension.value))
      return no_certificate(fmt::format("a certificate with '{}'", extension.value));
  if (X509_sign(certificate.get(), issuer.key == nullptr ? key.get() : issuer.key, EVP_sha256()) <= 0)
    return no_certificate("a signature");
  const Memory open(BIO_new(BIO_s_mem()));
  const Memory secret(BIO_new(BIO_s_secmem()));
  if (PEM_write_bio_X509(open.get(), certificate.get()) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return no_certificate("a PEM text");
  return PemPair{text_in(*open), text_in(*secret)};
}

Result<PemPair> sign_with(const PemPair& ca, const std::string& name, const Validity& validity,
                          const std::vector<ExtensionText>& extensions) {
  SOTTO_TRY(const std::vector<X509Handle> parents,
            read_pem_certificates(ca.certificate, "the CA certificate"));
  SOTTO_TRY(const KeyHandle key, read_pem_key(ca.key, "the CA key"));
  return sign(name, validity, {parents.front().get(), key.get()}, extensions);
}

// The subjectAltName, as OpenSSL writes it.
std::string alternative_names(const std::vector<std::string>& hosts) {
  std::string names;
  for (const std::string& host : hosts)
    names += fmt::format("{}{}:{}", names.empty() ? "" : ",", is_ip(host) ? "IP" : "DNS", host);
  return names;
}

std::int64_t seconds_of(const ASN1_TIME& time) {
  std::tm parts{};
  ASN1_TIME_to_tm(&time, &parts);
  return timegm(&parts);
}

std::string day_of(std::int64_t time_s) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(time_s)));
}

Status check_time(const X509& certificate, const std::string& file, std::int64_t now_s) {
  const std::int64_t first = seconds_of(*X509_get0_notBefore(&certificate));
  const std::int64_t last = seconds_of(*X509_get0_notAfter(&certificate));
  if (now_s > last)
    return fail(Code::bad_input,
                fmt::format("{}: the certificate expired on {}: renew it", file, day_of(last)));
  if (now_s < first)
    return fail(Code::bad_input,
                fmt::format("{}: the certificate is valid from {} on and this machine's clock says "
                            "{}: set the clock or wait",
                            file, day_of(first), day_of(now_s)));
  return Done{};
}

}  // namespace

Result<PemPair> make_ca(const std::string& name, const Validity& validity) {
  return sign(name, validity, {},
              {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
               {NID_key_usage, "critical,keyCertSign,cRLSign"},
               {NID_subject_key_identifier, "hash"}});
}

// What would say more than one name to OpenSSL is refused: names come from a command line.
Status check_hosts(const std::vector<std::string>& hosts) {
  if (hosts.empty()) return fail(Code::usage, "a server's certificate needs at least one name or IP address");
  for (const std::string& host : hosts) {
    const bool plain = std::all_of(host.begin(), host.end(), [](unsigned char letter) {
      return std::isalnum(letter) != 0 || letter == '.' || letter == '-' || letter == '*';
    });
    if (host.empty() || host.size() > 253 || (!plain && !is_ip(host)))
      return fail(Code::usage,
                  fmt::format("'{}' is neither a host's name nor an IP address: write it without "
                              "a scheme and without a port",
                              host));
  }
  return Done{};
}

Result<PemPair> make_server_certificate(const PemPair& ca, const std::vector<std::string>& hosts,
                                        const Validity& validity) {
  SOTTO_TRY_DONE(check_hosts(hosts));
  // A common name has at most 64 bytes; nobody reads it beside the alternative names.
  return sign_with(ca, hosts.front().substr(0, 64), validity,
                   {{NID_basic_constraints, "critical,CA:FALSE"},
                    {NID_key_usage, "critical,digitalSignature"},
                    {NID_ext_key_usage, "serverAuth"},
                    {NID_subject_key_identifier, "hash"},
                    {NID_authority_key_identifier, "keyid:always"},
                    {NID_subject_alt_name, alternative_names(hosts)}});
}

Result<PemPair> make_client_certificate(const PemPair& ca, const std::string& name,
                                        const Validity& validity) {
  return sign_with(ca, name, validity,
                   {{NID_basic_constraints, "critical,CA:FALSE"},
                    {NID_key_usage, "critical,digitalSignature"},
                    {NID_ext_key_usage, "clientAuth"},
                    {NID_subject_key_identifier, "hash"},
                    {NID_authority_key_identifier, "keyid:always"}});
}

Result<std::vector<X509Handle>> read_pem_certificates(std::string_view pem, const std::string& name) {
  ERR_clear_error();
  std::vector<X509Handle> found;
  const Memory reader = reader_of(pem);
  while (X509* one = PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)) found.emplace_back(one);
  const unsigned long last = ERR_peek_last_error();
  ERR_clear_error();
  const bool at_end = ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE;
  if (found.empty() || !at_end)
    return fail(Code::bad_input,
                fmt::format("{} holds no readable certificate: it is a PEM text that begins with "
                            "-----BEGIN CERTIFICATE-----",
                            name));
  return found;
}

Result<KeyHandle> read_pem_key(std::string_view pem, const std::string& name) {
  ERR_clear_error();
  const Memory reader = reader_of(pem);
  // Nobody is there to type a password.
  KeyHandle key(PEM_read_bio_PrivateKey(
      reader.get(), nullptr, [](char*, int, int, void*) { return -1; }, nullptr));
  ERR_clear_error();
  if (!key)
    return fail(Code::bad_input,
                fmt::format("{} holds no readable key: it is a PEM text without a password that "
                            "begins with -----BEGIN PRIVATE KEY-----",
                            name));
  return key;
}

Status check_pair(const PemFile& chain, const PemFile& key, const std::string& host, std::int64_t now_s) {
  SOTTO_TRY(const std::vector<X509Handle> certificates, read_pem_certificates(chain.text, chain.name));
  SOTTO_TRY(const KeyHandle secret, read_pem_key(key.text, key.name));
  X509* own = certificates.front().get();
  if (X509_check_private_key(own, secret.get()) != 1) {
    ERR_clear_error();
    return fail(Code::bad_input,
                fmt::format("the key in {} does not belong to the first certificate in {}: give "
                            "the pair, and the server's own certificate first",
                            key.name, chain.name));
  }
  for (const X509Handle& one : certificates) SOTTO_TRY_DONE(check_time(*one, chain.name, now_s));
  if (host.empty()) return Done{};
  const bool fits = is_ip(host) ? X509_check_ip_asc(own, host.c_str(), 0) == 1
                                : X509_check_host(own, host.c_str(), host.size(), 0, nullptr) == 1;
  if (fits) return Done{};
  return fail(Code::bad_input,
              fmt::format("{}: the certificate is not for '{}': devices would refuse it; make one "
                          "with this name",
                          chain.name, host));
}

Status check_ca(const PemFile& ca, std::int64_t now_s) {
  SOTTO_TRY(const std::vector<X509Handle> certificates, read_pem_certificates(ca.text, ca.name));
  for (const X509Handle& one : certificates) {
    if (X509_check_ca(one.get()) == 0)
      return fail(
          Code::bad_input,
          fmt::format("{}: this certificate may not sign others: give the CA's, not the server's", ca.name));
    SOTTO_TRY_DONE(check_time(*one, ca.name, now_s));
  }
  return Done{};
}

Result<std::int64_t> valid_until_s(const PemFile& chain) {
  SOTTO_TRY(const std::vector<X509Handle> certificates, read_pem_certificates(chain.text, chain.name));
  return seconds_of(*X509_get0_notAfter(certificates.front().get()));
}

}  // namespace sotto::net
