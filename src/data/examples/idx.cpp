#include "data/examples/idx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace sotto::data {
namespace {

constexpr std::uint32_t image_magic = 0x00000803;
constexpr std::uint32_t label_magic = 0x00000801;
constexpr std::size_t image_header = 16;
constexpr std::size_t label_header = 8;
constexpr std::uint32_t longest_side = 4096;  // so that count · height · width fits 64 bits

// A number of four bytes, the largest first.
std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t k = at; k < at + 4; ++k) number = number << 8 | static_cast<unsigned char>(bytes[k]);
  return number;
}

void put_number(Bytes& out, std::size_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::byte>(number >> shift & 0xFFu));
}

Error wrong(const TextSource& file, const std::string& what) {
  return fail(Code::bad_input, file.name + ": " + what);
}

// Whether the file begins as it should and has its whole header.
Status check_header(const TextSource& file, std::uint32_t magic, std::size_t header, const char* what) {
  if (file.bytes.size() < header)
    return wrong(file,
                 fmt::format("truncated: it has {} bytes, and the header of an idx file of {} alone needs "
                             "{}; get the file again",
                             file.bytes.size(), what, header));
  const std::uint32_t found = number_at(file.bytes, 0);
  if (found == magic) return Done{};
  const bool other = found == (magic == image_magic ? label_magic : image_magic);
  const char* remedy = other ? "images and labels are swapped: give them the other way round"
                             : "is it an idx file, and unpacked (gunzip)?";
  return wrong(file, fmt::format("it begins with 0x{:08x} where an idx file of {} begins with 0x{:08x}; {}",
                                 found, what, magic, remedy));
}

// `count` things of `each` bytes, and nothing behind them.
Status check_length(const TextSource& file, std::size_t header, std::uint64_t count, std::uint64_t each,
                    const char* what) {
  const std::uint64_t needed = header + count * each;
  if (file.bytes.size() == needed) return Done{};
  return wrong(file, fmt::format("{}: it has {} bytes where {} {} need {}; get the file again",
                                 file.bytes.size() < needed ? "truncated" : "too long", file.bytes.size(),
                                 count, what, needed));
}

struct Pictures {
  std::uint32_t count = 0, height = 0, width = 0;
};

Result<Pictures> check_images(const TextSource& file, const IdxOptions& options) {
  SOTTO_TRY_DONE(check_header(file, image_magic, image_header, "images"));
  const Pictures found{number_at(file.bytes, 4), number_at(file.bytes, 8), number_at(file.bytes, 12)};
  const bool other = (options.height != 0 && found.height != options.height) ||
                     (options.width != 0 && found.width != options.width);
  if (other)
    return wrong(file,
                 fmt::format("its pictures are {} × {} points where {} × {} are expected; give pictures "
                             "of that size",
                             found.height, found.width, options.height, options.width));
  if (found.height == 0 || found.width == 0 || found.height > longest_side || found.width > longest_side)
    return wrong(file, fmt::format("its header says pictures of {} × {} points; sides of 1 to {} can be read",
                                   found.height, found.width, longest_side));
  if (found.count == 0) return wrong(file, "it holds no pictures; give a file that does");
  SOTTO_TRY_DONE(
      check_length(file, image_header, found.count, std::uint64_t{found.height} * found.width, "pictures"));
  return found;
}

Status check_labels(const TextSource& file, const TextSource& images, std::uint32_t pictures,
                    std::uint32_t classes) {
  SOTTO_TRY_DONE(check_header(file, label_magic, label_header, "labels"));
  const std::uint32_t count = number_at(file.bytes, 4);
  SOTTO_TRY_DONE(check_length(file, label_header, count, 1, "labels"));
  if (count != pictures)
    return wrong(file, fmt::format("{} labels for the {} pictures of {}; give the two files that belong "
                                   "together",
                                   count, pictures, images.name));
  for (std::size_t n = 0; n < count; ++n) {
    const auto label = static_cast<unsigned char>(file.bytes[label_header + n]);
    if (label >= classes)
      return wrong(file, fmt::format("label {} (byte {}) is {}, above {}; get the file again", n + 1,
                                     label_header + n, unsigned{label}, classes - 1));
  }
  return Done{};
}

void append(const TextSource& images, const TextSource& labels, Examples& examples) {
  const auto bytes_after = [](const TextSource& file, std::size_t header) {
    return std::span(reinterpret_cast<const std::uint8_t*>(file.bytes.data()), file.bytes.size())
        .subspan(header);
  };
  const auto values = bytes_after(images, image_header);
  const auto names = bytes_after(labels, label_header);
  examples.values.insert(examples.values.end(), values.begin(), values.end());
  examples.labels.insert(examples.labels.end(), names.begin(), names.end());
}

IdxFiles part_of(const Examples& examples, std::size_t from, std::size_t to) {
  SOTTO_ASSERT(examples.count() <= UINT32_MAX, "an idx file counts with 32 bits");
  IdxFiles files;
  put_number(files.images, image_magic);
  for (const std::size_t number : {to - from, std::size_t{examples.height}, std::size_t{examples.width}})
    put_number(files.images, number);
  put_number(files.labels, label_magic);
  put_number(files.labels, to - from);
  const auto values = std::as_bytes(std::span(examples.values))
                          .subspan(from * examples.size(), (to - from) * examples.size());
  const auto labels = std::as_bytes(std::span(examples.labels)).subspan(from, to - from);
  files.images.insert(files.images.end(), values.begin(), values.end());
  files.labels.insert(files.labels.end(), labels.begin(), labels.end());
  return files;
}

}  // namespace

Result<Examples> read_idx(const TextSource& images, const TextSource& labels, const IdxOptions& options) {
  SOTTO_ASSERT(options.classes >= 1 && options.classes <= 256, "a label is one byte");
  SOTTO_TRY(const Pictures pictures, check_images(images, options));
  SOTTO_TRY_DONE(check_labels(labels, images, pictures.count, options.classes));
  Examples examples;
  examples.height = pictures.height;
  examples.width = pictures.width;
  examples.classes = options.classes;
  examples.for_training = pictures.count;
  append(images, labels, examples);
  return examples;
}

Result<Examples> read_idx(const IdxSources& sources, const IdxOptions& options) {
  SOTTO_TRY(Examples examples, read_idx(sources.train_images, sources.train_labels, options));
  SOTTO_TRY(const Pictures tests, check_images(sources.test_images, options));
  if (tests.height != examples.height || tests.width != examples.width)
    return wrong(
        sources.test_images,
        fmt::format("its pictures are {} × {} points and those of {} are {} × {}; give files that "
                    "belong together",
                    tests.height, tests.width, sources.train_images.name, examples.height, examples.width));
  SOTTO_TRY_DONE(check_labels(sources.test_labels, sources.test_images, tests.count, options.classes));
  append(sources.test_images, sources.test_labels, examples);
  return examples;
}

IdxFiles idx_training_part(const Examples& examples) { return part_of(examples, 0, examples.for_training); }
IdxFiles idx_test_part(const Examples& examples) {
  return part_of(examples, examples.for_training, examples.count());
}

}  // namespace sotto::data
