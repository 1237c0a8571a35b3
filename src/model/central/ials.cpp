#include "model/central/ials.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sotto::model {

namespace {

// Rows in a shard: enough to pay for a solver, few enough to share the work evenly.
constexpr std::size_t least_rows_a_shard = 16;
constexpr std::size_t shards_a_thread = 16;

}  // namespace

Result<std::unique_ptr<Ials>> Ials::start(const Histories& train, std::size_t catalogue,
                                          const AlsOptions& options) {
  SOTTO_TRY_DONE(check(options));
  if (train.interactions() == 0)
    return fail(Code::bad_input, "iALS has nothing to learn from: the training part is empty");
  return std::unique_ptr<Ials>(new Ials(train, catalogue, options));
}

Ials::Ials(const Histories& train, std::size_t catalogue, const AlsOptions& options)
    : options_(options),
      train_(train),
      audiences_(train, catalogue),
      users_(train.users(), std::size_t{options.factors} + 1),
      items_(start_items(options, catalogue)) {
  for (std::uint32_t user = 0; user < train.users(); ++user) {
    start_user(options.factors, users_.row(user));
    people_ += train.of(UserIndex{user}).empty() ? 0 : 1;
  }
}

template <class Chosen>
bool Ials::solve_all(const FactorSide& other, std::size_t all, const Chosen& chosen, RowMatrix& rows,
                     Executor& executor, std::int64_t& loss_units) const {
  const std::size_t shards =
      std::clamp<std::size_t>(rows.rows() / least_rows_a_shard, 1, executor.threads() * shards_a_thread);
  std::vector<std::int64_t> losses(shards, 0);
  std::vector<std::uint8_t> solved(shards, 1);  // each shard writes its own
  executor.run(shards, [&](std::size_t shard) {
    AlsSolver solver(options_);
    for (std::size_t row = rows.rows() * shard / shards; row < rows.rows() * (shard + 1) / shards; ++row) {
      const auto outcome = solver.solve(other, chosen(static_cast<std::uint32_t>(row)), all, rows.row(row));
      if (!outcome.solved) return void(solved[shard] = 0);
      losses[shard] += loss_units_of(outcome.loss);
    }
  });
  for (const std::int64_t loss : losses) loss_units += loss;
  return std::find(solved.begin(), solved.end(), 0) == solved.end();
}

bool Ials::solve_users(Executor& executor, std::int64_t& loss_units) {
  const auto history = [&](std::uint32_t user) { return train_.of(UserIndex{user}); };
  return solve_all(FactorSide(items_, executor), items_.rows(), history, users_, executor, loss_units);
}

Result<Ials::Epoch> Ials::run_epoch(std::uint32_t epoch, Executor& executor) {
  std::int64_t unused = 0;
  Epoch done{.steps = train_.interactions()};
  const auto audience = [&](std::uint32_t item) { return audiences_.of(ItemIndex{item}); };
  if ((epoch == 0 && !solve_users(executor, unused)) ||
      !solve_all(FactorSide(users_, executor), people_, audience, items_, executor, unused) ||
      !solve_users(executor, done.loss_units))
    return no_solution("iALS", epoch);
  return done;
}

void Ials::restore(RowMatrix users, RowMatrix items) {
  users_ = std::move(users);
  items_ = std::move(items);
}

}  // namespace sotto::model
