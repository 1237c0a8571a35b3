#include "engine/train/tail_average.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace sotto::engine {

TailAverage::TailAverage(std::unique_ptr<FactorTraining> inner, std::uint32_t epochs)
    : inner_(std::move(inner)), epochs_(epochs), sum_(inner_->items().rows(), inner_->items().width()) {
  SOTTO_ASSERT(epochs > 0, "a mean is of something");
}

Result<RoundReport> TailAverage::advance(std::uint32_t rounds) {
  const std::uint32_t an_epoch = schedule().rounds_per_epoch;
  RoundReport report;
  while (rounds > 0) {
    const std::uint32_t now = std::min(rounds, an_epoch - round() % an_epoch);
    SOTTO_TRY(const RoundReport part, inner_->advance(now));
    report.add(part);
    rounds -= now;
    if (round() % an_epoch == 0) add_epoch();
  }
  return report;
}

void TailAverage::add_epoch() {
  const std::uint64_t left = schedule().rounds - round();
  if (left >= std::uint64_t{epochs_} * schedule().rounds_per_epoch) return;
  for (std::size_t row = 0; row < sum_.rows(); ++row) {
    const float* from = inner_->items().row(row);
    float* into = sum_.row(row);
    for (std::size_t k = 0; k < sum_.width(); ++k) into[k] += from[k];
  }
}

std::vector<RowMatrix> TailAverage::moments() const {
  std::vector<RowMatrix> all = inner_->moments();
  all.push_back(sum_);
  return all;
}

void TailAverage::restore(std::uint32_t round, Parameters parameters) {
  SOTTO_ASSERT(!parameters.layers.empty(), "the sum comes last");
  sum_ = std::move(parameters.layers.back());
  parameters.layers.pop_back();
  inner_->restore(round, std::move(parameters));
}

Parameters TailAverage::take() {
  Parameters parameters = inner_->take();
  const float share = 1.0f / static_cast<float>(epochs_);
  for (std::size_t row = 0; row < sum_.rows(); ++row)
    for (std::size_t k = 0; k < sum_.width(); ++k) parameters.items.row(row)[k] = sum_.row(row)[k] * share;
  return parameters;
}

}  // namespace sotto::engine
