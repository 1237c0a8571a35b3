// A tiny FPL federation, written plainly in doubles, whose messages the audit's tests attack.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "base/rng.h"
#include "data/ids.h"
#include "privacy/audit/transcript.h"

namespace sotto::privacy::audit_test {

struct SmallOptions {
  std::uint32_t users = 24, items = 300, factors = 8, triples = 25, history = 20;
  double pi = 0.0;  // redrawn
  double noise_sd = 0.0;
  std::uint64_t seed = 7;
};

class SmallFederation {
 public:
  explicit SmallFederation(const SmallOptions& options)
      : options_(options),
        draws_(options.seed, Purpose::generate_world),
        shared_(options.items, options.factors + 1) {
    for (std::size_t item = 0; item < options.items; ++item)
      for (float& value : shared_.values(item)) value = static_cast<float>(0.4 * draws_.normal());
    for (std::uint32_t user = 0; user < options.users; ++user) {
      std::vector<double> own(options.factors);
      for (double& value : own) value = 0.4 * draws_.normal();
      vectors_.push_back(own);
      std::vector<ItemIndex> history;
      while (history.size() < options.history) {
        const ItemIndex item{draws_.below(options.items)};
        if (std::find(history.begin(), history.end(), item) == history.end()) history.push_back(item);
      }
      std::sort(history.begin(), history.end());
      histories_.push_back(history);
    }
  }

  [[nodiscard]] TranscriptHead head() const {
    TranscriptHead head;
    head.users = options_.users;
    head.catalogue = options_.items;
    head.width = options_.factors + 1;
    head.learning_rate = 0.05f;
    head.user_reg = head.positive_reg = 0.0025f;
    head.negative_reg = 0.00025f;
    head.noise_sd = static_cast<float>(options_.noise_sd);
    head.split = "small";
    return head;
  }
  [[nodiscard]] const std::vector<ItemIndex>& history(std::uint32_t user) const { return histories_[user]; }

  // Everybody's messages of the next round, under their names.
  [[nodiscard]] SeenRound play() {
    SeenRound round;
    round.round = round_++;
    round.shared = shared_;
    for (std::uint32_t user = 0; user < options_.users; ++user) round.messages.push_back(visit(user));
    for (const SeenMessage& message : round.messages)
      for (std::size_t n = 0; n < message.rows.size(); ++n)
        for (std::size_t k = 0; k <= options_.factors; ++k)
          shared_.row(message.rows[n])[k] += static_cast<float>(
              0.05 * static_cast<double>(message.values[n * (options_.factors + 1) + k]) * head().unit());
    return round;
  }

 private:
  using Update = std::map<std::uint32_t, std::vector<double>>;

  [[nodiscard]] SeenMessage visit(std::uint32_t user) {
    Update update;
    for (std::uint32_t t = 0; t < options_.triples; ++t) step(user, update);
    SeenMessage message;
    message.members = {user};
    for (const auto& [item, values] : update) {
      message.rows.push_back(item);
      for (const double value : values)
        message.values.push_back(std::llround((value + options_.noise_sd * noise()) / head().unit()));
    }
    return message;
  }
  [[nodiscard]] double noise() { return options_.noise_sd > 0.0 ? draws_.normal() : 0.0; }

  void step(std::uint32_t user, Update& update) {
    const std::vector<ItemIndex>& history = histories_[user];
    const std::uint32_t i = history[draws_.below(static_cast<std::uint32_t>(history.size()))].value;
    std::uint32_t j = draws_.below(options_.items);
    while (std::binary_search(history.begin(), history.end(), ItemIndex{j})) j = draws_.below(options_.items);
    std::vector<double>& p = vectors_[user];
    const std::size_t factors = options_.factors;
    const float* qi = shared_.row(i);
    const float* qj = shared_.row(j);
    double x = double{qi[factors]} - double{qj[factors]};
    for (std::size_t k = 0; k < factors; ++k) x += p[k] * (double{qi[k]} - double{qj[k]});
    const double d = 1.0 / (1.0 + std::exp(x));
    const auto add = [&](std::uint32_t item, double sign, double reg, const float* q) {
      std::vector<double>& row = update.try_emplace(item, factors + 1, 0.0).first->second;
      for (std::size_t k = 0; k < factors; ++k) row[k] += sign * d * p[k] - reg * double{q[k]};
      row[factors] += sign * d;
    };
    add(j, -1.0, double{head().negative_reg}, qj);
    if (draws_.chance(options_.pi)) add(i, 1.0, double{head().positive_reg}, qi);
    for (std::size_t k = 0; k < factors; ++k)
      p[k] += 0.05 * (d * (double{qi[k]} - double{qj[k]}) - double{head().user_reg} * p[k]);
  }

  SmallOptions options_;
  Stream draws_;
  RowMatrix shared_;
  std::vector<std::vector<double>> vectors_;
  std::vector<std::vector<ItemIndex>> histories_;
  std::uint32_t round_ = 0;
};

// The sums of the round's messages over groups of people in their order, `size` in each.
inline SeenRound grouped(const SeenRound& round, std::size_t size, std::size_t width) {
  SeenRound sums;
  sums.round = round.round;
  sums.shared = round.shared;
  for (std::size_t first = 0; first < round.messages.size(); first += size) {
    std::map<std::uint32_t, std::vector<std::int64_t>> sum;
    SeenMessage group;
    for (std::size_t n = first; n < std::min(first + size, round.messages.size()); ++n) {
      const SeenMessage& message = round.messages[n];
      group.members.push_back(message.members.front());
      for (std::size_t row = 0; row < message.rows.size(); ++row) {
        auto& values = sum.try_emplace(message.rows[row], width, 0).first->second;
        for (std::size_t k = 0; k < width; ++k) values[k] += message.values[row * width + k];
      }
    }
    for (const auto& [item, values] : sum) {
      group.rows.push_back(item);
      group.values.insert(group.values.end(), values.begin(), values.end());
    }
    sums.messages.push_back(std::move(group));
  }
  return sums;
}

}  // namespace sotto::privacy::audit_test
