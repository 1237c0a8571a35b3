#include "data/forget_user.h"

#include <fmt/format.h>

#include "data/context_schema.h"
#include "data/split_parts.h"
#include "data/split_records.h"

namespace sotto::data {

namespace {

constexpr std::string_view place_name = "forgotten-";

Histories without_row(const Histories& histories, UserIndex user) {
  const std::uint64_t begin = histories.offsets()[user.value], end = histories.offsets()[user.value + 1];
  const auto kept = [&](const auto& values) {
    std::vector<std::remove_cvref_t<decltype(values[0])>> rest(values.begin(), values.end());
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(begin),
               rest.begin() + static_cast<std::ptrdiff_t>(end));
    return rest;
  };
  std::vector<std::uint64_t> offsets(histories.offsets().begin(), histories.offsets().end());
  for (std::size_t n = user.value + 1; n < offsets.size(); ++n) offsets[n] -= end - begin;
  std::vector<std::uint16_t> ages;
  if (histories.has_ages()) ages = kept(histories.ages());
  return {std::move(offsets), kept(histories.items()), std::move(ages)};
}

}  // namespace

Split without_user(const Split& split, UserIndex user) {
  Split rest = split;
  std::string place;
  for (std::size_t n = 1; place.empty() || split.users.find(place); ++n)
    place = fmt::format("{}{}", place_name, n);
  rest.users = IdTable();
  for (std::uint32_t n = 0; n < split.users.size(); ++n)
    rest.users.intern(n == user.value ? std::string_view(place) : split.users.name(n));
  rest.train = without_row(split.train, user);
  rest.validation = without_row(split.validation, user);
  rest.test = without_row(split.test, user);
  if (split.records)
    rest.records = std::make_shared<const Records>(without_records_of(*split.records, split, user));
  if (split.contexts)
    rest.contexts = std::make_shared<const Contexts>(without_contexts_of(*split.contexts, split, user));
  rest.hash = hash_of(rest);
  return rest;
}

bool has_forgotten(const Split& split) {
  for (std::uint32_t user = 0; user < split.users.size(); ++user) {
    const bool empty = split.train.of({user}).empty() && split.validation.of({user}).empty() &&
                       split.test.of({user}).empty();
    if (empty && split.users.name(user).starts_with(place_name)) return true;
  }
  return false;
}

}  // namespace sotto::data
