#include "data/split_io.h"

#include <algorithm>

#include "data/split_layout.h"
#include "data/split_parts.h"
#include "data/text_source.h"

namespace sotto::data {

namespace {

static_assert(sizeof(ItemIndex) == sizeof(std::uint32_t) && std::is_trivially_copyable_v<ItemIndex>,
              "items lie in the file as in memory");

std::span<const std::byte> at(const SectionBytes& sections, Section section) {
  return sections[static_cast<std::size_t>(section)];
}

Section after(Section section, int steps) { return static_cast<Section>(static_cast<int>(section) + steps); }

// The section as an array of T, or false when it holds a broken number of them.
template <class T>
bool view(const SectionBytes& sections, Section section, std::span<const T>& out) {
  const auto bytes = at(sections, section);
  if (bytes.size() % sizeof(T) != 0) return false;
  SOTTO_ASSERT(reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(T) == 0, "sections are aligned");
  out = {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  return true;
}

// Labels as lengths and one run of letters.
struct LabelArrays {
  std::vector<std::uint32_t> lengths;
  std::string letters;

  explicit LabelArrays(const std::vector<std::string>& labels) {
    for (const std::string& label : labels) {
      lengths.push_back(static_cast<std::uint32_t>(label.size()));
      letters += label;
    }
  }
};

bool read_labels(const SectionBytes& sections, Section first, std::vector<std::string>& labels) {
  std::span<const std::uint32_t> lengths;
  std::span<const char> letters;
  if (!view(sections, first, lengths) || !view(sections, after(first, 1), letters)) return false;
  std::string_view rest(letters.data(), letters.size());
  labels.reserve(lengths.size());
  for (const std::uint32_t length : lengths) {
    if (length > rest.size()) return false;
    labels.emplace_back(rest.substr(0, length));
    if (!is_utf8(labels.back())) return false;
    rest.remove_prefix(length);
  }
  return rest.empty();
}

bool read_ids(const SectionBytes& sections, Section first, const std::shared_ptr<const void>& owner,
              IdTable& table) {
  IdArrays arrays;
  const bool lawful = view(sections, first, arrays.letters) && view(sections, after(first, 1), arrays.ends) &&
                      view(sections, after(first, 2), arrays.slots) && IdTable::lawful(arrays);
  if (lawful) table = IdTable(arrays, owner);
  return lawful;
}

// The laws of ids beyond those of the lookup: each is text, and no two are alike.
bool ids_lawful(const IdTable& table) {
  for (std::uint32_t index = 0; index < table.size(); ++index)
    if (id_fault(table.name(index)) != nullptr || !is_utf8(table.name(index))) return false;
  return std::ranges::equal(table.plain_slots(), table.arrays().slots);
}

// Histories have no encoder. A split is the researcher's own file, not a message, so it is written as
// the bare numbers it is made of, here and nowhere else.
bool read_part(const SectionBytes& sections, Section first, const std::shared_ptr<const void>& owner,
               Histories& part) {
  std::span<const std::uint64_t> offsets;
  std::span<const ItemIndex> items;
  if (!view(sections, first, offsets) || !view(sections, after(first, 1), items)) return false;
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != items.size()) return false;
  std::span<const std::uint16_t> ages;
  if (first == Section::train_offsets && !view(sections, Section::train_ages, ages)) return false;
  if (!ages.empty() && ages.size() != items.size()) return false;
  part = Histories(offsets, items, ages, owner);
  return true;
}

// Every byte that the quick check lets pass unseen.
Status check_whole(const Split& split, const SplitHead& head, std::span<const std::byte> file,
                   const std::string& name) {
  const SectionBytes sections = sections_of(head, file);
  for (std::size_t k = 0; k < section_count; ++k)
    if (checksum_of(sections[k]) != head.checksums[k])
      return refuse_split(name, "the file is damaged (a checksum differs)");
  const Bytes again = encode_head(head);
  if (!std::ranges::equal(again, file.first(again.size())))
    return refuse_split(name, "the file is damaged behind its head");
  const std::byte* end = file.data() + again.size();
  for (const auto& section : sections) {
    if (section.empty()) continue;
    if (!std::all_of(end, section.data(), [](std::byte byte) { return byte == std::byte{0}; }))
      return refuse_split(name, "the file is damaged between its sections");
    end = section.data() + section.size();
  }
  if (!ids_lawful(split.users) || !ids_lawful(split.items)) return refuse_split(name, "its ids are damaged");
  if (const Status lawful = check_laws(split); !lawful.ok())
    return refuse_split(name, lawful.error().message);
  if (hash_of(split) != head.hash) return refuse_split(name, "its hash is not that of its content");
  return Done{};
}

SectionBytes sections_to_write(const Split& split, const LabelArrays& names, const LabelArrays& categories,
                               std::span<const std::uint32_t> user_slots,
                               std::span<const std::uint32_t> item_slots) {
  const IdArrays users = split.users.arrays(), items = split.items.arrays();
  return {std::as_bytes(users.letters),
          std::as_bytes(users.ends),
          std::as_bytes(user_slots),
          std::as_bytes(items.letters),
          std::as_bytes(items.ends),
          std::as_bytes(item_slots),
          std::as_bytes(split.train.offsets()),
          std::as_bytes(split.train.items()),
          std::as_bytes(split.train.ages()),
          std::as_bytes(split.validation.offsets()),
          std::as_bytes(split.validation.items()),
          std::as_bytes(split.test.offsets()),
          std::as_bytes(split.test.items()),
          std::as_bytes(std::span(names.lengths)),
          std::as_bytes(std::span(names.letters)),
          std::as_bytes(std::span(categories.lengths)),
          std::as_bytes(std::span(categories.letters))};
}

}  // namespace

Status write_split(const Split& split, const ByteSink& take) {
  const LabelArrays names(split.item_names), categories(split.item_categories);
  // A table that was given more room than it needed has other slots; in the file there is one way.
  const std::vector<std::uint32_t> user_slots = split.users.plain_slots();
  const std::vector<std::uint32_t> item_slots = split.items.plain_slots();
  const SectionBytes sections = sections_to_write(split, names, categories, user_slots, item_slots);
  SplitHead head;
  head.catalogue = split.catalogue;
  head.hash = split.hash;
  for (std::size_t k = 0; k < section_count; ++k) {
    head.sizes[k] = sections[k].size();
    head.checksums[k] = checksum_of(sections[k]);
  }
  std::uint64_t written = 0;
  const auto put = [&](std::span<const std::byte> bytes) {
    written += bytes.size();
    return take(bytes);
  };
  constexpr std::array<std::byte, section_alignment> zeros{};
  SOTTO_TRY_DONE(put(encode_head(head)));
  for (const auto& section : sections) {
    if (section.empty()) continue;
    const std::size_t gap = (section_alignment - written % section_alignment) % section_alignment;
    SOTTO_TRY_DONE(put(std::span(zeros).first(gap)));
    SOTTO_TRY_DONE(put(section));
  }
  return Done{};
}

Bytes save_split(const Split& split) {
  Writer writer;
  const Status written = write_split(split, [&](std::span<const std::byte> bytes) -> Status {
    writer.raw(bytes);
    return Done{};
  });
  SOTTO_ASSERT(written.ok(), "memory takes what is written to it");
  return std::move(writer).take();
}

Result<Split> open_split(const SharedBytes& file, const std::string& name, SplitCheck check) {
  SOTTO_TRY(const SplitHead head, decode_head(file.bytes, name));
  const SectionBytes sections = sections_of(head, file.bytes);
  Split split;
  split.catalogue = head.catalogue;
  split.hash = head.hash;
  if (!read_ids(sections, Section::user_letters, file.owner, split.users) ||
      !read_ids(sections, Section::item_letters, file.owner, split.items))
    return refuse_split(name, "its ids are damaged");
  if (!read_part(sections, Section::train_offsets, file.owner, split.train) ||
      !read_part(sections, Section::validation_offsets, file.owner, split.validation) ||
      !read_part(sections, Section::test_offsets, file.owner, split.test))
    return refuse_split(name, "its histories are damaged");
  if (!read_labels(sections, Section::name_lengths, split.item_names) ||
      !read_labels(sections, Section::category_lengths, split.item_categories))
    return refuse_split(name, "its labels are damaged");
  if (const Status lawful = check_rows(split); !lawful.ok())
    return refuse_split(name, lawful.error().message);
  if (check == SplitCheck::whole) SOTTO_TRY_DONE(check_whole(split, head, file.bytes, name));
  return split;
}

Result<Split> load_split(std::span<const std::byte> bytes, const std::string& name) {
  return open_split(SharedBytes::of(Bytes(bytes.begin(), bytes.end())), name, SplitCheck::whole);
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

}  // namespace sotto::data
