// A labelled example as a device keeps it, in bytes: for the vault.
//
// Laws: what encoded() gives, read_example() reads, and of other bytes it reads only what encoded() could
// have given; what check() lets through can be kept and read again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "device/device_store.h"

namespace sotto::device {

// Before it is kept. The sentence names no example.
[[nodiscard]] Status check(const KeptExample& one);

// The name of its record: collections have plain names, in which there is no '/'.
[[nodiscard]] std::string record_name(const KeptExample& one);
[[nodiscard]] std::string encoded(const KeptExample& one);
// None: nonsense.
[[nodiscard]] std::optional<KeptExample> read_example(std::string_view record_name, std::string_view text);

}  // namespace sotto::device
