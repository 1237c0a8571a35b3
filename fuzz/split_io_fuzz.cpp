// The reader of saved splits on any bytes, as they are and behind a right head and checksums (which no
// fuzzer would guess).
// Laws checked: what opens can be walked without leaving memory; what loads whole obeys Split's laws and is
// saved to the same bytes again.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "data/split_io.h"
#include "data/split_layout.h"
#include "data/split_parts.h"

using namespace sotto::fuzz;  // NOLINT: a program of one file

namespace {

void check(std::span<const std::byte> bytes) {
  const auto split = load_split(bytes, "split");
  if (!split.ok()) {
    SOTTO_ASSERT(split.error().code == Code::bad_input || split.error().code == Code::incompatible,
                 "bad bytes are bad input");
    return;
  }
  SOTTO_ASSERT(check_laws(*split).ok(), "what loads is lawful");
  const Bytes again = save_split(*split);
  SOTTO_ASSERT(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()), "saved to the same bytes");
}

// Reads all that a user of the split could read.
void walk(const Split& split) {
  for (const auto* part : {&split.train, &split.validation, &split.test})
    for (std::uint32_t user = 0; user < part->users(); ++user)
      for (const auto item : part->of({user})) static_cast<void>(split.items.name(item.value));
  for (const auto* table : {&split.users, &split.items})
    for (std::uint32_t index = 0; index < table->size(); ++index)
      static_cast<void>(table->find(table->name(index)));
}

// The input as a catalogue, the sizes of the sections, and their content.
void check_behind_seals(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  SplitHead head;
  head.catalogue = reader.number<std::uint16_t>();
  for (std::uint64_t& size : head.sizes) size = reader.number<std::uint16_t>();
  if (reader.spoiled()) return;
  head.hash = std::string(checksum_size, '0');
  for (std::string& sum : head.checksums) sum = head.hash;
  Bytes file = encode_head(head);
  for (std::size_t k = 0; k < section_count; ++k) {
    if (head.sizes[k] == 0) continue;
    file.resize((file.size() + section_alignment - 1) / section_alignment * section_alignment);
    const auto content = reader.raw(std::min<std::size_t>(head.sizes[k], reader.remaining()));
    file.insert(file.end(), content.begin(), content.end());
    file.resize(file.size() + head.sizes[k] - content.size());
    head.checksums[k] = checksum_of(std::span(file).last(head.sizes[k]));
  }
  const auto seal = [&] {
    const Bytes start = encode_head(head);
    std::copy(start.begin(), start.end(), file.begin());
  };
  seal();
  const auto opened = open_split(SharedBytes::of(file), "split", SplitCheck::quick);
  if (!opened.ok()) return;
  walk(*opened);
  head.hash = hash_of(*opened);
  seal();
  check(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  check(bytes);
  check_behind_seals(bytes);
  return 0;
}
