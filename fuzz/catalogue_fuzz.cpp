// Catalogues of tasks on any bytes, packed and as they are before.
// Laws checked: what a device takes has no more items than it was told and gives every item a title; names
// alone are encoded to the same bytes again but for the last line's end, all else (one that grew is several
// texts) to bytes that say the same; it grows from any of its beginnings; every refusal has a sentence.
#include <algorithm>
#include <cstdint>

#include "base/assert.h"
#include "data/recorded_contexts.h"
#include "fed/wire/catalogue.h"

using namespace sotto::fuzz;  // NOLINT: a program of one file

namespace {

constexpr std::size_t most = 64;

void look_at(const TaskCatalogue& catalogue) {
  SOTTO_ASSERT(catalogue.names.size() <= most, "no more items than it may have");
  for (std::uint32_t item = 0; item < catalogue.names.size(); ++item) {
    SOTTO_ASSERT(!catalogue.title(item).empty(), "an item has a title");
    if (catalogue.features == nullptr) continue;
    for (const FeatureIndex feature : catalogue.features->of({item}))
      SOTTO_ASSERT(catalogue.features->hops(feature) <= 2, "profiles have room for two hops");
  }
  if (catalogue.contexts == nullptr) return;
  Records records;
  records.time_kind = TimeKind::unix_seconds;
  records.train.times = {0, 1'300'000'000};
  records.train.previous = {no_time, 1'299'000'000};
  for (const std::uint32_t value :
       recorded_contexts(*catalogue.contexts, catalogue.schema, records, 2).values)
    SOTTO_ASSERT(value == no_context || value < catalogue.contexts->values(),
                 "a value is one of the vocabulary");
}

// A scale is of the first items on.
TaskCatalogue without_scale(const TaskCatalogue& catalogue) {
  TaskCatalogue made = catalogue;
  made.scale.reset();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto packed = read_catalogue(bytes, most); packed.ok()) look_at(**packed);
  const auto read = read_catalogue(pack_catalogue(bytes), most);
  if (!read.ok()) {
    SOTTO_ASSERT(!read.error().message.empty(), "a refusal has a sentence");
    return 0;
  }
  look_at(**read);
  const std::string again = encode_catalogue(**read);
  const bool same = again == bytes || again == std::string(bytes) + "\n";
  SOTTO_ASSERT(same || bytes.find("\nsotto catalogue") != std::string_view::npos,
               "encoded to the same bytes");
  const auto twice = read_catalogue(pack_catalogue(again), most);
  SOTTO_ASSERT(twice.ok() && encode_catalogue(**twice) == again, "what is encoded is read");
  SOTTO_ASSERT(check_grown(**read, **read).ok(), "a catalogue keeps its own rows");
  if ((*read)->names.size() < 2) return 0;
  TaskCatalogue before;
  for (std::uint32_t item = 0; item < (*read)->names.size() / 2; ++item)
    before.names.intern((*read)->names.name(item));
  const auto grown = read_catalogue(
      pack_grown(pack_catalogue(encode_catalogue(before)), before, without_scale(**read)), most);
  SOTTO_ASSERT(grown.ok() && (*grown)->names.size() == (*read)->names.size(), "it grows");
  return 0;
}
