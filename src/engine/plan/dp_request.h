// DpRequest: the differential privacy a training run shall have. What is not given is the method's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/layers.h"

namespace sotto::engine {

struct DpRequest {
  std::string place;              // central, distributed or local; empty: none
  std::string kind;               // gaussian or laplace; empty: gaussian
  std::optional<double> epsilon;  // to be spent in all; the noise follows, unless it is given too
  std::optional<double> noise;    // multiples of the clip
  std::optional<double> delta;
  std::optional<double> clip;          // most length of a contribution: √Σ v², with Laplace noise Σ |v|
  std::optional<double> row_clip;      // most length of one of its rows
  std::optional<double> survivors;     // distributed: the share of devices that will stay at least
  std::optional<std::uint32_t> items;  // fedease: the most popular ones that pairs are released of
  std::optional<double> popularity_share;  // fedease: of the budget, to find those
  std::optional<float> half_life;          // fedease: newer items count more in the pairs
  std::vector<float> lambdas;              // fedease: candidates for a choice that is paid for
  std::optional<double> choice_epsilon;    // what that may cost
  std::string budget;          // a file that is charged too; it belongs to the run, not to its plan
  std::uint64_t releases = 0;  // how many the run plans (with_noise)
  std::string drawn_for;  // what the noise is drawn for: settings, data and terms by content (with_noise)

  [[nodiscard]] bool asked() const { return !place.empty(); }
  [[nodiscard]] bool laplace() const { return kind == "laplace"; }
  [[nodiscard]] bool chooses() const { return !lambdas.empty(); }
  // Of a choice: unless given, a tenth of all that may be spent.
  [[nodiscard]] double choice_cost() const { return choice_epsilon.value_or(epsilon.value_or(0.0) / 10.0); }
};

struct ChosenSetting {
  float lambda = 0.0f;
  double epsilon = 0.0;  // without δ; it is in what was spent
};

// What a run has spent, for its results.
struct PrivacySpent {
  double epsilon = 0.0;
  double delta = 0.0;
  double noise = 0.0;               // on the sum, in multiples of the clip
  std::optional<double> pure = {};  // Laplace: the ε that holds without any δ
  std::optional<ChosenSetting> choice = {};
};

}  // namespace sotto::engine
