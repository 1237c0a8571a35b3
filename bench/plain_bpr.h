// Central BPR-MF as one would write it down from the paper: the obvious loop, for comparison.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "data/histories.h"
#include "model/central/bpr_mf.h"

namespace sotto::bench {

class PlainBpr {
 public:
  PlainBpr(const Histories& train, std::size_t catalogue, const BprMfOptions& options)
      : train_(train), catalogue_(catalogue), options_(options), random_(options.seed) {
    std::normal_distribution<float> start(0.0f, options.init_sd);
    const auto rows = [&](std::size_t count) {
      std::vector<std::vector<float>> made(count, std::vector<float>(options.factors + 1));
      for (auto& row : made)
        for (float& value : row) value = start(random_);
      return made;
    };
    users_ = rows(train.users());
    items_ = rows(catalogue);
    for (std::uint32_t user = 0; user < train.users(); ++user)
      owners_.insert(owners_.end(), train.of(UserIndex{user}).size(), user);
  }

  void step() {
    const std::size_t pick = random_() % owners_.size();
    const std::uint32_t user = owners_[pick];
    ItemIndex negative{static_cast<std::uint32_t>(random_() % catalogue_)};
    while (train_.contains(UserIndex{user}, negative))
      negative.value = static_cast<std::uint32_t>(random_() % catalogue_);
    const std::size_t factors = options_.factors;
    const float rate = options_.learning_rate;
    std::vector<float>& p = users_[user];
    std::vector<float>& i = items_[train_.items()[pick].value];
    std::vector<float>& j = items_[negative.value];
    float x = i[factors] - j[factors];
    for (std::size_t k = 0; k < factors; ++k) x += p[k] * (i[k] - j[k]);
    const float d = 1.0f / (1.0f + std::exp(x));
    for (std::size_t k = 0; k < factors; ++k) {
      const float old = p[k];
      p[k] += rate * (d * (i[k] - j[k]) - rate / 20.0f * p[k]);
      i[k] += rate * (d * old - rate / 20.0f * i[k]);
      j[k] += rate * (-d * old - rate / 200.0f * j[k]);
    }
    i[factors] += rate * d;
    j[factors] -= rate * d;
  }

 private:
  const Histories& train_;
  std::size_t catalogue_;
  BprMfOptions options_;
  std::mt19937_64 random_;
  std::vector<std::uint32_t> owners_;
  std::vector<std::vector<float>> users_;
  std::vector<std::vector<float>> items_;
};

}  // namespace sotto::bench
