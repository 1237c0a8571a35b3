#include "fed/secure/recorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/assert.h"
#include "base/rng.h"
#include "fed/secure/round_draw.h"

namespace sotto::fed {

namespace {

Status check_size(std::size_t devices, std::size_t needed, std::uint32_t round, const char* where,
                  const char* remedy) {
  if (devices >= needed) return Done{};
  return fail(
      Code::bad_input,
      fmt::format("round {} refused: {} {} in {}, fewer than the {} that a secure sum needs; {}", round + 1,
                  devices, devices == 1 ? "device is" : "devices are", where, needed, remedy));
}

}  // namespace

Result<DealtSums> deal_sums(const RecorderOptions& options, std::uint32_t round, std::size_t devices) {
  SOTTO_TRY_DONE(check_size(devices, std::max(options.group, options.least), round, "it",
                            "enlarge the cohort or ask for fewer"));
  const RoundDraw draw = draw_round({.seed = options.seed,
                                     .group = options.group,
                                     .silent = options.silent,
                                     .same_groups = options.keep_groups},
                                    round, devices);
  const std::uint32_t needed = options.silent > 0.0 ? std::max(options.least, 2u) : options.least;
  DealtSums sums;
  for (std::size_t n = 0; n < draw.groups; ++n) {
    std::vector<std::size_t> staying;
    for (const std::uint32_t place : draw.group(n))
      if (in_the_sum(draw.fates[place])) staying.push_back(place);
    SOTTO_TRY_DONE(options.group == 0
                       ? check_size(staying.size(), needed, round, "it",
                                    "enlarge the cohort, ask for fewer or let fewer fall silent")
                       : check_size(staying.size(), needed, round, "a group of it",
                                    "enlarge the groups or let fewer fall silent"));
    std::sort(staying.begin(), staying.end());
    sums.push_back(std::move(staying));
  }
  return sums;
}

Recorder::Recorder(Collector& inner, SumShape shape, const RecorderOptions& options, Keep keep)
    : inner_(inner),
      shape_(shape),
      options_(options),
      keep_(std::move(keep)),
      space_(shape.rows, shape.width) {}

Status Recorder::begin(const RoundPlace& place) {
  SOTTO_ASSERT(place.shared != nullptr, "a recorded round has a model");
  if (options_.view == View::secure) {
    SOTTO_TRY(dealt_, deal_sums(options_, place.round, place.cohort.size()));
  }
  round_.round = place.round;
  round_.shared = *place.shared;
  round_.messages.clear();
  cohort_.assign(place.cohort.begin(), place.cohort.end());
  held_.clear();
  return options_.view == View::secure ? Status(Done{}) : inner_.begin(place);
}

SeenMessage Recorder::drawn_message(UserIndex user, std::size_t rows) const {
  Stream draws(options_.seed, Purpose::audit_null, round_.round, user.value);
  std::map<std::uint32_t, std::vector<std::int64_t>> made;
  const double scale = static_cast<double>(1 << 20);
  while (made.size() < std::min(rows, shape_.rows)) {
    std::vector<std::int64_t> values;
    for (std::size_t k = 0; k + 1 < shape_.width; ++k)
      values.push_back(static_cast<std::int64_t>(0.3 * scale * draws.normal()));
    values.push_back(-static_cast<std::int64_t>(scale * draws.uniform()));
    made.emplace(draws.below(static_cast<std::uint32_t>(shape_.rows)), std::move(values));
  }
  SeenMessage message;
  for (const auto& [row, values] : made) {
    message.rows.push_back(row);
    message.values.insert(message.values.end(), values.begin(), values.end());
  }
  return message;
}

SeenMessage Recorder::seen(UserIndex user, const Contribution& contribution) {
  SeenMessage message;
  if (options_.random_messages) {
    // As long as somebody else's: how much a person sends is about them too.
    const std::size_t rows = std::exchange(last_rows_, contribution.size());
    message = drawn_message(user, rows != 0 ? rows : contribution.size());
  } else {
    for (std::size_t n = 0; n < contribution.size(); ++n) {
      const std::int32_t* values = contribution.values(n);
      if (!message.rows.empty() && message.rows.back() == contribution.row(n)) {
        for (std::size_t k = 0; k < shape_.width; ++k)
          message.values[message.values.size() - shape_.width + k] += values[k];
        continue;
      }
      message.rows.push_back(contribution.row(n));
      message.values.insert(message.values.end(), values, values + shape_.width);
    }
  }
  if (met_.size() <= user.value) met_.resize(user.value + 1, 0);
  if (options_.view == View::plain || met_[user.value] == 0) message.members = {user.value};
  met_[user.value] = 1;
  return message;
}

Status Recorder::accept(UserIndex user, Contribution& contribution) {
  if (options_.view == View::secure) {
    held_.push_back(contribution);
    return Done{};
  }
  round_.messages.push_back(seen(user, contribution));
  return inner_.accept(user, contribution);
}

Result<SeenMessage> Recorder::sum_of(const std::vector<std::size_t>& group, Traffic& traffic) {
  std::vector<UserIndex> members;
  for (const std::size_t n : group) members.push_back(cohort_[n]);
  SOTTO_TRY_DONE(inner_.begin({.round = round_.round, .cohort = members, .shared = &round_.shared}));
  for (const std::size_t n : group) SOTTO_TRY_DONE(inner_.accept(cohort_[n], held_[n]));
  Aggregator sum(space_);
  SOTTO_TRY(const Traffic used, inner_.finish(sum));
  traffic.up += used.up;
  traffic.down += used.down;
  traffic.devices += used.devices;
  std::map<std::uint32_t, std::vector<std::int64_t>> rows;
  std::move(sum).release([&](std::uint32_t row, const auto* values) {
    rows.emplace(row, std::vector<std::int64_t>(values, values + shape_.width));
  });
  SeenMessage message;
  for (const UserIndex member : members) message.members.push_back(member.value);
  for (const auto& [row, values] : rows) {
    message.rows.push_back(row);
    message.values.insert(message.values.end(), values.begin(), values.end());
  }
  return message;
}

void Recorder::shuffle() {
  // Fisher and Yates: the stream decides, not the library.
  Stream draws(options_.seed, Purpose::audit_groups, round_.round);
  std::vector<SeenMessage>& messages = round_.messages;
  for (std::size_t n = messages.size(); n > 1; --n)
    std::swap(messages[n - 1], messages[draws.below(static_cast<std::uint32_t>(n))]);
}

Result<Traffic> Recorder::finish(Aggregator& total) {
  if (options_.view != View::secure) {
    if (options_.view == View::shuffled) shuffle();
    SOTTO_TRY_DONE(keep_(round_));
    return inner_.finish(total);
  }
  SOTTO_ASSERT(held_.size() == cohort_.size(), "every device of the cohort has been heard");
  Traffic traffic;
  for (const auto& group : dealt_) {
    SOTTO_TRY(SeenMessage message, sum_of(group, traffic));
    round_.messages.push_back(std::move(message));
  }
  const std::vector<SeenMessage> sums = round_.messages;
  SOTTO_TRY_DONE(keep_(round_));
  for (const SeenMessage& sum : sums)
    for (std::size_t n = 0; n < sum.rows.size(); ++n)
      total.add_total(sum.rows[n], sum.values.data() + n * shape_.width);
  return traffic;
}

}  // namespace sotto::fed
