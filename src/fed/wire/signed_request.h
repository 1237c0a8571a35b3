// Signed requests: what proves to a coordinator who asks, and that nobody asks twice with the same bytes.
//
// A request is signed over method, device, time, nonce and the hash of its body. Laws: a request that was
// changed anywhere, or is given to another method, does not verify; a device's nonces only rise, so that a
// replay is known by one number a device; what is checked says which refusal it earns.
#pragma once

#include <sotto/v1/federation.pb.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fed/wire/transport.h"
#include "privacy/secure/keys.h"

namespace sotto::fed {

using DeviceId = std::array<std::uint8_t, 16>;
// A device's name is the beginning of its key's hash: nobody can take another's.
[[nodiscard]] DeviceId device_id(const PublicKey& key);

// A machine that a device moved to (v1::CheckInRequest::homes).
using HomeId = std::array<std::uint8_t, 16>;

// The device's half.
[[nodiscard]] v1::SignedRequest sign_request(Method method, std::string body, std::uint64_t time_ms,
                                             std::uint64_t nonce, const Identity& identity);
[[nodiscard]] v1::EnrolRequest sign_enrolment(std::string_view token, const Identity& identity);

// The server's half: whether the signature is the device's. Freshness is the caller's (server/).
[[nodiscard]] bool verify_request(Method method, const v1::SignedRequest& request, const PublicKey& key);
[[nodiscard]] bool verify_enrolment(const v1::EnrolRequest& request);

// Bytes of a message as the engine's types, and back.
[[nodiscard]] bool read_key(std::string_view bytes, PublicKey& key);
[[nodiscard]] std::string text_of(const PublicKey& key);
[[nodiscard]] std::string text_of(const DeviceId& id);
// BLAKE2b-256 of some bytes, as 32 bytes: the name of a blob.
[[nodiscard]] std::string blob_hash(std::string_view bytes);

}  // namespace sotto::fed
