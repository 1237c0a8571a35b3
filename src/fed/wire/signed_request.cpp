#include "fed/wire/signed_request.h"

#include <sodium.h>

#include <algorithm>

namespace sotto::fed {

namespace {

std::span<const std::uint8_t> octets(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Bytes32 request_digest(Method method, const v1::SignedRequest& request) {
  return digest_of("sotto request v1",
                   {octets(to_string(method)), octets(request.device()), bytes_of(request.time_ms()),
                    bytes_of(request.nonce()), octets(blob_hash(request.body()))});
}

Bytes32 enrolment_digest(std::string_view token, std::string_view key) {
  return digest_of("sotto enrol v1", {octets(token), octets(key)});
}

bool read_signature(std::string_view bytes, Signature& signature) {
  if (bytes.size() != signature.size()) return false;
  std::copy(bytes.begin(), bytes.end(), signature.begin());
  return true;
}

std::string text_of(const Signature& signature) { return {signature.begin(), signature.end()}; }

}  // namespace

const char* to_string(Method method) {
  switch (method) {
    case Method::enrol:
      return "Enrol";
    case Method::check_in:
      return "CheckIn";
    case Method::fetch:
      return "Fetch";
    case Method::step:
      return "Step";
    case Method::leave:
      return "Leave";
  }
  SOTTO_ASSERT(false, "every method has a name");
}

DeviceId device_id(const PublicKey& key) {
  const Bytes32 digest = digest_of("sotto device v1", {key});
  DeviceId id{};
  std::copy_n(digest.begin(), id.size(), id.begin());
  return id;
}

v1::SignedRequest sign_request(Method method, std::string body, std::uint64_t time_ms, std::uint64_t nonce,
                               const Identity& identity) {
  v1::SignedRequest request;
  request.set_version(protocol_version);
  request.set_device(text_of(device_id(identity.open())));
  request.set_time_ms(time_ms);
  request.set_nonce(nonce);
  request.set_body(std::move(body));
  request.set_signature(text_of(identity.sign(request_digest(method, request))));
  return request;
}

v1::EnrolRequest sign_enrolment(std::string_view token, const Identity& identity) {
  v1::EnrolRequest request;
  request.set_version(protocol_version);
  request.set_token(std::string(token));
  request.set_public_key(text_of(identity.open()));
  request.set_signature(text_of(identity.sign(enrolment_digest(token, request.public_key()))));
  return request;
}

bool verify_request(Method method, const v1::SignedRequest& request, const PublicKey& key) {
  Signature signature{};
  return read_signature(request.signature(), signature) &&
         is_signed(request_digest(method, request), signature, key);
}

bool verify_enrolment(const v1::EnrolRequest& request) {
  Signature signature{};
  PublicKey key{};
  return read_key(request.public_key(), key) && read_signature(request.signature(), signature) &&
         is_signed(enrolment_digest(request.token(), request.public_key()), signature, key);
}

bool read_key(std::string_view bytes, PublicKey& key) {
  if (bytes.size() != key.size()) return false;
  std::copy(bytes.begin(), bytes.end(), key.begin());
  return true;
}

std::string text_of(const PublicKey& key) { return {key.begin(), key.end()}; }
std::string text_of(const DeviceId& id) { return {id.begin(), id.end()}; }

std::string blob_hash(std::string_view bytes) {
  std::string hash(crypto_generichash_BYTES, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr, 0);
  return hash;
}

}  // namespace sotto::fed
