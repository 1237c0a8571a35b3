#include "data/split_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"

namespace sotto::data {

namespace {

constexpr std::string_view magic = "sotto-split\n";
constexpr std::size_t head_size = magic.size() + sizeof split_version + sizeof(std::uint64_t) +
                                  section_count * (sizeof(std::uint64_t) + checksum_size) + 2 * checksum_size;

constexpr std::uint64_t aligned(std::uint64_t size) {
  return (size + section_alignment - 1) / section_alignment * section_alignment;
}

std::string digits(Reader& reader) {
  const auto bytes = reader.raw(checksum_size);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Where the last section that is not empty ends; more than any file has if one is longer than `limit`.
std::uint64_t file_size(const SplitHead& head, std::uint64_t limit) {
  std::uint64_t end = aligned(head_size);
  std::uint64_t whole = end;
  for (const std::uint64_t size : head.sizes) {
    if (size > limit) return UINT64_MAX;
    if (size == 0) continue;
    whole = end + size;
    end = aligned(whole);
  }
  return whole;
}

}  // namespace

bool begins_as_split(std::span<const std::byte> bytes) {
  return bytes.size() >= magic.size() &&
         std::ranges::equal(bytes.first(magic.size()), std::as_bytes(std::span(magic)));
}

std::string checksum_of(std::span<const std::byte> bytes) {
  Hasher hasher;
  hasher.bytes(bytes);
  return std::move(hasher).hex();
}

Error refuse_split(const std::string& name, const std::string& why) {
  return fail(Code::bad_input, fmt::format("{}: {}; make it again with \"sotto data split\"", name, why));
}

Bytes encode_head(const SplitHead& head) {
  Writer writer;
  writer.raw(std::as_bytes(std::span(magic))).number(split_version).number(head.catalogue);
  for (std::size_t k = 0; k < section_count; ++k)
    writer.number(head.sizes[k]).raw(std::as_bytes(std::span(head.checksums[k])));
  writer.raw(std::as_bytes(std::span(head.hash)));
  const std::string sum = checksum_of(writer.view());
  writer.raw(std::as_bytes(std::span(sum)));
  SOTTO_ASSERT(writer.size() == head_size, "checksums and hashes have 64 digits");
  Bytes bytes = std::move(writer).take();
  bytes.resize(aligned(head_size));
  return bytes;
}

Result<SplitHead> decode_head(std::span<const std::byte> file, const std::string& name) {
  if (!begins_as_split(file)) return refuse_split(name, "this is not a saved split");
  Reader reader(file);
  static_cast<void>(reader.raw(magic.size()));
  const auto written = reader.number<std::uint32_t>();
  if (reader.spoiled()) return refuse_split(name, "the file is cut short");
  if (written != split_version)
    return fail(Code::incompatible,
                fmt::format("{}: a split of format {}, this program reads format {}; make it "
                            "again with \"sotto data split\"",
                            name, written, split_version));
  SplitHead head;
  head.catalogue = reader.number<std::uint64_t>();
  for (std::size_t k = 0; k < section_count; ++k) {
    head.sizes[k] = reader.number<std::uint64_t>();
    head.checksums[k] = digits(reader);
  }
  head.hash = digits(reader);
  const std::string sum = digits(reader);
  if (reader.spoiled()) return refuse_split(name, "the file is cut short");
  if (sum != checksum_of(file.first(head_size - checksum_size)))
    return refuse_split(name, "its head is damaged (the checksum differs)");
  const std::uint64_t expected = file_size(head, file.size());
  if (file.size() < expected) return refuse_split(name, "the file is cut short");
  if (file.size() > expected) return refuse_split(name, "there is more in the file than a split");
  return head;
}

SectionBytes sections_of(const SplitHead& head, std::span<const std::byte> file) {
  SectionBytes sections;
  std::uint64_t begin = aligned(head_size);
  for (std::size_t k = 0; k < section_count; ++k) {
    // An empty section is nowhere: what would be its place may lie beyond the end of the file.
    if (head.sizes[k] != 0) sections[k] = file.subspan(begin, head.sizes[k]);
    begin = aligned(begin + head.sizes[k]);
  }
  return sections;
}

}  // namespace sotto::data
