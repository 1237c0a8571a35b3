// Files of vaults that move, on any bytes: the header, and the records within the pieces.
// Laws checked: where the pieces cut the records changes nothing; what is read, written again, is the same
// bytes; what is refused is bad input or of another version, with a sentence.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "device/moved_file.h"

namespace {

using namespace sotto::fuzz;

void check_refusal(const Error& error) {
  SOTTO_ASSERT(error.code == Code::bad_input || error.code == Code::incompatible, "bad bytes are bad input");
  SOTTO_ASSERT(!error.message.empty(), "a refusal has a sentence");
}

struct Records {
  Writer again;
  Status status = Done{};
};

Records records_in(std::span<const std::byte> bytes, std::size_t piece) {
  Records found;
  MovedRecords records("file");
  const EachMoved each = [&](RecordKind kind, std::string_view name, std::string_view value) -> Status {
    found.again.number(static_cast<std::uint8_t>(kind)).text(name);
    found.again.number(static_cast<std::uint64_t>(value.size())).raw(std::as_bytes(std::span(value)));
    return Done{};
  };
  while (!bytes.empty() && found.status.ok()) {
    const std::size_t some = std::min(piece, bytes.size());
    found.status = records.add(bytes.first(some), each);
    bytes = bytes.subspan(some);
  }
  if (found.status.ok()) found.status = records.finish();
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  std::size_t at = 0;
  const auto file = MovedFileReader::begin(
      [&](std::span<std::byte> place) -> Result<std::size_t> {
        const std::size_t some = std::min({place.size(), size - at, std::size_t{7}});
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), some, place.begin());
        at += some;
        return some;
      },
      "file");
  if (!file.ok()) check_refusal(file.error());
  const Records whole = records_in(bytes, size);
  const Records cut = records_in(bytes, size == 0 ? 1 : 1 + data[0] % 61);
  SOTTO_ASSERT(whole.status.ok() == cut.status.ok(), "where pieces end does not matter");
  if (!whole.status.ok()) {
    check_refusal(whole.status.error());
    return 0;
  }
  SOTTO_ASSERT(std::ranges::equal(whole.again.view(), cut.again.view()), "nor for what is in them");
  const std::size_t told = whole.again.size();
  SOTTO_ASSERT(told < size && std::ranges::equal(whole.again.view(), bytes.first(told)), "read is written");
  SOTTO_ASSERT(std::ranges::all_of(bytes.subspan(told), [](std::byte one) { return one == std::byte{0}; }),
               "nothing but zeros follows");
  return 0;
}
