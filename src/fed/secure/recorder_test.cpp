#include "fed/secure/recorder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "fed/secure/round_draw.h"
#include "fed/secure/secure_collector.h"

namespace sotto::fed::recorder_test {

constexpr SumShape shape{.rows = 9, .width = 2};
using Sums = std::map<std::uint32_t, std::vector<std::int64_t>>;

Contribution contribution_of(const std::vector<std::pair<std::uint32_t, std::int32_t>>& rows) {
  Contribution contribution(shape.width);
  ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, UserIndex{0}), {}, contribution);
  for (const auto& [row, value] : rows) {
    std::int32_t* out = pipeline.open(Evidence::positive, row);
    out[0] = value, out[1] = -2 * value;
  }
  contribution.make_canonical();
  return contribution;
}

// Device n sends 10 + n in row n % 9, and 1 in row 8.
Contribution of_device(std::uint32_t n) {
  return contribution_of({{n % 8, static_cast<std::int32_t>(10 + n)}, {8, 1}});
}

std::vector<UserIndex> people(std::uint32_t count) {
  std::vector<UserIndex> all;
  for (std::uint32_t n = 0; n < count; ++n) all.push_back({n});
  return all;
}

Result<Sums> play(Collector& collector, std::uint32_t round, std::uint32_t devices, const RowMatrix& shared) {
  const std::vector<UserIndex> cohort = people(devices);
  SOTTO_TRY_DONE(collector.begin({round, cohort, &shared}));
  for (const UserIndex user : cohort) {
    Contribution contribution = of_device(user.value);
    SOTTO_TRY_DONE(collector.accept(user, contribution));
  }
  SumSpace space(shape.rows, shape.width);
  Aggregator total(space);
  SOTTO_TRY(const Traffic traffic, collector.finish(total));
  static_cast<void>(traffic);
  Sums sums;
  std::move(total).release([&](std::uint32_t row, const auto* values) {
    sums[row] = {std::int64_t{values[0]}, std::int64_t{values[1]}};
  });
  return sums;
}

struct Recorded {
  std::vector<SeenRound> rounds;
  std::vector<Sums> sums;
};

Recorded recorded(const RecorderOptions& options, std::uint32_t devices, std::uint32_t rounds) {
  PlainCollector plain(shape);
  Recorded made;
  Recorder recorder(plain, shape, options, [&](SeenRound& round) {
    made.rounds.push_back(round);
    return Status(Done{});
  });
  const RowMatrix shared(shape.rows, shape.width);
  for (std::uint32_t round = 0; round < rounds; ++round)
    made.sums.push_back(play(recorder, round, devices, shared).value());
  return made;
}

// What the same devices sum to without a recorder.
Sums plain_sums(std::uint32_t devices) {
  PlainCollector plain(shape);
  return play(plain, 0, devices, RowMatrix(shape.rows, shape.width)).value();
}

TEST(Recorder, PlainWritesDownEveryMessageUnderItsName) {
  const Recorded made = recorded({}, 12, 1);
  ASSERT_EQ(made.rounds[0].messages.size(), 12u);
  for (std::uint32_t n = 0; n < 12; ++n) {
    const SeenMessage& message = made.rounds[0].messages[n];
    EXPECT_EQ(message.members, std::vector<std::uint32_t>{n});
    EXPECT_EQ(message.rows, (std::vector<std::uint32_t>{n % 8, 8}));
    EXPECT_EQ(message.values, (std::vector<std::int64_t>{10 + n, -20 - 2 * std::int64_t{n}, 1, -2}));
  }
  EXPECT_EQ(made.sums[0], plain_sums(12));
}

TEST(Recorder, ShuffledNamesADeviceOnce) {
  const Recorded made = recorded({.view = View::shuffled}, 30, 2);
  std::set<std::uint32_t> named;
  std::vector<std::int64_t> order;
  for (const SeenMessage& message : made.rounds[0].messages) {
    ASSERT_EQ(message.members.size(), 1u);
    named.insert(message.members.front());
    order.push_back(message.values[0]);
  }
  EXPECT_EQ(named.size(), 30u);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  for (const SeenMessage& message : made.rounds[1].messages) EXPECT_TRUE(message.members.empty());
  EXPECT_EQ(made.sums[1], plain_sums(30));
}

TEST(Recorder, SecureWritesDownSumsOfGroupsThatAreLargeEnough) {
  const Recorded made = recorded({.view = View::secure, .group = 5}, 23, 2);
  for (const SeenRound& round : made.rounds) {
    EXPECT_EQ(round.messages.size(), 4u);
    std::set<std::uint32_t> seen;
    for (const SeenMessage& message : round.messages) {
      EXPECT_GE(message.members.size(), 5u);
      Sums expected;
      for (const std::uint32_t member : message.members) {
        EXPECT_TRUE(seen.insert(member).second) << "nobody is in two groups";
        expected.try_emplace(member % 8, 2, 0);
        expected[member % 8][0] += 10 + member;
        expected[member % 8][1] -= 20 + 2 * std::int64_t{member};
      }
      const auto members = static_cast<std::int64_t>(message.members.size());
      expected[8] = {members, -2 * members};
      Sums told;
      for (std::size_t n = 0; n < message.rows.size(); ++n)
        told[message.rows[n]] = {message.values[2 * n], message.values[2 * n + 1]};
      EXPECT_EQ(told, expected);
    }
    EXPECT_EQ(seen.size(), 23u);
  }
  EXPECT_NE(made.rounds[0].messages[0].members, made.rounds[1].messages[0].members);
  EXPECT_EQ(made.sums[0], plain_sums(23));
  const Recorded kept = recorded({.view = View::secure, .group = 5, .keep_groups = true}, 23, 2);
  EXPECT_EQ(kept.rounds[0].messages, kept.rounds[1].messages);
}

TEST(Recorder, ASecureSumOverEverybodyIsOneMessage) {
  const Recorded made = recorded({.view = View::secure}, 7, 1);
  ASSERT_EQ(made.rounds[0].messages.size(), 1u);
  EXPECT_EQ(made.rounds[0].messages[0].members.size(), 7u);
}

TEST(Recorder, ACohortSmallerThanAGroupIsRefused) {
  PlainCollector plain(shape);
  int kept = 0;
  Recorder recorder(plain, shape, {.view = View::secure, .group = 8}, [&](SeenRound&) {
    ++kept;
    return Status(Done{});
  });
  const RowMatrix shared(shape.rows, shape.width);
  const auto refused = play(recorder, 0, 7, shared);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("fewer than the 8"), std::string::npos);
  EXPECT_EQ(kept, 0);
  EXPECT_TRUE(play(recorder, 0, 8, shared).ok());
}

TEST(Recorder, GroupsAndSilentDevicesAreThoseOfASecureSum) {
  SerialExecutor serial;
  const RowMatrix shared(shape.rows, shape.width);
  for (const std::uint32_t group : {0u, 10u}) {
    const Recorded made = recorded({.view = View::secure, .group = group, .silent = 0.3, .seed = 4}, 33, 3);
    SumOptions sum;
    sum.kind = SumKind::shares, sum.group = group, sum.silent = 0.3;
    sum.assumed.crowd = 4;
    SecureCollector secure(sum, shape, 4, serial);
    std::set<std::vector<std::uint32_t>> different;
    for (std::uint32_t round = 0; round < 3; ++round) {
      EXPECT_EQ(made.sums[round], play(secure, round, 33, shared).value()) << "round " << round;
      std::size_t members = 0;
      for (const SeenMessage& message : made.rounds[round].messages) members += message.members.size();
      EXPECT_LT(members, 33u);
      EXPECT_GE(members, 33u - 9u);
      different.insert(made.rounds[round].messages[0].members);
    }
    EXPECT_EQ(different.size(), 3u) << "others fall silent in each round";
  }
}

TEST(Recorder, ASumThatTooFewStayedForIsRefused) {
  PlainCollector plain(shape);
  int kept = 0;
  Recorder recorder(plain, shape, {.view = View::secure, .least = 30, .silent = 0.5}, [&](SeenRound&) {
    ++kept;
    return Status(Done{});
  });
  const auto refused = play(recorder, 0, 33, RowMatrix(shape.rows, shape.width));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("fewer than the 30"), std::string::npos) << refused.error().message;
  EXPECT_EQ(kept, 0);
  EXPECT_TRUE(play(recorder, 0, 100, RowMatrix(shape.rows, shape.width)).ok());
}

// Of two devices one falls silent; what was drawn says whether it is in the sum all the same.
TEST(Recorder, ASumOfWhichOneDeviceIsLeftIsRefusedBeforeTheRound) {
  for (const std::uint32_t group : {0u, 2u}) {
    const std::uint32_t devices = group == 0 ? 2 : 6;
    std::size_t refused = 0, heard = 0;
    for (std::uint32_t round = 0; round < 40; ++round) {
      PlainCollector plain(shape);
      std::vector<SeenRound> kept;
      Recorder recorder(plain, shape, {.view = View::secure, .group = group, .silent = 0.5},
                        [&](SeenRound& seen) {
                          kept.push_back(seen);
                          return Status(Done{});
                        });
      const RoundDraw draw = draw_round({.seed = 1, .group = group, .silent = 0.5}, round, devices);
      bool whole = true;
      for (const Fate fate : draw.fates) whole = whole && in_the_sum(fate);
      const RowMatrix shared(shape.rows, shape.width);
      const auto told = play(recorder, round, devices, shared);
      ASSERT_EQ(told.ok(), whole) << round;
      ASSERT_EQ(kept.size(), whole ? 1u : 0u);
      ++(whole ? heard : refused);
      if (whole) continue;
      EXPECT_FALSE(recorder.begin({round, people(devices), &shared}).ok()) << "before anybody is heard";
      EXPECT_NE(told.error().message.find("round " + std::to_string(round + 1) + " refused: 1 device is in"),
                std::string::npos)
          << told.error().message;
      EXPECT_NE(told.error().message.find("fewer than the 2"), std::string::npos) << told.error().message;
    }
    EXPECT_GT(refused, 0u);
    EXPECT_GT(heard, 0u);
  }
}

TEST(Recorder, WhatCannotBeWrittenDownReleasesNothing) {
  PlainCollector plain(shape);
  for (const View view : {View::plain, View::secure}) {
    Recorder recorder(plain, shape, {.view = view},
                      [](SeenRound&) { return Status(fail(Code::io, "full disk")); });
    EXPECT_EQ(play(recorder, 0, 3, RowMatrix(shape.rows, shape.width)).error().message, "full disk");
  }
}

TEST(Recorder, ARandomMessageIsNotAsLongAsItsSenders) {
  PlainCollector plain(shape);
  std::vector<std::size_t> lengths;
  Recorder recorder(plain, shape, {.random_messages = true}, [&](SeenRound& round) {
    for (const SeenMessage& message : round.messages) lengths.push_back(message.rows.size());
    return Status(Done{});
  });
  const std::vector<UserIndex> cohort = people(3);
  const RowMatrix shared(shape.rows, shape.width);
  ASSERT_TRUE(recorder.begin({0, cohort, &shared}).ok());
  for (const UserIndex user : cohort) {  // who is n sends n + 1 rows
    std::vector<std::pair<std::uint32_t, std::int32_t>> rows;
    for (std::uint32_t row = 0; row <= user.value; ++row) rows.emplace_back(row, 5);
    Contribution contribution = contribution_of(rows);
    ASSERT_TRUE(recorder.accept(user, contribution).ok());
  }
  SumSpace space(shape.rows, shape.width);
  Aggregator total(space);
  ASSERT_TRUE(recorder.finish(total).ok());
  EXPECT_EQ(lengths, (std::vector<std::size_t>{1, 1, 2}));  // the one's before
}

TEST(Recorder, RandomMessagesSayNothingAndChangeNoSum) {
  const Recorded made = recorded({.random_messages = true}, 12, 1);
  const Recorded truth = recorded({}, 12, 1);
  EXPECT_EQ(made.sums[0], truth.sums[0]);
  std::size_t same = 0;
  for (std::size_t n = 0; n < 12; ++n) {
    EXPECT_EQ(made.rounds[0].messages[n].rows.size(), 2u);
    same += made.rounds[0].messages[n].values == truth.rounds[0].messages[n].values ? 1 : 0;
  }
  EXPECT_EQ(same, 0u);
}

}  // namespace sotto::fed::recorder_test
