#include "sim/poisoner.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/assert.h"
#include "base/rng.h"
#include "privacy/contribution_edit.h"

namespace sotto::sim {

namespace {

double length_of(std::span<const double> row) {
  return std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
}

void scale_to(std::vector<double>& row, double length) {
  const double now = length_of(row);
  if (now > 0.0)
    for (double& value : row) value *= length / now;
}

}  // namespace

Result<PoisonAttack> parse_attack(const std::string& text) {
  for (const PoisonAttack attack : all_attacks)
    if (text == to_string(attack)) return attack;
  return fail(Code::usage,
              fmt::format("unknown attack '{}': choose boost, pieck-ipe, pieck-uea, random or all", text));
}

const char* to_string(PoisonAttack attack) {
  switch (attack) {
    case PoisonAttack::boost:
      return "boost";
    case PoisonAttack::pieck_ipe:
      return "pieck-ipe";
    case PoisonAttack::pieck_uea:
      return "pieck-uea";
    case PoisonAttack::random:
      break;
  }
  return "random";
}

std::vector<UserIndex> draw_malicious(std::span<const UserIndex> users, double share, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, UserIndex>> drawn;
  for (const UserIndex user : users)
    drawn.emplace_back(Stream(seed, Purpose::draw_malicious, 0, user.value).next_u64(), user);
  std::sort(drawn.begin(), drawn.end());
  drawn.resize(static_cast<std::size_t>(std::llround(share * static_cast<double>(users.size()))));
  std::vector<UserIndex> malicious;
  for (const auto& [draw, user] : drawn) malicious.push_back(user);
  std::sort(malicious.begin(), malicious.end());
  return malicious;
}

bool Poisoner::is_malicious(UserIndex user) const {
  return std::binary_search(options_.malicious.begin(), options_.malicious.end(), user);
}

Status Poisoner::begin(const RoundPlace& place) {
  watches_ = std::any_of(place.cohort.begin(), place.cohort.end(),
                         [this](UserIndex user) { return is_malicious(user); });
  if (watches_) {
    SOTTO_ASSERT(place.shared != nullptr, "an attack on a model needs one");
    watch(*place.shared);
    if (options_.attack == PoisonAttack::pieck_ipe) message_ = imitation(*place.shared);
    if (options_.attack == PoisonAttack::pieck_uea) message_ = approximation(*place.shared);
    if (options_.attack == PoisonAttack::boost) {
      message_.assign(place.shared->width(), 0.0);
      message_.back() = options_.strength;
    }
  }
  return next_.begin(place);
}

Status Poisoner::accept(UserIndex user, Contribution& contribution) {
  if (is_malicious(user)) {
    contribution.clear();
    put(options_.attack == PoisonAttack::random ? made_up_person(user, contribution.width()) : message_,
        contribution);
  }
  return next_.accept(user, contribution);
}

void Poisoner::watch(const RowMatrix& shared) {
  moved_.resize(shared.rows(), 0.0);
  for (std::size_t row = 0; row < seen_.rows(); ++row) {
    double squares = 0.0;
    for (std::size_t k = 0; k < shared.width(); ++k) {
      const double step = double{shared.row(row)[k]} - double{seen_.row(row)[k]};
      squares += step * step;
    }
    moved_[row] += std::sqrt(squares);
  }
  seen_ = shared;
}

std::vector<std::uint32_t> Poisoner::popular_rows() const {
  std::vector<std::uint32_t> rows(moved_.size());
  std::iota(rows.begin(), rows.end(), 0u);
  std::erase(rows, options_.target.value);
  const std::size_t count = std::min<std::size_t>(options_.popular, rows.size());
  const auto before = [this](std::uint32_t a, std::uint32_t b) {
    return moved_[a] != moved_[b] ? moved_[a] > moved_[b] : a < b;
  };
  std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end(), before);
  rows.resize(count);
  return rows;
}

// All devices together carry the target there in one round.
Poisoner::Row Poisoner::imitation(const RowMatrix& shared) const {
  Row wanted(shared.width(), 0.0);
  double longest = 0.0;
  for (const std::uint32_t row : popular_rows()) {
    const Row values(shared.values(row).begin(), shared.values(row).end());
    for (std::size_t k = 0; k < values.size(); ++k) wanted[k] += values[k];
    longest = std::max(longest, length_of(values));
  }
  scale_to(wanted, longest * options_.reach);
  const double share =
      1.0 / (double{options_.learning_rate} * static_cast<double>(options_.malicious.size()));
  const std::span target = shared.values(options_.target.value);
  for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] = (wanted[k] - double{target[k]}) * share;
  return wanted;
}

// The slope of Σ ln σ(score) over stand-ins for people; a person's row is [vector, 1].
Poisoner::Row Poisoner::approximation(const RowMatrix& shared) const {
  const std::size_t factors = shared.width() - 1;
  const std::span target = shared.values(options_.target.value);
  Row slope(shared.width(), 0.0);
  for (const std::uint32_t row : popular_rows()) {
    const std::span person = shared.values(row).first(factors);
    const double score =
        std::inner_product(person.begin(), person.end(), target.begin(), double{target[factors]});
    const double pull = 1.0 / (1.0 + std::exp(score));
    for (std::size_t k = 0; k < factors; ++k) slope[k] += pull * double{person[k]};
    slope[factors] += pull;
  }
  scale_to(slope, options_.strength);
  return slope;
}

// The same person in every round, with a vector about as long as people's are.
Poisoner::Row Poisoner::made_up_person(UserIndex user, std::size_t width) const {
  constexpr double deviation = 0.3;
  Stream draws(options_.seed, Purpose::fake_person, 0, user.value);
  Row row(width, 1.0);
  for (std::size_t k = 0; k + 1 < width; ++k) row[k] = deviation * draws.normal();
  scale_to(row, options_.strength);
  return row;
}

void Poisoner::put(const Row& row, Contribution& contribution) const {
  SOTTO_ASSERT(row.size() == contribution.width(), "the attack knows the model it attacks");
  ContributionEdit edit(contribution);
  edit.fill(options_.target.value, options_.target.value + 1);
  constexpr auto limit = static_cast<double>(fixed_limit);
  const auto scale = static_cast<double>(options_.fixed.scale());
  for (std::size_t k = 0; k < row.size(); ++k)
    edit.values(0)[k] = static_cast<std::int32_t>(std::clamp(row[k] * scale, -limit, limit));
}

}  // namespace sotto::sim
