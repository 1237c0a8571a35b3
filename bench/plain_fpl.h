// FPL as one would write it down from the paper: the obvious loop, for comparison. Floats, a map for
// the sums, binary search for the negatives, the standard library's random numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "data/histories.h"
#include "fed/plan.h"

namespace sotto::bench {

class PlainFpl {
 public:
  PlainFpl(const Histories& histories, std::size_t catalogue, const Plan& plan, const Schedule& schedule)
      : histories_(histories), catalogue_(catalogue), plan_(plan), schedule_(schedule), random_(plan.seed) {
    std::normal_distribution<float> start(0.0f, plan.fpl.init_sd);
    const auto rows = [&](std::size_t count) {
      std::vector<std::vector<float>> made(count, std::vector<float>(plan.fpl.factors + 1));
      for (auto& row : made)
        for (float& value : row) value = start(random_);
      return made;
    };
    items_ = rows(catalogue);
    users_ = rows(histories.users());
  }

  // Returns the number of triples.
  std::uint64_t run_round() {
    std::map<std::uint32_t, std::vector<float>> sums;
    std::uint64_t triples = 0;
    for (std::uint32_t n = 0; n < schedule_.cohort; ++n) {
      const bool all = schedule_.cohort == histories_.users();
      const auto user = all ? n : static_cast<std::uint32_t>(random_() % histories_.users());
      for (std::uint32_t t = 0; t < schedule_.triples; ++t, ++triples) step(user, sums);
    }
    for (const auto& [item, sum] : sums)
      for (std::size_t k = 0; k < sum.size(); ++k) items_[item][k] += plan_.fpl.learning_rate * sum[k];
    return triples;
  }

 private:
  void step(std::uint32_t user, std::map<std::uint32_t, std::vector<float>>& sums) {
    const FplOptions& o = plan_.fpl;
    const auto history = histories_.of(UserIndex{user});
    const ItemIndex i = history[random_() % history.size()];
    ItemIndex j{static_cast<std::uint32_t>(random_() % catalogue_)};
    while (histories_.contains(UserIndex{user}, j))
      j.value = static_cast<std::uint32_t>(random_() % catalogue_);
    std::vector<float>& p = users_[user];
    const std::vector<float>& qi = items_[i.value];
    const std::vector<float>& qj = items_[j.value];
    float x = qi[o.factors] - qj[o.factors];
    for (std::uint32_t k = 0; k < o.factors; ++k) x += p[k] * (qi[k] - qj[k]);
    const float d = 1.0f / (1.0f + std::exp(x));
    auto& up = sums.try_emplace(i.value, o.factors + 1, 0.0f).first->second;
    auto& down = sums.try_emplace(j.value, o.factors + 1, 0.0f).first->second;
    const bool disclosed = std::bernoulli_distribution(plan_.consent.pi)(random_);
    for (std::uint32_t k = 0; k < o.factors; ++k) {
      if (disclosed) up[k] += d * p[k] - o.positive_reg * qi[k];
      down[k] += -d * p[k] - o.negative_reg * qj[k];
      p[k] += o.learning_rate * (d * (qi[k] - qj[k]) - o.user_reg * p[k]);
    }
    if (disclosed) up[o.factors] += d;
    down[o.factors] -= d;
  }

  const Histories& histories_;
  std::size_t catalogue_;
  Plan plan_;
  Schedule schedule_;
  std::mt19937_64 random_;
  std::vector<std::vector<float>> items_;
  std::vector<std::vector<float>> users_;
};

}  // namespace sotto::bench
