// Plan: everything that decides what a federation computes. The same plan, data and seed give the
// same model, bit for bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/fixed_point.h"
#include "base/result.h"
#include "model/fpl.h"
#include "privacy/consent.h"

namespace sotto::fed {

// How many rounds make an epoch. X⁺ is the number of training interactions.
enum class RoundsPerEpoch : std::uint8_t {
  steps,      // cohort · T · rounds = X⁺ (thesis 4.5.2): as many triples as one epoch of central BPR
  exchanges,  // cohort · rounds = X⁺ (SEBD'21, the authors' code): T times the work
};
[[nodiscard]] Result<RoundsPerEpoch> parse_rounds_per_epoch(const std::string& text);
[[nodiscard]] const char* to_string(RoundsPerEpoch rule);

// How the shared model goes down to the devices; the server keeps it in full (fed/wire/published_model.h).
enum class ModelPrecision : std::uint8_t { f32, f16, i8 };
[[nodiscard]] Result<ModelPrecision> parse_model_precision(const std::string& text);
[[nodiscard]] const char* to_string(ModelPrecision precision);

inline constexpr int least_update_bits = 8;
inline constexpr int most_update_bits = 22;  // one update is held within ±2^25 units: with these that is ±8

struct Plan {
  std::uint64_t seed = 1;
  FplOptions fpl;
  ConsentPolicy consent;
  // Share of the users in a round: 1 is everybody, 0 is exactly one user.
  double cohort = 1.0;
  // Triples a visit, T; none is the mean history, ⌊X⁺ / users⌋.
  std::optional<std::uint32_t> triples;
  RoundsPerEpoch rounds_per_epoch = RoundsPerEpoch::steps;
  std::uint32_t epochs = 20;
  FixedPoint fixed;
  ModelPrecision down = ModelPrecision::f32;
};

[[nodiscard]] Status check(const Plan& plan);

// The papers' four configurations: sfpl, sfpl+, pfpl, pfpl+. Sets cohort and triples.
[[nodiscard]] Status set_variant(Plan& plan, const std::string& name);
// A number, or "mean".
[[nodiscard]] Status set_triples(Plan& plan, const std::string& text);
// The name of the configuration, or "custom".
[[nodiscard]] std::string variant_of(const Plan& plan);

// The plan's shape on given data.
struct Schedule {
  std::uint32_t cohort = 0;
  std::uint32_t triples = 0;
  std::uint32_t rounds_per_epoch = 0;
  std::uint64_t rounds = 0;

  // The papers' communication cost of an epoch, in item vectors: rpe·|U⁻|·(|I| + T(1+π)).
  [[nodiscard]] double vectors_per_epoch(std::size_t catalogue, double pi) const {
    return static_cast<double>(rounds_per_epoch) * cohort *
           (static_cast<double>(catalogue) + triples * (1.0 + pi));
  }
};
[[nodiscard]] Result<Schedule> schedule_for(const Plan& plan, std::size_t eligible_users,
                                            std::size_t interactions);
// Of models that answer with their whole history: an epoch asks as many users as there are.
[[nodiscard]] Result<Schedule> history_schedule_for(const Plan& plan, std::size_t users);

}  // namespace sotto::fed
