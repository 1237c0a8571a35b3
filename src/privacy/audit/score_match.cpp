#include "privacy/audit/score_match.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sotto::privacy {

namespace {

// Scores are computed in floats here and on the device.
constexpr double float_variance = 2.5e-13;
// How often a row is no single triple (an item drawn twice), spread over the catalogue's scores.
constexpr double background_share = 0.015;
constexpr double far = 6.0;  // standard deviations

// How uncertain the score of a row's partner is: `square`·(|q_i|² + |q_j|²) + `plain`.
struct Doubt {
  double square;
  double plain;
};

struct Sender {
  std::vector<double> taste;  // over the whole message
  double variance;            // of each of its numbers: noise, and how far it moves within a visit
};

// The partner's score for one row, written into `query` as [p, 1] to be scored against; and its doubt.
Doubt aim(const Reading& reading, std::size_t n, const Sender& sender, std::span<float> query) {
  const double d = -reading.bias(n);
  const double sd = reading.sd();
  const double own = sd * sd / (d * d);
  const bool exact = own <= sender.variance;
  for (std::size_t k = 0; k < reading.factors(); ++k)
    query[k] = static_cast<float>(exact ? -reading.pull(n)[k] / d : sender.taste[k]);
  query[reading.factors()] = 1.0f;
  const double slope = 1.0 / (d * (1.0 - d)) + (exact ? std::abs(std::log((1.0 - d) / d)) / d : 0.0);
  return {exact ? own : sender.variance, slope * slope * sd * sd + float_variance};
}

void vote(const RowMatrix& shared, std::span<const float> squares, std::uint32_t negative, double d,
          const Doubt& doubt, MatchRoom& room, std::span<float> votes) {
  for (std::size_t item = 0; item < shared.rows(); ++item)
    room.scores[item] = dot_rows(room.query.data(), shared.row(item), shared.stride());
  const double target = double{room.scores[negative]} + std::log((1.0 - d) / d);
  double total = background_share * static_cast<double>(shared.rows());
  room.likely.clear();
  for (std::uint32_t item = 0; item < shared.rows(); ++item) {
    const double off = double{room.scores[item]} - target;
    const double variance = doubt.square * double{squares[item] + squares[negative]} + doubt.plain;
    if (off * off > far * far * variance || item == negative) continue;
    const double likelihood =
        std::exp(-off * off / (2.0 * variance)) / std::sqrt(2.0 * std::numbers::pi * variance);
    room.likely.emplace_back(item, likelihood);
    total += likelihood;
  }
  for (const auto& [item, likelihood] : room.likely) votes[item] += static_cast<float>(likelihood / total);
}

}  // namespace

std::vector<float> squared_lengths(const RowMatrix& shared, std::size_t factors) {
  std::vector<float> squares(shared.rows(), 0.0f);
  for (std::size_t item = 0; item < shared.rows(); ++item)
    for (std::size_t k = 0; k < factors; ++k) squares[item] += shared.row(item)[k] * shared.row(item)[k];
  return squares;
}

void add_score_votes(const TranscriptHead& head, const RowMatrix& shared, std::span<const float> squares,
                     const Reading& reading, std::size_t most_rows, MatchRoom& room, std::span<float> votes) {
  if (reading.size() == 0) return;
  room.query.assign(shared.stride(), 0.0f);
  room.scores.resize(shared.rows());
  // A visit moves p by about α/2·|q_i − q_j| a step, in all directions.
  const double steps = static_cast<double>(reading.size());
  const double drift = 0.02 * double{head.learning_rate} * double{head.learning_rate} * steps;
  const Sender sender{reading.taste(),
                      reading.sd() * reading.sd() / std::max(reading.weight(), 1e-30) + drift};
  const std::size_t stride = (reading.size() + most_rows - 1) / most_rows;
  for (std::size_t n = 0; n < reading.size(); n += stride) {
    const double bias = reading.bias(n);
    const double unsure = 2.0 * reading.sd();
    if (bias > unsure) votes[reading.item(n)] += reading.of_one() ? 1.0f : static_cast<float>(bias);
    if (bias >= -std::max(unsure, 1e-4) || bias <= -1.0 + 1e-6) continue;
    const Doubt doubt = aim(reading, n, sender, room.query);
    vote(shared, squares, reading.item(n), -bias, doubt, room, votes);
  }
}

}  // namespace sotto::privacy
