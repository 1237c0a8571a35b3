#include "privacy/audit/attack.h"

#include <algorithm>

#include "base/assert.h"

namespace sotto::privacy {

namespace {

// A visit of so many rows is matched within itself; a shorter one with the next visit.
constexpr std::size_t long_visit = 8;
// What an older vector counts beside the newest: people move, noise averages out.
constexpr double kept_taste = 0.5;

}  // namespace

Attack::Attack(const TranscriptHead& head, std::vector<UserIndex> targets, const AttackLimits& limits)
    : head_(head),
      targets_(std::move(targets)),
      place_(head.users, 0),
      limits_(limits),
      states_(targets_.size()),
      total_bias_(head.catalogue, 0.0) {
  for (std::size_t n = 0; n < targets_.size(); ++n) {
    place_[targets_[n].value] = static_cast<std::uint32_t>(n + 1);
    State& state = states_[n];
    for (auto* numbers : {&state.bias, &state.negatives, &state.votes, &state.directions})
      numbers->assign(head.catalogue, 0.0f);
    state.own.assign(head.catalogue, 0);
    state.taste.assign(head.factors(), 0.0);
  }
}

void Attack::follow(const SeenRound& round, const Reading& reading, State& state) {
  if (state.messages >= limits_.two_round_rounds || !reading.of_one()) return;
  std::vector<SeenStep> steps = steps_of(reading, round.shared.stride());
  if (steps.size() >= long_visit) {
    add_direction_votes(round.shared, head_.factors(), squares_, reading.sd(), steps, steps,
                        state.directions);
  } else if (seen_a_round_ && state.messages > 0 && state.last_round == last_round_) {
    add_direction_votes(last_shared_, head_.factors(), last_squares_, reading.sd(), state.last_steps, steps,
                        state.directions);
  }
  state.last_steps = std::move(steps);
  state.last_round = round.round;
}

void Attack::absorb(const SeenRound& round, const SeenMessage& message, MatchRoom& room) {
  const Reading reading(head_, round.shared, message);
  const std::vector<double> taste = reading.taste();
  std::vector<float> votes;
  if (limits_.match) {
    votes.assign(head_.catalogue, 0.0f);
    const std::size_t rows = reading.of_one() ? reading.size() : limits_.rows_of_a_sum;
    add_score_votes(head_, round.shared, squares_, reading, std::max<std::size_t>(rows, 1), room, votes);
  }
  for (const std::uint32_t member : message.members) {
    if (place_[member] == 0) continue;
    State& state = states_[place_[member] - 1];
    for (std::size_t n = 0; n < reading.size(); ++n) {
      const auto bias = static_cast<float>(reading.bias(n));
      state.bias[reading.item(n)] += bias;
      if (bias < 0.0f) state.negatives[reading.item(n)] += reading.of_one() ? 1.0f : -bias;
      if (reading.of_one() && bias > 0.0f) state.own[reading.item(n)] = 1;
    }
    for (std::size_t item = 0; item < votes.size(); ++item) state.votes[item] += votes[item];
    const double kept = state.messages == 0 ? 0.0 : kept_taste;
    for (std::size_t k = 0; k < taste.size(); ++k)
      state.taste[k] += (1.0 - kept) * (taste[k] - state.taste[k]);
    follow(round, reading, state);
    ++state.messages;
  }
}

void Attack::observe(const SeenRound& round, Executor& executor) {
  SOTTO_ASSERT(round.shared.rows() == head_.catalogue && round.shared.width() == head_.width,
               "rounds have the head's shape");
  squares_ = squared_lengths(round.shared, head_.factors());
  std::vector<const SeenMessage*> told;
  for (const SeenMessage& message : round.messages) {
    const double people = static_cast<double>(std::max<std::size_t>(message.members.size(), 1));
    for (std::size_t n = 0; n < message.rows.size(); ++n)
      total_bias_[message.rows[n]] +=
          static_cast<double>(message.values[(n + 1) * head_.width - 1]) * head_.unit() / people;
    ++messages_;
    if (std::any_of(message.members.begin(), message.members.end(),
                    [&](auto user) { return place_[user] != 0; }))
      told.push_back(&message);
  }
  // Nobody is in two messages of a round, so shards do not meet.
  const std::size_t shards = std::clamp<std::size_t>(told.size(), 1, executor.threads() * 4);
  executor.run(shards, [&](std::size_t shard) {
    MatchRoom room;
    for (std::size_t n = told.size() * shard / shards; n < told.size() * (shard + 1) / shards; ++n)
      absorb(round, *told[n], room);
  });
  last_shared_ = round.shared;
  last_squares_ = squares_;
  last_round_ = round.round;
  seen_a_round_ = true;
}

std::vector<float> Attack::by_taste(const State& state) const {
  std::vector<float> scores(head_.catalogue, 0.0f);
  if (!seen_a_round_) return scores;
  std::vector<float> query(last_shared_.stride(), 0.0f);
  for (std::size_t k = 0; k < state.taste.size(); ++k) query[k] = static_cast<float>(state.taste[k]);
  query[head_.factors()] = 1.0f;
  for (std::size_t item = 0; item < scores.size(); ++item)
    scores[item] = dot_rows(query.data(), last_shared_.row(item), last_shared_.stride());
  return scores;
}

std::vector<float> Attack::by_difference(const State& state) const {
  std::vector<float> scores(head_.catalogue, 0.0f);
  const double with = state.messages;
  const double without = static_cast<double>(messages_) - with;
  if (with == 0.0 || without == 0.0) return scores;
  for (std::size_t item = 0; item < scores.size(); ++item) {
    const double held = double{state.bias[item]};
    scores[item] = static_cast<float>(held / with - (total_bias_[item] - held) / without);
  }
  return scores;
}

std::vector<float> Attack::evidence(Attacker attacker, std::size_t target) const {
  const State& state = states_[target];
  switch (attacker) {
    case Attacker::bias_sum:
      return state.bias;
    case Attacker::absence: {
      std::vector<float> scores(state.negatives);
      for (float& score : scores) score = -score;
      return scores;
    }
    case Attacker::match:
      return state.votes;
    case Attacker::two_round:
      return state.directions;
    case Attacker::taste:
      return by_taste(state);
    case Attacker::difference:
      return by_difference(state);
    default:
      break;
  }
  SOTTO_ASSERT(false, "only those who read items have evidence here");
  return {};
}

}  // namespace sotto::privacy
