#include "data/split_io.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "data/split_parts.h"
#include "data/text_source.h"

namespace sotto {

namespace {

constexpr std::string_view magic = "sotto-split\n";
constexpr std::uint32_t version = 1;
constexpr std::size_t checksum_size = 64;  // hexadecimal, at the very end

std::string checksum(std::span<const std::byte> bytes) {
  Hasher hasher;
  hasher.bytes(bytes);
  return std::move(hasher).hex();
}

// Strings as lengths and one run of letters.
template <class Name>
void write_strings(Writer& writer, std::size_t count, Name name) {
  std::vector<std::uint32_t> lengths(count);
  std::string letters;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string_view text = name(k);
    lengths[k] = static_cast<std::uint32_t>(text.size());
    letters += text;
  }
  writer.array(std::span<const std::uint32_t>(lengths));
  writer.array(std::span<const char>(letters));
}

void write_table(Writer& writer, const IdTable& table) {
  write_strings(writer, table.size(),
                [&](std::size_t k) { return table.name(static_cast<std::uint32_t>(k)); });
}

void write_labels(Writer& writer, const std::vector<std::string>& labels) {
  write_strings(writer, labels.size(), [&](std::size_t k) { return std::string_view(labels[k]); });
}

// Histories have no encoder. A split is the researcher's own file, not a message, so it is written as
// the bare numbers it is made of, here and nowhere else.
void write_part(Writer& writer, const Histories& part) {
  writer.array(part.offsets());
  std::vector<std::uint32_t> numbers(part.interactions());
  std::transform(part.items().begin(), part.items().end(), numbers.begin(),
                 [](ItemIndex item) { return item.value; });
  writer.array(std::span<const std::uint32_t>(numbers));
}

// Calls each(text) for every string; false when lengths and letters do not agree.
template <class Each>
bool read_strings(Reader& reader, Each each) {
  const auto lengths = reader.array<std::uint32_t>();
  const auto letters = reader.array<char>();
  std::string_view rest(letters.data(), letters.size());
  for (const std::uint32_t length : lengths) {
    if (length > rest.size() || !each(rest.substr(0, length))) return false;
    rest.remove_prefix(length);
  }
  return rest.empty() && !reader.spoiled();
}

bool read_table(Reader& reader, IdTable& table) {
  return read_strings(reader, [&](std::string_view id) {
    const std::size_t known = table.size();
    return id_fault(id) == nullptr && is_utf8(id) && table.intern(id) == known;
  });
}

bool read_labels(Reader& reader, std::vector<std::string>& labels) {
  return read_strings(reader, [&](std::string_view label) {
    labels.emplace_back(label);
    return is_utf8(label);
  });
}

bool read_part(Reader& reader, Histories& part) {
  auto offsets = reader.array<std::uint64_t>();
  const auto numbers = reader.array<std::uint32_t>();
  std::vector<ItemIndex> items(numbers.size());
  std::transform(numbers.begin(), numbers.end(), items.begin(),
                 [](std::uint32_t value) { return ItemIndex{value}; });
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != items.size()) return false;
  if (!std::is_sorted(offsets.begin(), offsets.end())) return false;
  part = Histories(std::move(offsets), std::move(items));
  return true;
}

}  // namespace

Bytes save_split(const Split& split) {
  Writer writer;
  writer.raw(std::as_bytes(std::span(magic)));
  writer.number(version);
  write_table(writer, split.users);
  write_table(writer, split.items);
  writer.number(static_cast<std::uint64_t>(split.catalogue));
  for (const Histories* part : {&split.train, &split.validation, &split.test}) write_part(writer, *part);
  write_labels(writer, split.item_names);
  write_labels(writer, split.item_categories);
  const std::string sum = checksum(writer.view());
  writer.raw(std::as_bytes(std::span(sum)));
  return std::move(writer).take();
}

Result<Split> load_split(std::span<const std::byte> bytes, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    return fail(Code::bad_input, fmt::format("{}: {}; make it again with \"sotto data split\"", name, why));
  };
  Reader head(bytes);
  const auto start = head.raw(magic.size());
  if (!std::equal(start.begin(), start.end(), std::as_bytes(std::span(magic)).begin(),
                  std::as_bytes(std::span(magic)).end()))
    return refuse("this is not a saved split");
  const auto written = head.number<std::uint32_t>();
  if (head.spoiled()) return refuse("the file is cut short");
  if (written != version)
    return fail(Code::incompatible,
                fmt::format("{}: a split of format {}, this program reads format {}; make it "
                            "again with \"sotto data split\"",
                            name, written, version));
  if (head.remaining() < checksum_size) return refuse("the file is cut short");
  const auto body = bytes.first(bytes.size() - checksum_size);
  const auto sum = checksum(body);
  if (!std::equal(sum.begin(), sum.end(), reinterpret_cast<const char*>(body.data() + body.size())))
    return refuse("the file is damaged (its checksum differs)");
  Reader reader(body.subspan(magic.size() + sizeof version));
  Split split;
  if (!read_table(reader, split.users) || !read_table(reader, split.items))
    return refuse("its ids are damaged");
  split.catalogue = reader.number<std::uint64_t>();
  if (!read_part(reader, split.train) || !read_part(reader, split.validation) ||
      !read_part(reader, split.test))
    return refuse("its histories are damaged");
  if (!read_labels(reader, split.item_names) || !read_labels(reader, split.item_categories) ||
      !reader.finished())
    return refuse("its labels are damaged");
  if (auto lawful = check_laws(split); !lawful.ok()) return refuse(lawful.error().message);
  split.hash = hash_of(split);
  return split;
}

std::string part_as_tsv(const Split& split, const Histories& part) {
  std::string text;
  for (std::uint32_t user = 0; user < part.users(); ++user) {
    for (const ItemIndex item : part.of({user})) {
      text += split.users.name(user);
      text += '\t';
      text += split.items.name(item.value);
      text += '\n';
    }
  }
  return text;
}

}  // namespace sotto
