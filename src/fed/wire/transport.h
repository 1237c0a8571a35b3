// Transport: how a device's bytes reach a coordinator and the answer comes back. gRPC is one (net/), a host
// app's own socket another, a call within the process a third.
//
// Laws: it moves bytes and looks at none of them; a failed call may or may not have reached the other side.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sotto::fed {

// The calls of proto/sotto/v1/federation.proto.
enum class Method : std::uint8_t { enrol, check_in, fetch, step, leave };
[[nodiscard]] const char* to_string(Method method);  // as in the .proto: "CheckIn"

// Of every message, in both directions; nothing larger is sent in one piece.
inline constexpr std::size_t most_message_bytes = std::size_t{4} << 20;
// Of the bulk in one message: leaves room for what stands around it.
inline constexpr std::size_t most_chunk_bytes = std::size_t{1} << 20;
inline constexpr std::uint32_t protocol_version = 1;

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;
  // The encoded reply to an encoded request. Fails where none came (Code::io).
  [[nodiscard]] virtual Result<std::string> call(Method method, const std::string& request) = 0;
};

}  // namespace sotto::fed
