// The reader of idx files on any bytes: two of length come first, of the file of images (big-endian, so that
// a person can write it), then that file, then the file of labels. Laws checked: what is read is as long as
// its sizes say, its labels are below ten, and it is written back to the same bytes; a refusal names one of
// the two files and is one line.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "data/examples/idx.h"

using namespace sotto::fuzz;  // NOLINT: a program of one file

namespace {

bool same(const Bytes& bytes, std::string_view text) {
  return std::ranges::equal(bytes, std::as_bytes(std::span(text)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t cut = std::min<std::size_t>(std::size_t{data[0]} << 8 | data[1], rest.size());
  const std::string_view images = rest.substr(0, cut), labels = rest.substr(cut);
  const auto read = read_idx({"images", images}, {"labels", labels});
  if (!read.ok()) {
    const std::string& message = read.error().message;
    SOTTO_ASSERT(message.starts_with("images: ") || message.starts_with("labels: "),
                 "a refusal names its file");
    SOTTO_ASSERT(message.find('\n') == std::string::npos, "a refusal is one line");
    return 0;
  }
  SOTTO_ASSERT(read->values.size() == read->count() * read->size() && read->count() > 0, "sizes fit");
  SOTTO_ASSERT(read->for_training == read->count(), "all are for training");
  SOTTO_ASSERT(std::ranges::all_of(read->labels, [](std::uint8_t label) { return label < 10; }),
               "ten classes");
  const IdxFiles files = idx_training_part(*read);
  SOTTO_ASSERT(same(files.images, images) && same(files.labels, labels), "writing undoes reading");
  return 0;
}
