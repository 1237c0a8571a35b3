#include "privacy/audit/direction_match.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sotto::privacy {

namespace {

constexpr std::size_t tried = 3;  // followers a step
constexpr double widest = 0.03;   // of sin²; a random item comes so near once in 10^12

double dot(const std::vector<float>& a, const float* b, std::size_t factors) {
  double sum = 0.0;
  for (std::size_t k = 0; k < factors; ++k) sum += double{a[k]} * double{b[k]};
  return sum;
}

// The followers whose direction is nearest.
std::vector<const SeenStep*> nearest(const SeenStep& step, std::span<const SeenStep> later,
                                     std::size_t factors) {
  std::vector<std::pair<double, const SeenStep*>> found;
  for (const SeenStep& other : later) {
    if (&other == &step) continue;
    const double length = std::sqrt(dot(other.pull, other.pull.data(), factors));
    const double off = -dot(step.pull, other.pull.data(), factors) / length;
    if (length > 0.0 && std::isfinite(off)) found.emplace_back(off, &other);
  }
  const std::size_t kept = std::min(tried, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end());
  std::vector<const SeenStep*> followers;
  for (std::size_t n = 0; n < kept; ++n) followers.push_back(found[n].second);
  return followers;
}

// What is left of a follower's pull beside the step's own direction, and how unsure that is.
struct Turn {
  std::vector<float> rest;
  double length = 0.0;
  double doubt = 1.0;  // of sin²
};

Turn turn_of(const SeenStep& step, const SeenStep& follower, double step_square, double sd,
             std::size_t factors) {
  Turn turn{std::vector<float>(step.pull.size(), 0.0f)};
  const double along = dot(step.pull, follower.pull.data(), factors) / step_square;
  for (std::size_t k = 0; k < factors; ++k)
    turn.rest[k] = static_cast<float>(double{follower.pull[k]} - along * double{step.pull[k]});
  turn.length = std::sqrt(dot(turn.rest, turn.rest.data(), factors));
  if (turn.length <= 0.0) return turn;
  const double relative = 3.0 * sd * (1.0 + std::abs(along)) / turn.length;
  turn.doubt = relative * relative * static_cast<double>(factors) + 1e-7;
  return turn;
}

struct Search {
  const RowMatrix& shared;
  std::size_t factors;
  std::span<const float> squares;
};

// The one item whose q_i − q_j explains the turn, or the catalogue's size.
std::size_t explained(const Search& search, const SeenStep& step, double step_square,
                      std::span<const float> along_step, std::span<const float> along_own, const Turn& turn) {
  const std::size_t items = search.shared.rows();
  const double rest_own = dot(turn.rest, search.shared.row(step.item), search.factors);
  std::array<double, 2> least{2.0, 2.0};
  std::size_t best = items;
  for (std::size_t item = 0; item < items; ++item) {
    if (item == step.item) continue;
    const double side =
        double{dot_rows(turn.rest.data(), search.shared.row(item), search.shared.stride())} - rest_own;
    if (side <= 0.0) continue;
    const double length =
        double{search.squares[item]} + double{search.squares[step.item]} - 2.0 * double{along_own[item]};
    const double along = double{along_step[item]} - double{along_step[step.item]};
    const double across = length - along * along / step_square;
    if (across <= 0.0) continue;
    const double sine = 1.0 - side * side / (across * turn.length * turn.length);
    if (sine < least[0]) {
      least = {sine, least[0]};
      best = item;
    } else {
      least[1] = std::min(least[1], sine);
    }
  }
  return least[0] < turn.doubt && least[1] > 4.0 * std::max(turn.doubt, least[0]) ? best : items;
}

}  // namespace

std::vector<SeenStep> steps_of(const Reading& reading, std::size_t stride) {
  std::vector<SeenStep> ahead, behind;
  std::vector<float> guide;
  double longest = 0.0;
  for (std::size_t n = 0; n < reading.size(); ++n) {
    double square = 0.0;
    for (const double value : reading.pull(n)) square += value * value;
    if (square <= longest) continue;
    longest = square;
    guide.assign(reading.pull(n).begin(), reading.pull(n).end());
  }
  for (std::size_t n = 0; n < reading.size() && longest > 0.0; ++n) {
    SeenStep step{reading.item(n), std::vector<float>(stride, 0.0f)};
    for (std::size_t k = 0; k < reading.factors(); ++k) step.pull[k] = static_cast<float>(reading.pull(n)[k]);
    (dot(guide, step.pull.data(), reading.factors()) >= 0.0 ? ahead : behind).push_back(std::move(step));
  }
  std::vector<SeenStep> steps = std::move(behind.size() > ahead.size() ? behind : ahead);
  // Negative rows pull against p.
  for (SeenStep& step : steps)
    for (float& value : step.pull) value = -value;
  return steps;
}

void add_direction_votes(const RowMatrix& shared, std::size_t factors, std::span<const float> squares,
                         double sd, std::span<const SeenStep> earlier, std::span<const SeenStep> later,
                         std::span<float> votes) {
  const Search search{shared, factors, squares};
  std::vector<float> along_step(shared.rows()), along_own(shared.rows()), own(shared.stride(), 0.0f);
  for (const SeenStep& step : earlier) {
    const double step_square = dot(step.pull, step.pull.data(), factors);
    if (step_square <= 0.0) continue;
    bool looked = false;
    for (const SeenStep* follower : nearest(step, later, factors)) {
      const Turn turn = turn_of(step, *follower, step_square, sd, factors);
      if (turn.doubt > widest) continue;
      if (!looked) {
        std::copy_n(shared.row(step.item), factors, own.begin());
        for (std::size_t item = 0; item < shared.rows(); ++item) {
          along_step[item] = dot_rows(step.pull.data(), shared.row(item), shared.stride());
          along_own[item] = dot_rows(own.data(), shared.row(item), shared.stride());
        }
        looked = true;
      }
      const std::size_t item = explained(search, step, step_square, along_step, along_own, turn);
      if (item < shared.rows()) votes[item] += 1.0f;
    }
  }
}

}  // namespace sotto::privacy
