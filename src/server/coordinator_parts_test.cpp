// Rounds of several parts: the pairs of popular items, which a first part finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "fed/models/pair_task.h"
#include "fed/models/testing/usual_spec.h"
#include "model/central/ease.h"
#include "model/central/pair_knn.h"
#include "model/central/rp3beta.h"
#include "server/testing/parts_world.h"
#include "server/testing/plain_member.h"
#include "server/testing/secure_world.h"

namespace sotto::server::coordinator_parts_test {
namespace {

constexpr std::uint32_t items = parts_items, people = parts_people, popular = parts_popular;
using People = std::vector<std::uint32_t>;
const People everybody{0, 1, 2, 3, 4, 5};

// What the rows are where some people's items were counted, and the pairs of some of them summed.
std::string by_hand(const TaskModel& model, const People& counted, const People& summed) {
  std::vector<std::int64_t> counts(items, 0);
  for (const std::uint32_t n : counted)
    for (const ItemIndex item : WorldDevice::history(n, items)) ++counts[item.value];
  const KeptItems kept = KeptItems::most_popular(counts, popular);
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> own;
  for (const std::uint32_t n : summed) {
    for (const ItemIndex item : WorldDevice::history(n, items))
      if (kept.place(item.value) != KeptItems::nowhere) own.push_back(item);
    offsets.push_back(own.size());
  }
  const Histories histories(std::move(offsets), std::move(own));
  const Audiences audiences(histories, items);
  const HistoryPairs pairs(histories, audiences, PersonWeight(&model == &fedrp3beta_task ? 0.5f : 0.0f));
  SerialExecutor here;
  const Task task = *read_task(parts_config(model).spec);
  RowMatrix rows(task.shape().rows, task.shape().width);
  if (&model == &fedease_task) {
    const auto ease = Ease::solve(pairs, Histories({0}, {}), {}, here).value();
    std::vector<float> weights(items);
    for (std::size_t n = 0; n < popular; ++n) {
      EXPECT_TRUE(ease->similar(ItemIndex{kept.items()[n]}, weights).ok());
      rows.row(n)[0] = static_cast<float>(kept.items()[n]);
      for (std::size_t k = 0; k < popular; ++k) rows.row(n)[1 + k] = weights[kept.items()[k]];
    }
  } else if (&model == &feditemknn_task) {
    put_weights(fit_pair_knn(pairs, {}, here).value(), WeightsBy::target, rows);
  } else {
    put_weights(fit_rp3beta(pairs, {}, here).value(), WeightsBy::source, rows);
  }
  return hash_rows(rows);
}

std::deque<PlainMember> counted_members(World& world, std::uint32_t first = 0) {
  std::deque<PlainMember> all;
  for (std::uint32_t n = 0; n < people; ++n) all.emplace_back(world, first + n);
  for (const PlainMember& one : all) EXPECT_EQ(one.give(0), v1::StepReply::WAIT);
  for (PlainMember& one : all) one.hear(0);
  return all;
}

class ARoundOfTwoParts : public testing::TestWithParam<const TaskModel*> {};

TEST_P(ARoundOfTwoParts, IsOfThePairsOfPopularItems) {
  World world(parts_config(*GetParam()), people);
  std::deque<PlainMember> all = counted_members(world);
  EXPECT_EQ(world.newest().number, 0u) << "a part makes no model";
  for (std::uint32_t n = 0; n + 1 < people; ++n) EXPECT_EQ(all[n].give(1), v1::StepReply::TAKEN);
  EXPECT_EQ(world.newest().number, 0u);
  EXPECT_EQ(all.back().give(1), v1::StepReply::TAKEN);
  ASSERT_EQ(world.newest().number, 1u) << world.last_round().why;
  EXPECT_EQ(world.newest().contributions, people);
  EXPECT_EQ(world.newest().model_hash, by_hand(*GetParam(), everybody, everybody));
}

TEST_P(ARoundOfTwoParts, IsOfSecureSumsToo) {
  World world(parts_config(*GetParam(), true), people);
  std::deque<SecureDevice> all;
  for (std::uint32_t n = 0; n < people; ++n) all.emplace_back(world, n);
  play(world, all, {}, v1::PHASE_KEYS, false);
  EXPECT_EQ(world.newest().number, 0u);
  for (SecureDevice& one : all) one.next_part();
  play(world, all);
  ASSERT_EQ(world.newest().number, 1u) << world.last_round().why;
  EXPECT_EQ(world.newest().model_hash, by_hand(*GetParam(), everybody, everybody));
}

// Who is silent before their input is in no sum of the round; who is silent later goes on with the next part.
TEST_P(ARoundOfTwoParts, GoesOnWithThoseWhoGave) {
  for (const v1::Phase before : phases) {
    World world(parts_config(*GetParam(), true), people);
    std::deque<SecureDevice> all;
    for (std::uint32_t n = 0; n < people; ++n) all.emplace_back(world, n);
    play(world, all, people - 1, before, false);
    const bool gave = before > v1::PHASE_MASKED;
    const People stayed = gave ? everybody : People{0, 1, 2, 3, 4};
    if (!gave) {
      EXPECT_EQ(all.back().send(v1::PHASE_JOIN, "", true).refusal(), v1::REFUSAL_TOO_LATE);
      all.pop_back();
    }
    for (SecureDevice& one : all) one.next_part();
    play(world, all);
    ASSERT_EQ(world.newest().number, 1u) << before << world.last_round().why;
    EXPECT_EQ(world.newest().contributions, stayed.size());
    EXPECT_EQ(world.newest().model_hash, by_hand(*GetParam(), stayed, stayed)) << before;
  }
}

// The counts of one who is in the first sum and not in the second would be the difference of both: nothing
// is released, until as many are as the crowd that was promised.
TEST_P(ARoundOfTwoParts, ShowsNobodyWhoLeavesBetween) {
  constexpr std::uint32_t more_people = 12;
  TaskConfig config = parts_config(*GetParam(), true);
  config.rules.goal = more_people;
  for (const std::uint32_t left : {1u, 2u}) {  // the crowd is two
    World world(config, more_people);
    std::deque<SecureDevice> all;
    for (std::uint32_t n = 0; n < more_people; ++n) all.emplace_back(world, n);
    play(world, all, {}, v1::PHASE_KEYS, false);
    for (std::uint32_t n = 0; n < left; ++n) all.pop_back();
    for (SecureDevice& one : all) one.next_part();
    for (SecureDevice& one : all) one.join();
    for (const v1::Phase phase : phases) {
      for (SecureDevice& one : all) (void)one.send(phase, one.message, false);
      if (all.front().waits(phase)) world.own->tick(world.now += 1'000);
      if (phase == v1::PHASE_REVEAL || world.last_round().state != RoundState::open) break;
      for (SecureDevice& one : all) one.answer(phase);
    }
    People counted, summed;
    for (std::uint32_t n = 0; n < more_people; ++n) {
      counted.push_back(n);
      if (n + left < more_people) summed.push_back(n);
    }
    EXPECT_EQ(world.newest().number, left == 1 ? 0u : 1u) << world.last_round().why;
    if (left == 1) {
      EXPECT_NE(world.last_round().why.find("the difference of both"), std::string::npos);
      continue;
    }
    EXPECT_EQ(world.newest().model_hash, by_hand(*GetParam(), counted, summed));
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachModel, ARoundOfTwoParts,
                         testing::Values(&fedease_task, &feditemknn_task, &fedrp3beta_task),
                         [](const auto& each) { return std::string(each.param->name); });

TEST(PartsOfARound, AreGivenOnceAndInTheirOrder) {
  World world(parts_config(fedease_task), people);
  std::deque<PlainMember> all;
  for (std::uint32_t n = 0; n < people; ++n) all.emplace_back(world, n);
  EXPECT_EQ(all[0].send(1).refusal(), v1::REFUSAL_OUT_OF_ORDER) << "the first part is at hand";
  EXPECT_EQ(all[0].send(7).refusal(), v1::REFUSAL_OUT_OF_ORDER) << "there is no such part";
  EXPECT_EQ(PlainMember::progress_of(all[0].send(0, true)), v1::StepReply::MORE) << "nothing came yet";
  for (PlainMember& one : all) {
    EXPECT_EQ(one.give(0), v1::StepReply::WAIT);
    if (one.number + 1 == people) break;
    EXPECT_EQ(one.give(0), v1::StepReply::WAIT) << "the same again";
    std::string other = all[one.number == 1 ? 2 : 1].message;
    std::swap(one.message, other);
    EXPECT_EQ(one.send(0).refusal(), v1::REFUSAL_DUPLICATE);
    std::swap(one.message, other);
    EXPECT_EQ(PlainMember::progress_of(one.send(0, true)), v1::StepReply::WAIT);
  }
  EXPECT_EQ(all[0].give(0), v1::StepReply::ANSWER) << "who lost the answer hears it again";
  EXPECT_EQ(all[0].send(1).refusal(), v1::REFUSAL_WRONG_SHAPE)
      << "what is of the first part is not of the second";
  for (PlainMember& one : all) one.hear(0);
  EXPECT_EQ(all[0].give(1), v1::StepReply::TAKEN);
  EXPECT_EQ(all[0].give(1), v1::StepReply::TAKEN) << "the same again";
  std::swap(all[0].message, all[1].message);
  EXPECT_EQ(all[0].send(1).refusal(), v1::REFUSAL_DUPLICATE);
  std::swap(all[0].message, all[1].message);
  for (std::uint32_t n = 1; n < people; ++n) EXPECT_EQ(all[n].give(1), v1::StepReply::TAKEN);
  ASSERT_EQ(world.newest().number, 1u);
  EXPECT_EQ(world.newest().model_hash, by_hand(fedease_task, everybody, everybody))
      << "nothing counted twice";
  EXPECT_EQ(all[0].give(1), v1::StepReply::TAKEN);
  EXPECT_EQ(all[0].send(0).refusal(), v1::REFUSAL_TOO_LATE) << "the round is over";
}

TEST(PartsOfARound, TakeWhatIsACountAlone) {
  World world(parts_config(fedease_task), people);
  const v1::Assignment to = world.assigned(0);
  const auto reply_to = [&](std::uint32_t row, std::uint32_t column, std::int32_t times) {
    Contribution made(numbers_a_row);
    ContributionPipeline out(ConsentGate({.pi = 1.0}, 0, 0, UserIndex{}), FixedPoint{}, made);
    out.open_row(row)[column] = times;
    return world.give(0, to, pack_contribution({to.round(), made})).refusal();
  };
  EXPECT_EQ(reply_to(0, 3, 2), v1::REFUSAL_BAD_VALUE) << "counts twice";
  EXPECT_EQ(reply_to(0, 3, -1), v1::REFUSAL_BAD_VALUE) << "takes back";
  EXPECT_EQ(reply_to(1, items - numbers_a_row, 1), v1::REFUSAL_BAD_VALUE) << "no such item";
  EXPECT_EQ(reply_to(2, 0, 1), v1::REFUSAL_WRONG_SHAPE) << "no such row";
  EXPECT_EQ(reply_to(1, items - numbers_a_row - 1, 1), v1::REFUSAL_NONE);
}

// A part in the open has its share of a round's time: who is late for it is in none, and the rest go on.
TEST(PartsOfARound, LeaveLateMembersBehind) {
  World world(parts_config(fedease_task), people);
  std::deque<PlainMember> all;
  for (std::uint32_t n = 0; n < people; ++n) all.emplace_back(world, n);
  for (std::uint32_t n = 0; n + 1 < people; ++n) EXPECT_EQ(all[n].give(0), v1::StepReply::WAIT);
  world.now += 5'000;  // of ten seconds
  world.own->tick(world.now);
  EXPECT_EQ(all.back().send(0).refusal(), v1::REFUSAL_TOO_LATE);
  EXPECT_EQ(all.back().send(1).refusal(), v1::REFUSAL_TOO_LATE) << "without the first part";
  EXPECT_FALSE(world.check_in(people - 1).has_assignment()) << "it joins the next round";
  all.pop_back();
  for (PlainMember& one : all) one.hear(0);
  EXPECT_FALSE(world.check_in(0).has_assignment()) << "what it gave is of an exchange that is over";
  for (std::uint32_t n = 1; n + 1 < people; ++n) EXPECT_EQ(all[n].give(1), v1::StepReply::TAKEN);
  EXPECT_EQ(world.newest().number, 0u);
  world.now += 5'000;
  world.own->tick(world.now);
  ASSERT_EQ(world.newest().number, 1u) << world.last_round().why;
  EXPECT_EQ(world.newest().contributions, 4u);
  EXPECT_EQ(world.newest().model_hash, by_hand(fedease_task, {0, 1, 2, 3, 4}, {1, 2, 3, 4}));
}

TEST(PartsOfARound, EndWithTooFew) {
  World world(parts_config(fedease_task), people);
  const std::deque<PlainMember> all = counted_members(world);
  EXPECT_EQ(all[0].give(1), v1::StepReply::TAKEN);
  world.now += 10'000;
  world.own->tick(world.now);
  EXPECT_EQ(world.last_round().state, RoundState::abandoned);
  EXPECT_EQ(world.newest().number, 0u);
  EXPECT_EQ(all[0].send(1).refusal(), v1::REFUSAL_ROUND_FAILED);
  EXPECT_EQ(world.assigned(0).round(), 1u);
}

// A coordinator that dies or stops between two parts gives the round up: no part of it counts later.
TEST(PartsOfARound, EndWithTheCoordinator) {
  for (const bool stops : {false, true}) {
    World world(parts_config(fedease_task), people);
    std::deque<PlainMember> all = counted_members(world);
    EXPECT_EQ(all[0].give(1), v1::StepReply::TAKEN);
    if (stops) {
      world.own->stop();
      world.own->tick(world.now);
    }
    world.restart();
    EXPECT_EQ(world.last_round().state, RoundState::abandoned);
    EXPECT_NE(all[1].send(1).refusal(), v1::REFUSAL_NONE);
    People others;
    for (std::uint32_t n = 0; n < people; ++n) world.add_device(), others.push_back(people + n);
    std::deque<PlainMember> again = counted_members(world, people);
    for (const PlainMember& one : again) EXPECT_EQ(one.give(1), v1::StepReply::TAKEN);
    ASSERT_EQ(world.newest().number, 1u);
    EXPECT_EQ(world.newest().model_hash, by_hand(fedease_task, others, others));
  }
}

TEST(PartsOfARound, AreForDevicesThatKnowThem) {
  World world(parts_config(fedease_task), 1);
  v1::CheckInRequest older;
  older.set_parts(1);
  EXPECT_FALSE(world.check_in(0, older).has_assignment());
  older.set_parts(2);
  EXPECT_TRUE(world.check_in(0, older).has_assignment());
}

TEST(PartsOfARound, AreRefusedWhereTheyCannotBe) {
  TaskConfig config = parts_config(fedease_task);
  EXPECT_TRUE(check(config).ok());
  config.rules.mode = RoundRules::Mode::buffered;
  EXPECT_NE(check(config).error().message.find("needs a cohort"), std::string::npos);
}

// What a secure sum takes a device is reckoned before anybody is asked.
TEST(PartsOfARound, AreRefusedWhereTheyTakeTooMuch) {
  TaskConfig config = parts_config(fedease_task, true);
  EXPECT_TRUE(check(config).ok());
  const auto of = [&](std::uint32_t kept) {
    v1::TaskSpec spec = popular_spec(fedease_task, kept, 8'000, 1'000'000);
    spec.set_sum(config.spec.sum());
    *spec.mutable_assumed() = config.spec.assumed();
    return spec;
  };
  config.spec = of(0);
  const std::string why = check(config).error().message;
  const std::string said = "pair_items = ";
  const std::size_t at = why.find(said);
  ASSERT_NE(at, std::string::npos) << why;
  EXPECT_NE(why.find("raise pair_bytes"), std::string::npos) << why;
  const auto fits = static_cast<std::uint32_t>(std::stoul(why.substr(at + said.size())));
  for (const std::uint32_t more : {0u, 1u}) {
    config.spec = of(fits + more);
    EXPECT_EQ(check(config).ok(), more == 0) << fits + more;
  }
}

}  // namespace
}  // namespace sotto::server::coordinator_parts_test
