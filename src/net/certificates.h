// Certificates: making a CA and what it signs, for a first try and for tests; and checking real ones before a
// server starts with them.
//
// Laws: keys are ECDSA P-256 from the system's generator and leave only as PEM; what is made is valid from an
// hour before `now_s` (clocks differ); a check names the file, the cause and the remedy in one sentence, and
// never any part of a key. The time is a parameter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/openssl_handles.h"

namespace sotto::net {

// A certificate and its key.
struct PemPair {
  std::string certificate;
  std::string key;
};

// In seconds since 1970, from when and for how many days.
struct Validity {
  std::int64_t now_s = 0;
  std::uint32_t days = 365;
};

[[nodiscard]] Result<PemPair> make_ca(const std::string& name, const Validity& validity);
// Names and IP addresses, at least one, without a scheme or a port.
[[nodiscard]] Status check_hosts(const std::vector<std::string>& hosts);
// For a server with these.
[[nodiscard]] Result<PemPair> make_server_certificate(const PemPair& ca,
                                                      const std::vector<std::string>& hosts,
                                                      const Validity& validity);
// For a client of a server that asks for one (mutual TLS).
[[nodiscard]] Result<PemPair> make_client_certificate(const PemPair& ca, const std::string& name,
                                                      const Validity& validity);

// A PEM text and the name of the file it came from, for the sentences.
struct PemFile {
  std::string name;
  std::string text;
};
// Whether they can be used at that time: they can be read, belong together, are valid now, and
// the certificate is for `host` (empty: not checked).
[[nodiscard]] Status check_pair(const PemFile& chain, const PemFile& key, const std::string& host,
                                std::int64_t now_s);
// Whether the text has certificates that may sign others.
[[nodiscard]] Status check_ca(const PemFile& ca, std::int64_t now_s);
// The last second at which the first certificate of the text is valid.
[[nodiscard]] Result<std::int64_t> valid_until_s(const PemFile& chain);

// All of a text, at least one. `name` is for the sentence.
[[nodiscard]] Result<std::vector<X509Handle>> read_pem_certificates(std::string_view pem,
                                                                    const std::string& name);
[[nodiscard]] Result<KeyHandle> read_pem_key(std::string_view pem, const std::string& name);

}  // namespace sotto::net
