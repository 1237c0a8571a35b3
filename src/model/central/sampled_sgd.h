// What the central models share that go over the interactions in random order and draw negative items one by
// one (WARP, logistic MF): jobs that share no row (bpr_blocks.h), a stream of draws for each, epochs.
//
// Law: the model after n epochs depends on options and data alone, not on threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "base/rng.h"
#include "data/membership.h"
#include "model/central/bpr_blocks.h"

namespace sotto::model {

// Items of a job's set that a user does not have, drawn uniformly.
class NegativeDraws {
 public:
  NegativeDraws(const BprJob& job, const Membership& consumed, std::uint64_t seed, std::uint32_t epoch)
      : job_(job), consumed_(consumed), draws_(seed, Purpose::sampled_negatives, epoch, job.number) {}

  // None where many tries in a row met what the user has: nearly all of the set.
  [[nodiscard]] std::optional<ItemIndex> next(UserIndex user) {
    constexpr int most_tries = 64;
    for (int tries = 0; tries < most_tries; ++tries) {
      const ItemIndex item = job_.items[draws_.below(static_cast<std::uint32_t>(job_.items.size()))];
      if (!consumed_.contains(user, item)) return item;
    }
    return std::nullopt;
  }

 private:
  const BprJob& job_;
  const Membership& consumed_;
  Stream draws_;
};

struct SampledEpoch {
  std::uint64_t steps = 0;
  std::int64_t loss_units = 0;  // of 2^-20
  bool finite = true;

  void add(double loss) {
    ++steps;
    finite &= loss < 1e9;  // false for what is not a number
    if (finite) loss_units += static_cast<std::int64_t>(loss * 0x1.0p20);
  }
};

[[nodiscard]] Status check_sampled(std::uint32_t factors, float rate, float lambda, float init_sd);
[[nodiscard]] Status check_sampled_data(const char* model, const Histories& train, std::size_t catalogue);
[[nodiscard]] Error sampled_diverged(const char* model, std::uint32_t epoch);

// Calls step(interaction, draws, done) for every interaction of the epoch, jobs in parallel.
template <class Step>
SampledEpoch run_sampled_epoch(BprBlocks& blocks, const Membership& consumed, std::uint64_t seed,
                               std::uint32_t epoch, Executor& executor, const Step& step) {
  blocks.cut(epoch, executor);
  std::vector<SampledEpoch> done(blocks.blocks());
  for (std::uint32_t part = 0; part < blocks.blocks(); ++part)
    executor.run(blocks.blocks(), [&](std::size_t a) {
      const BprJob job = blocks.job(part, static_cast<std::uint32_t>(a));
      NegativeDraws draws(job, consumed, seed, epoch);
      const std::size_t size = job.interactions.size();
      for (std::size_t n = 0; n < size; ++n) step(job.interactions[(job.start + n) % size], draws, done[a]);
    });
  SampledEpoch total;
  for (const SampledEpoch& part : done) {
    total.steps += part.steps;
    total.loss_units += part.loss_units;
    total.finite &= part.finite;
  }
  return total;
}

}  // namespace sotto::model
