// The reader of CelebA's text files on any bytes: three files with a line "==" between them.
// Laws checked: what is read has one label, mark and owner an example and only the values there are; people
// are numbered without gaps; a refusal names one of the files and is one line.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "base/assert.h"
#include "data/examples/celeba.h"

using namespace sotto::fuzz;  // NOLINT: a program of one file

namespace {

std::string_view cut(std::string_view& rest) {
  constexpr std::string_view between = "==\n";
  const std::size_t at = rest.find(between);
  const std::string_view file = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + between.size());
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view identities = cut(rest), attributes = cut(rest), partition = cut(rest);
  const auto read = read_celeba({{"who", identities}, {"what", attributes}, {"part", partition}});
  if (!read.ok()) {
    const std::string& message = read.error().message;
    SOTTO_ASSERT(message.starts_with("who") || message.starts_with("what") || message.starts_with("part"),
                 "a refusal names its file");
    SOTTO_ASSERT(message.find('\n') == std::string::npos, "a refusal is one line");
    return 0;
  }
  const Examples& examples = read->examples;
  SOTTO_ASSERT(examples.count() > 0 && examples.for_training <= examples.count(), "there are examples");
  SOTTO_ASSERT(examples.values.size() == examples.count() * examples.size(), "one value an attribute");
  SOTTO_ASSERT(examples.marks.size() == examples.count() && read->owners.size() == examples.count(),
               "one mark and one owner an example");
  SOTTO_ASSERT(std::ranges::all_of(examples.values, [](std::uint8_t v) { return v == 0 || v == 255; }),
               "0 or 255");
  SOTTO_ASSERT(std::ranges::all_of(examples.labels, [](std::uint8_t label) { return label < 2; }),
               "two classes");
  SOTTO_ASSERT(std::ranges::all_of(examples.marks, [](std::uint8_t mark) { return mark < 2; }),
               "marked or not");
  const std::set<std::uint32_t> people(read->owners.begin(), read->owners.end());
  SOTTO_ASSERT(people.size() == read->people && *people.rbegin() + 1 == read->people, "people without gaps");
  return 0;
}
