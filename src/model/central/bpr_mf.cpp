#include "model/central/bpr_mf.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "base/pair_kernels.h"
#include "base/rng.h"
#include "model/central/block_schedule.h"

namespace sotto::model {

namespace {

bool is_rate(float value) { return std::isfinite(value) && value >= 0.0f; }

void start_row(Stream stream, float sd, std::size_t count, float* row) {
  for (std::size_t k = 0; k < count; ++k) row[k] = sd * static_cast<float>(stream.normal());
}

// So many times an epoch every user range meets every item set, each time for a part of their interactions: a
// long stay with one set would pull a user to and fro.
constexpr std::uint32_t turns = 8;

constexpr std::size_t visits_worth_a_copy = 16;

void for_ranges(Executor& executor, std::size_t count, const std::function<void(std::size_t)>& work) {
  const std::size_t shards = executor.threads();
  executor.run(shards, [&](std::size_t shard) {
    for (std::size_t n = count * shard / shards; n < count * (shard + 1) / shards; ++n) work(n);
  });
}

Error diverged(std::uint32_t epoch) {
  return fail(Code::diverged, "BPR-MF diverged in epoch " + std::to_string(epoch + 1) +
                                  ": its numbers left the finite range; take a smaller learning rate");
}

Status check_rates(const BprMfOptions& options) {
  if (!is_rate(options.learning_rate) || options.learning_rate == 0.0f)
    return fail(Code::usage, "the learning rate must be a number above 0");
  for (const auto& reg : {options.user_reg, options.positive_reg, options.negative_reg})
    if (reg && !is_rate(*reg))
      return fail(Code::usage, "a regularisation must be a number that is 0 or larger");
  return Done{};
}

Status check_data(const Histories& train, std::size_t catalogue) {
  if (train.interactions() == 0 || catalogue < 2)
    return fail(Code::bad_input,
                "BPR-MF has nothing to compare: the training part needs interactions and at least two items");
  if (train.interactions() > std::numeric_limits<std::uint32_t>::max())
    return fail(Code::bad_input, "BPR-MF takes at most 4,294,967,295 interactions; sample the training part");
  return Done{};
}

}  // namespace

Status check(const BprMfOptions& options) {
  if (options.factors == 0 || options.factors > 4096)
    return fail(Code::usage, "the number of factors must be from 1 to 4096");
  if (!is_rate(options.init_sd)) return fail(Code::usage, "init_sd must be a number that is 0 or larger");
  return check_rates(options);
}

Result<std::unique_ptr<BprMf>> BprMf::start(const Histories& train, std::size_t catalogue,
                                            const BprMfOptions& options) {
  SOTTO_TRY_DONE(check(options));
  SOTTO_TRY_DONE(check_data(train, catalogue));
  RowMatrix users(train.users(), options.factors + 1), items(catalogue, options.factors + 1);
  for (std::uint32_t user = 0; user < train.users(); ++user) {
    start_row(Stream(options.seed, Purpose::init_private, 0, user), options.init_sd, options.factors,
              users.row(user));
    users.row(user)[options.factors] = 1.0f;
  }
  for (std::uint32_t item = 0; item < catalogue; ++item)
    start_row(Stream(options.seed, Purpose::init_shared, 0, item), options.init_sd, options.factors + 1,
              items.row(item));
  return std::unique_ptr<BprMf>(new BprMf(train, catalogue, options, std::move(users), std::move(items)));
}

Result<std::unique_ptr<BprMf>> BprMf::start_at(const Histories& train, std::size_t catalogue,
                                               BprMfOptions options, RowMatrix users, RowMatrix items) {
  SOTTO_ASSERT(users.rows() == train.users() && items.rows() == catalogue && users.width() == items.width() &&
                   items.width() > 1,
               "the rows fit the data");
  SOTTO_TRY_DONE(check_rates(options));
  SOTTO_TRY_DONE(check_data(train, catalogue));
  options.factors = static_cast<std::uint32_t>(items.width() - 1);
  return std::unique_ptr<BprMf>(new BprMf(train, catalogue, options, std::move(users), std::move(items)));
}

BprMf::BprMf(const Histories& train, std::size_t catalogue, const BprMfOptions& options, RowMatrix users,
             RowMatrix items)
    : options_(options),
      consumed_(train, catalogue),
      blocks_(train, catalogue, options.blocks, options.seed),
      users_(std::move(users)),
      items_(std::move(items)) {}

// The processor fetches what follows the rows it reads: rows of other sets, which another core is at work on,
// unless each set's rows lie together. Copying pays where every row is visited many times.
void BprMf::deal_rows(Executor& executor) {
  const auto items = blocks_.dealt();
  place_.clear();
  if (executor.threads() == 1 || blocks_.interactions() < visits_worth_a_copy * items.size()) return;
  if (dealt_.rows() == 0) dealt_ = RowMatrix(items_.rows(), items_.width());
  place_.resize(items.size());
  for (std::uint32_t n = 0; n < items.size(); ++n) place_[items[n].value] = n;
  for_ranges(executor, items.size(),
             [&](std::size_t n) { std::copy_n(items_.row(items[n].value), items_.stride(), dealt_.row(n)); });
}

void BprMf::gather_rows(Executor& executor) {
  for_ranges(executor, place_.size(), [&](std::size_t item) {
    std::copy_n(dealt_.row(place_[item]), items_.stride(), items_.row(item));
  });
}

inline float* BprMf::item_row(ItemIndex item) {
  return place_.empty() ? items_.row(item.value) : dealt_.row(place_[item.value]);
}

void BprMf::prefetch(const BprTriple& triple) {
  // Of long rows the beginning: the processor sees by itself how they go on, and all of them would not fit.
  const std::size_t floats = std::min<std::size_t>(items_.stride(), 16 * row_lanes);
  for (std::size_t k = 0; k < floats; k += row_lanes) {
    __builtin_prefetch(users_.row(triple.user.value) + k, 1);
    __builtin_prefetch(item_row(triple.positive) + k, 1);
    __builtin_prefetch(item_row(triple.negative) + k, 1);
  }
}

bool BprMf::run_job(const BprJob& job, std::uint32_t turn, Epoch& done) {
  const float rate = options_.learning_rate;
  const kernels::PairRates rates{.fixed_scale = 1.0f,
                                 .learning_rate = rate,
                                 .user_reg = options_.user_reg.value_or(rate / 20.0f),
                                 .positive_reg = options_.positive_reg.value_or(rate / 20.0f),
                                 .negative_reg = options_.negative_reg.value_or(rate / 200.0f),
                                 .stride = items_.stride(),
                                 .bias = options_.factors};
  // Triples wait here between their draw and their step, so that the memory has time to bring their rows.
  BprTriple waiting[2 * BprBlocks::most_draws];
  std::size_t count = 0;
  kernels::RowStep steps[kernels::most_steps];
  const std::size_t batches = (job.interactions.size() + BprBlocks::most_draws - 1) / BprBlocks::most_draws;
  const std::size_t last = batches * (turn + 1) / turns;
  for (std::size_t batch = batches * turn / turns; batch < last || count > 0;) {
    for (; batch < last && count < 2 * kernels::most_steps; ++batch)
      count += blocks_.draw(job, static_cast<std::uint32_t>(batch * BprBlocks::most_draws), consumed_,
                            waiting + count);
    const std::size_t now = std::min(kernels::most_steps, count);
    for (std::size_t n = now; n < std::min(2 * now, count); ++n) prefetch(waiting[n]);
    for (std::size_t n = 0; n < now; ++n)
      steps[n] = {.own = users_.row(waiting[n].user.value),
                  .positive = item_row(waiting[n].positive),
                  .negative = item_row(waiting[n].negative),
                  .send_positive = true};
    const kernels::PairTotals totals = kernels::central_steps({steps, now}, rates);
    if (!totals.finite) [[unlikely]]
      return false;
    done.loss_units += totals.loss_units;
    done.steps += now;
    count -= now;
    std::copy_n(waiting + now, count, waiting);
  }
  return true;
}

// Each thread goes round its own ranges of users, whose rows stay in its cache, and helps others where none
// of its own can go on.
Result<BprMf::Epoch> BprMf::run_epoch(std::uint32_t epoch, Executor& executor) {
  blocks_.cut(epoch, executor);
  deal_rows(executor);
  const std::uint32_t ranges = blocks_.blocks();
  const std::size_t threads = std::min<std::size_t>(executor.threads(), ranges);
  BlockSchedule board(ranges, turns * ranges);
  std::atomic<bool> finite{true};
  std::vector<Epoch> done(threads);
  executor.run(threads, [&](std::size_t thread) {
    const auto first = static_cast<std::uint32_t>(ranges * thread / threads);
    const auto end = static_cast<std::uint32_t>(ranges * (thread + 1) / threads);
    Epoch mine;
    for (std::uint32_t next = first; !board.all_over();) {
      const auto stay = board.take(next);
      if (!stay) {
        executor.give_way();
        continue;
      }
      const BprJob job = blocks_.job(stay->number % ranges, stay->range);
      if (!run_job(job, stay->number / ranges, mine)) finite = false;
      board.finish(*stay);
      next = stay->range + 1 >= first && stay->range + 1 < end ? stay->range + 1 : first;
    }
    done[thread] = mine;
  });
  gather_rows(executor);
  if (!finite) return diverged(epoch);
  Epoch total;
  for (const Epoch& part : done) total.steps += part.steps, total.loss_units += part.loss_units;
  return total;
}

void BprMf::restore(RowMatrix users, RowMatrix items) {
  users_ = std::move(users);
  items_ = std::move(items);
}

std::unique_ptr<MfRecommender> BprMf::view() const {
  return std::make_unique<MfRecommender>(&users_, &items_, options_.fold_in);
}

}  // namespace sotto::model
