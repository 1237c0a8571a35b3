#include "model/factor_rows.h"

#include "base/rng.h"

namespace sotto::model {

namespace {

RowMatrix start_rows(std::size_t count, std::uint32_t factors, float sd, std::uint64_t seed,
                     Purpose purpose) {
  RowMatrix rows(count, std::size_t{factors} + 1);
  for (std::uint32_t row = 0; row < count; ++row) {
    Stream draws(seed, purpose, 0, row);
    for (float& value : rows.values(row).first(factors)) value = sd * static_cast<float>(draws.normal());
  }
  return rows;
}

}  // namespace

RowMatrix start_user_rows(std::size_t users, std::uint32_t factors, float sd, std::uint64_t seed) {
  RowMatrix rows = start_rows(users, factors, sd, seed, Purpose::init_private);
  for (std::size_t user = 0; user < users; ++user) rows.row(user)[factors] = 1.0f;
  return rows;
}

RowMatrix start_item_rows(std::size_t items, std::uint32_t factors, float sd, std::uint64_t seed) {
  return start_rows(items, factors, sd, seed, Purpose::init_shared);
}

}  // namespace sotto::model
