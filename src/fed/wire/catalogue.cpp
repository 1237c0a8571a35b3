#include "fed/wire/catalogue.h"

#include <algorithm>

#include "base/compression.h"

namespace sotto::fed {

namespace {

Error refuse_catalogue(const char* why) {
  return fail(Code::bad_input, std::string("the task's catalogue is refused: ") + why);
}

std::span<const std::byte> bytes_in(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace

std::string pack_catalogue(std::string_view names) {
  const Bytes packed = compress(bytes_in(names));
  return {reinterpret_cast<const char*>(packed.data()), packed.size()};
}

Result<std::shared_ptr<const IdTable>> read_catalogue(std::string_view packed, std::size_t most) {
  // One window is all that unpacking may take beside the names.
  const DecompressLimits limits{.max_bytes = std::uint64_t{most} * (most_item_name + 1), .window_log = 23};
  SOTTO_TRY(const Bytes plain, decompress(bytes_in(packed), limits));
  std::string_view text(reinterpret_cast<const char*>(plain.data()), plain.size());
  auto table = std::make_shared<IdTable>();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end == 0 || end > most_item_name) return refuse_catalogue("a name is empty, or too long");
    if (table->size() == most) return refuse_catalogue("it has more names than the task has items");
    if (table->intern(text.substr(0, end)) + 1 != table->size())
      return refuse_catalogue("a name is there twice");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::shared_ptr<const IdTable>(std::move(table));
}

}  // namespace sotto::fed
