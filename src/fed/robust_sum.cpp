#include "fed/robust_sum.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/assert.h"
#include "base/rng.h"

namespace sotto::fed {

namespace {

constexpr std::uint32_t most_groups = 4096;

// How many groups a trimmed mean leaves out at each end.
std::size_t trimmed_groups(double trim, std::size_t groups) {
  return static_cast<std::size_t>(trim * static_cast<double>(groups));
}

// To the nearest, halves away from zero.
std::int64_t scaled(std::int64_t sum, std::size_t by, std::size_t over) {
  const auto divisor = static_cast<__int128>(over);
  const __int128 product = static_cast<__int128>(sum) * static_cast<__int128>(by);
  const __int128 half = product < 0 ? -(divisor / 2) : divisor / 2;
  return static_cast<std::int64_t>((product + half) / divisor);
}

Status check_length(const char* name, const std::optional<double>& length) {
  if (!length || (*length > 0.0 && *length <= 1e6)) return Done{};
  return fail(Code::usage,
              fmt::format("{} is {}, but it must be a length above 0, at most 1000000", name, *length));
}

}  // namespace

Result<Across> parse_across(const std::string& text) {
  const std::string trimmed = "trimmed:";
  if (text == "mean") return Across{AcrossKind::mean};
  if (text == "median") return Across{AcrossKind::median};
  if (text.starts_with(trimmed)) {
    Across across{AcrossKind::trimmed};
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + trimmed.size(), last, across.trim);
    if (error == std::errc() && end == last && across.trim >= 0.0 && across.trim < 0.5) return across;
  }
  return fail(Code::usage,
              fmt::format("unknown rule across groups '{}': choose mean, median or trimmed:SHARE "
                          "with a share from 0 to below 0.5, such as trimmed:0.2",
                          text));
}

std::string to_string(const Across& across) {
  if (across.kind == AcrossKind::mean) return "mean";
  if (across.kind == AcrossKind::median) return "median";
  return fmt::format("trimmed:{}", across.trim);
}

Status check(const RobustOptions& options) {
  SOTTO_TRY_DONE(check_length("the robust row clip", options.row_clip));
  SOTTO_TRY_DONE(check_length("the robust clip", options.clip));
  const std::uint32_t groups = options.groups.value_or(1);
  if (groups == 0 || groups > most_groups)
    return fail(Code::usage, fmt::format("groups is {}, but it must be from 1 to {}", groups, most_groups));
  const Across across = options.across.value_or(Across{});
  if (across.kind != AcrossKind::mean && groups < 3)
    return fail(Code::usage, fmt::format("a {} across groups needs at least 3 of them: add --groups N",
                                         to_string(across)));
  if (across.kind == AcrossKind::trimmed && trimmed_groups(across.trim, groups) == 0)
    return fail(Code::usage,
                fmt::format("{} of {} groups leaves none out: raise the share or --groups (their product "
                            "must reach 1), or say --across mean",
                            to_string(across), groups));
  return Done{};
}

std::int64_t combined(const Across& across, std::span<std::int64_t> values) {
  const std::size_t groups = values.size();
  if (across.kind == AcrossKind::mean) return std::accumulate(values.begin(), values.end(), std::int64_t{0});
  std::sort(values.begin(), values.end());
  if (across.kind == AcrossKind::median) {
    const std::int64_t two_middles = values[(groups - 1) / 2] + values[groups / 2];
    return scaled(two_middles, groups, 2);
  }
  const std::size_t cut = trimmed_groups(across.trim, groups);
  const auto kept = values.subspan(cut, groups - 2 * cut);
  return scaled(std::accumulate(kept.begin(), kept.end(), std::int64_t{0}), groups, kept.size());
}

std::uint32_t least_contributors(std::uint32_t malicious, double expected) {
  return malicious + static_cast<std::uint32_t>(std::ceil(expected + 4.0 * std::sqrt(expected)));
}

RobustSum::RobustSum(SumShape shape, const RobustOptions& options, FixedPoint fixed, std::uint64_t seed,
                     const MakeSum& make_sum)
    : shape_(shape),
      across_(options.across.value_or(Across{})),
      least_(std::max(options.min_contributors.value_or(1), 1u)),
      seed_(seed),
      space_(shape.rows, shape.width),
      members_(options.groups.value_or(1)) {
  const auto scale = static_cast<double>(fixed.scale());
  if (options.row_clip) limits_.row = *options.row_clip * scale;
  if (options.clip) limits_.whole = *options.clip * scale;
  for (std::size_t group = 0; group < members_.size(); ++group) sums_.push_back(make_sum(group));
  group_total_.resize(across_.kind == AcrossKind::mean ? 1 : members_.size());
}

// A draw a user; in their order, equal shares.
void RobustSum::draw_groups(const RoundPlace& place) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t n = 0; n < cohort_.size(); ++n)
    order.emplace_back(Stream(seed_, Purpose::robust_groups, place.round, cohort_[n].value).next_u64(), n);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : cohort_[a.second] < cohort_[b.second];
  });
  group_of_.resize(cohort_.size());
  for (std::size_t n = 0; n < order.size(); ++n)
    group_of_[order[n].second] = static_cast<std::uint32_t>(n % members_.size());
  for (auto& members : members_) members.clear();
  for (std::size_t n = 0; n < cohort_.size(); ++n) members_[group_of_[n]].push_back(cohort_[n]);
}

Status RobustSum::begin(const RoundPlace& place) {
  if (place.cohort.size() < members_.size())
    return fail(Code::usage, fmt::format("a round has {} devices, too few for {} groups: lower --groups or "
                                         "raise --cohort",
                                         place.cohort.size(), members_.size()));
  cohort_.assign(place.cohort.begin(), place.cohort.end());
  draw_groups(place);
  next_ = 0;
  contributors_.assign(shape_.rows, 0);
  for (auto& total : group_total_) total.assign(shape_.rows * shape_.width, 0);
  for (std::size_t group = 0; group < sums_.size(); ++group)
    SOTTO_TRY_DONE(sums_[group]->begin({place.round, members_[group], place.shared}));
  return Done{};
}

void RobustSum::count(const Contribution& contribution) {
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    const std::uint32_t row = contribution.row(n);
    const bool repeats = n > 0 && contribution.row(n - 1) == row;
    const std::span values(contribution.values(n), contribution.width());
    const bool speaks = std::any_of(values.begin(), values.end(), [](std::int32_t v) { return v != 0; });
    if (row < shape_.rows && speaks && !repeats) ++contributors_[row];
  }
}

Status RobustSum::accept(UserIndex user, Contribution& contribution) {
  SOTTO_ASSERT(next_ < cohort_.size() && cohort_[next_] == user, "the cohort comes in its order, each once");
  ContributionEdit(contribution).clip(limits_);
  count(contribution);
  return sums_[group_of_[next_++]]->accept(user, contribution);
}

Result<Traffic> RobustSum::finish_group(std::size_t group) {
  Aggregator sum(space_);
  SOTTO_TRY(const Traffic traffic, sums_[group]->finish(sum));
  std::vector<std::int64_t>& total = group_total_[across_.kind == AcrossKind::mean ? 0 : group];
  std::move(sum).release([&](std::uint32_t row, const auto* values) {
    for (std::size_t k = 0; k < shape_.width; ++k) total[row * shape_.width + k] += values[k];
  });
  return traffic;
}

Result<Traffic> RobustSum::finish(Aggregator& total) {
  SOTTO_ASSERT(next_ == cohort_.size(), "a round ends when all its devices have come");
  Traffic traffic;
  for (std::size_t group = 0; group < sums_.size(); ++group) {
    SOTTO_TRY(const Traffic more, finish_group(group));
    traffic.up += more.up;
    traffic.down += more.down;
    traffic.devices += more.devices;
  }
  std::vector<std::int64_t> values(group_total_.size()), row_total(shape_.width);
  for (std::size_t row = 0; row < shape_.rows; ++row) {
    if (contributors_[row] < least_) continue;
    for (std::size_t k = 0; k < shape_.width; ++k) {
      for (std::size_t n = 0; n < values.size(); ++n) values[n] = group_total_[n][row * shape_.width + k];
      row_total[k] = combined(across_, values);
    }
    total.add_total(static_cast<std::uint32_t>(row), row_total.data());
  }
  return traffic;
}

}  // namespace sotto::fed
