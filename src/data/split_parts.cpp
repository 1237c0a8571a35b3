#include "data/split_parts.h"

#include <algorithm>

#include "base/hash.h"

namespace sotto::data {

namespace {

constexpr std::uint32_t nowhere = 0xFFFFFFFFu;

// New numbers: items of the training part, then those of the others, each in the old order.
std::vector<std::uint32_t> number_items(std::size_t items, const SplitParts& parts, std::size_t& catalogue) {
  enum : std::uint8_t { absent, held_out, trained };
  std::vector<std::uint8_t> place(items, absent);
  for (const PartRows* part : {&parts.validation, &parts.test})
    for (const ItemIndex item : part->items) place[item.value] = held_out;
  for (const ItemIndex item : parts.train.items) place[item.value] = trained;
  std::vector<std::uint32_t> numbers(items, nowhere);
  std::uint32_t next = 0;
  for (const auto wanted : {trained, held_out}) {
    for (std::size_t item = 0; item < items; ++item)
      if (place[item] == wanted) numbers[item] = next++;
    if (wanted == trained) catalogue = next;
  }
  return numbers;
}

// Rows in the order of time, sorted by item, with the age of each.
Histories renumbered_with_ages(PartRows rows, const std::vector<std::uint32_t>& numbers) {
  std::vector<std::uint16_t> ages(rows.items.size());
  std::vector<std::pair<std::uint32_t, std::uint16_t>> row;
  for (std::size_t user = 0; user + 1 < rows.offsets.size(); ++user) {
    const std::size_t begin = rows.offsets[user], end = rows.offsets[user + 1];
    row.clear();
    for (std::size_t k = begin; k < end; ++k)
      row.emplace_back(numbers[rows.items[k].value],
                       static_cast<std::uint16_t>(std::min<std::size_t>(end - 1 - k, Histories::most_age)));
    std::sort(row.begin(), row.end());
    for (std::size_t k = begin; k < end; ++k) {
      rows.items[k].value = row[k - begin].first;
      ages[k] = row[k - begin].second;
    }
  }
  return Histories(std::move(rows.offsets), std::move(rows.items), std::move(ages));
}

Histories renumbered(PartRows rows, const std::vector<std::uint32_t>& numbers) {
  if (rows.oldest_first) return renumbered_with_ages(std::move(rows), numbers);
  for (ItemIndex& item : rows.items) item.value = numbers[item.value];
  for (std::size_t user = 0; user + 1 < rows.offsets.size(); ++user)
    std::sort(rows.items.begin() + static_cast<std::ptrdiff_t>(rows.offsets[user]),
              rows.items.begin() + static_cast<std::ptrdiff_t>(rows.offsets[user + 1]));
  return Histories(std::move(rows.offsets), std::move(rows.items));
}

std::vector<std::string> picked(const std::vector<std::string>& labels,
                                const std::vector<std::uint32_t>& old) {
  std::vector<std::string> out;
  if (labels.empty()) return out;
  out.reserve(old.size());
  for (const std::uint32_t item : old) out.push_back(labels[item]);
  return out;
}

void hash_part(Hasher& hasher, const Histories& part) {
  hasher.u64(part.users()).u64(part.interactions());
  hasher.array(part.offsets()).bytes(std::as_bytes(part.items()));
  if (part.has_ages()) hasher.bytes(std::as_bytes(part.ages()));
}

std::size_t empty_rows(const Histories& part) {
  std::size_t count = 0;
  for (std::uint32_t user = 0; user < part.users(); ++user) count += part.of({user}).empty() ? 1 : 0;
  return count;
}

// Whether each row holds distinct, ascending items below the limit. Rows are not walked one by one: over
// all items together the largest is taken and the falls (a neighbour that is not larger) are counted,
// which goes at the speed of memory; then there must be no fall but between two rows.
bool rows_lawful(const Histories& part, std::size_t users, std::size_t item_limit) {
  if (part.users() != users) return false;
  const auto offsets = part.offsets();
  const auto items = part.items();
  std::uint64_t falling = 0;
  for (std::size_t user = 0; user < users; ++user) falling += offsets[user + 1] < offsets[user] ? 1u : 0u;
  if (falling != 0 || offsets.back() != items.size()) return false;
  if (items.empty()) return true;
  std::uint32_t most = items[0].value;
  std::uint64_t falls = 0;
  constexpr std::size_t stretch = std::size_t{1} << 24;  // falls of one fit 32 bits, which add up faster
  for (std::size_t begin = 1; begin < items.size(); begin += stretch) {
    const std::size_t end = std::min(begin + stretch, items.size());
    std::uint32_t here = 0;
    for (std::size_t k = begin; k < end; ++k) {
      most = std::max(most, items[k].value);
      here += items[k].value <= items[k - 1].value ? 1u : 0u;
    }
    falls += here;
  }
  if (most >= item_limit) return false;
  std::uint64_t between_rows = 0;
  std::uint64_t last = 0;  // the end of the last row that was not empty
  for (const std::uint64_t offset : offsets) {
    if (offset != last && last != 0) between_rows += items[last].value <= items[last - 1].value ? 1u : 0u;
    last = offset;
  }
  return falls == between_rows;
}

Error broken(const char* law) { return fail(Code::bad_input, std::string("broken law: ") + law); }

// Whether each row's ages are 0, 1, … in some order, as far as ages are told apart.
bool ages_lawful(const Histories& part) {
  std::vector<std::uint16_t> sorted;
  for (std::uint32_t user = 0; user < part.users(); ++user) {
    const auto ages = part.ages_of({user});
    sorted.assign(ages.begin(), ages.end());
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 0; k < sorted.size(); ++k)
      if (sorted[k] != std::min<std::size_t>(k, Histories::most_age)) return false;
  }
  return true;
}

bool share_a_pair(const Histories& a, const Histories& b) {
  for (std::uint32_t user = 0; user < a.users(); ++user) {
    const auto x = a.of({user});
    const auto y = b.of({user});
    for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
      if (x[i] == y[j]) return true;
      (x[i] < y[j] ? i : j)++;
    }
  }
  return false;
}

}  // namespace

std::uint64_t share_of(double share, std::uint64_t n) {
  // In billionths, rounded; half a billionth a unit is given back before the division.
  constexpr std::uint64_t billion = 1'000'000'000;
  const auto billionths = static_cast<std::uint64_t>(share * 1e9 + 0.5);
  return (billionths * n + n / 2) / billion;
}

std::string hash_of(const Split& split) {
  Hasher hasher;
  for (const IdTable* table : {&split.users, &split.items}) {
    hasher.u64(table->size());
    for (std::uint32_t index = 0; index < table->size(); ++index) hasher.text(table->name(index));
  }
  hasher.u64(split.catalogue);
  hash_part(hasher, split.train);
  hash_part(hasher, split.validation);
  hash_part(hasher, split.test);
  return std::move(hasher).hex();
}

Result<Split> assemble_split(IdTable users, const IdTable& items, SplitParts parts,
                             const std::vector<std::string>& names,
                             const std::vector<std::string>& categories) {
  if (parts.train.items.empty())
    return fail(
        Code::bad_input,
        "the split leaves no interaction to train on; choose a larger training share or a later time");
  Split split;
  const auto numbers = number_items(items.size(), parts, split.catalogue);
  std::size_t kept = 0;
  for (const std::uint32_t number : numbers) kept += number != nowhere ? 1 : 0;
  std::vector<std::uint32_t> old(kept);
  for (std::uint32_t item = 0; item < numbers.size(); ++item)
    if (numbers[item] != nowhere) old[numbers[item]] = item;
  split.users = std::move(users);
  split.items = items.picked(old);
  split.train = renumbered(std::move(parts.train), numbers);
  split.validation = renumbered(std::move(parts.validation), numbers);
  split.test = renumbered(std::move(parts.test), numbers);
  split.item_names = picked(names, old);
  split.item_categories = picked(categories, old);
  split.hash = hash_of(split);
  return split;
}

Status check_rows(const Split& split) {
  const std::size_t users = split.users.size();
  const std::size_t items = split.items.size();
  if (split.catalogue > items) return broken("the catalogue is a part of the items");
  if (!rows_lawful(split.train, users, split.catalogue) || !rows_lawful(split.validation, users, items) ||
      !rows_lawful(split.test, users, items))
    return broken("each user has a row of distinct, ascending, known items");
  if (split.train.interactions() == 0) return broken("there is something to train on");
  for (const auto* labels : {&split.item_names, &split.item_categories})
    if (!labels->empty() && labels->size() != items) return broken("each item has a label, or none has");
  return Done{};
}

Status check_laws(const Split& split) {
  SOTTO_TRY_DONE(check_rows(split));
  const std::size_t items = split.items.size();
  if (!ages_lawful(split.train)) return broken("each user's items have an order in time, or nobody's have");
  if (share_a_pair(split.train, split.test) || share_a_pair(split.train, split.validation) ||
      share_a_pair(split.validation, split.test))
    return broken("no pair is in two parts");
  const auto validated = split.validation.popularity(items);
  const auto tested = split.test.popularity(items);
  // (An item of the catalogue that only a forgotten user had is in no part any more.)
  for (std::size_t item = split.catalogue; item < items; ++item)
    if (validated[item] + tested[item] == 0)
      return broken("every item outside the catalogue occurs in a part");
  return Done{};
}

std::size_t Split::users_without_training() const { return empty_rows(train); }
std::size_t Split::users_without_test() const { return empty_rows(test); }

}  // namespace sotto::data
