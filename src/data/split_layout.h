// The outer shape of a saved split: where its sections lie in the file, and the head that seals them.
//
// The file: magic and version; the catalogue; of each section its size and checksum; the split's hash; a
// checksum of the head; then the sections in the order below, each on a multiple of 64 bytes (zeros
// between), as they lie in memory. Nothing says where a section begins: that follows from the sizes, so no
// head can make two of them overlap.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/codec.h"
#include "base/result.h"

namespace sotto::data {

enum class Section : std::uint8_t {
  user_letters,
  user_ends,
  user_slots,
  item_letters,
  item_ends,
  item_slots,
  train_offsets,
  train_items,
  train_ages,
  validation_offsets,
  validation_items,
  test_offsets,
  test_items,
  name_lengths,
  name_letters,
  category_lengths,
  category_letters,
};
inline constexpr std::size_t section_count = 17;
using SectionBytes = std::array<std::span<const std::byte>, section_count>;

struct SplitHead {
  std::uint64_t catalogue = 0;
  std::array<std::uint64_t, section_count> sizes{};
  std::array<std::string, section_count> checksums;  // 64 hexadecimal digits each
  std::string hash;                                  // of the split, as many
};

inline constexpr std::uint32_t split_version = 3;
inline constexpr std::size_t section_alignment = 64;
inline constexpr std::size_t checksum_size = 64;

// Whether the bytes begin as a saved split of any version.
[[nodiscard]] bool begins_as_split(std::span<const std::byte> bytes);
[[nodiscard]] std::string checksum_of(std::span<const std::byte> bytes);
// The head as it stands in the file, padded up to the first section.
[[nodiscard]] Bytes encode_head(const SplitHead& head);
// Checks magic, version, the head's checksum, and that the sections fill the file to its last byte.
// `name` is what messages call it.
[[nodiscard]] Result<SplitHead> decode_head(std::span<const std::byte> file, const std::string& name);
// Where the sections lie; the head is one that decode_head let pass.
[[nodiscard]] SectionBytes sections_of(const SplitHead& head, std::span<const std::byte> file);

// "name: why; make it again with "sotto data split"", as Code::bad_input.
[[nodiscard]] Error refuse_split(const std::string& name, const std::string& why);

}  // namespace sotto::data
