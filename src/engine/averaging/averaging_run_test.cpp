#include "engine/averaging/averaging_run.h"

#include <gtest/gtest.h>

#include "engine/averaging/averaging_json.h"
#include "engine/averaging/testing/tiny_task.h"
#include "sim/thread_pool.h"

namespace sotto::engine {
namespace {

AveragingRequest tiny_request(const std::string& order) {
  AveragingRequest request;
  request.rounds = 6;
  request.plan.cohort = 1.0;
  request.plan.seed = 5;
  if (!order.empty()) request.criteria.order = *parse_order(order);
  return request;
}

Result<AveragingOutcome> run_tiny_on(Executor& executor, const AveragingRequest& request,
                                     const AveragingHooks& hooks = {},
                                     std::optional<Checkpoint> before = std::nullopt) {
  const TinyTask task(two_kinds(10));
  TinyFacts facts(task);
  const auto note = [&](std::uint32_t round, std::span<const UserIndex> cohort) {
    facts.note_round(round, cohort);
  };
  const std::string plan_hash = to_string(request.criteria.order);
  return run_averaging(request, {task, facts, note, plan_hash}, executor, hooks, std::move(before));
}

Result<AveragingOutcome> run_tiny(const AveragingRequest& request, const AveragingHooks& hooks = {},
                                  std::optional<Checkpoint> before = std::nullopt) {
  SerialExecutor serial;
  return run_tiny_on(serial, request, hooks, std::move(before));
}

// θ grows by the weighted mean of the devices' own steps, which the test adds up by hand.
TEST(AveragingRun, FollowsTheWeightedMean) {
  const auto outcome = run_tiny(tiny_request("DS"));
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  double theta = 0.5;
  for (std::uint32_t round = 0; round < 6; ++round) {
    double sum = 0.0, weight = 0.0;
    for (std::uint32_t device = 0; device < 10; ++device) {
      const TinyDevice member = two_kinds(10)[device];
      Stream stream(5, Purpose::draw_triples, round, device);
      const auto drawn = 0.01 * stream.uniform();
      sum += static_cast<double>(member.records) * (static_cast<double>(member.step) + drawn);
      weight += static_cast<double>(member.records);
    }
    theta += sum / weight;
  }
  EXPECT_NEAR(outcome->model.row(0)[0], theta, 1e-4);
  ASSERT_EQ(outcome->curve.looks.size(), 6u);
  // Right are the thresholds 0, 1, 2, 3 below θ.
  EXPECT_EQ(outcome->curve.looks.back().right, std::vector<std::uint32_t>(10, theta > 2.0 ? 3u : 2u));
  EXPECT_EQ(outcome->best_right.size(), 40u);
  EXPECT_NEAR(outcome->rounds.front().weights.most, 10.0 / 5.5, 1e-3);
  EXPECT_NEAR(outcome->rounds.front().weights.least, 1.0 / 5.5, 1e-3);
  EXPECT_EQ(outcome->rounds.front().order, "size");
}

TEST(AveragingRun, ThreadsAndSecureSumsGiveTheSameModel) {
  ThreadPool three(3);
  for (const bool choose : {false, true}) {
    AveragingRequest plain = tiny_request("LD>DS>MW");
    plain.choose_order = choose;
    const auto first = run_tiny(plain), second = run_tiny_on(three, plain);
    ASSERT_TRUE(first.ok()) << first.error().message;
    ASSERT_TRUE(second.ok()) << second.error().message;
    EXPECT_EQ(first->costs.tries > 0, choose);
    EXPECT_EQ(first->costs.tries, second->costs.tries);
    EXPECT_EQ(first->model_hash, second->model_hash);
    AveragingRequest secure = plain;
    secure.sum.kind = SumKind::shares;
    const auto third = run_tiny_on(three, secure);
    ASSERT_TRUE(third.ok()) << third.error().message;
    EXPECT_EQ(first->model_hash, third->model_hash);
    EXPECT_GT(third->totals.bytes_up, first->totals.bytes_up);
  }
  EXPECT_NE(run_tiny(tiny_request("LD>DS>MW"))->model_hash, run_tiny(tiny_request("DS>LD>MW"))->model_hash);
}

// The limit and the ring of --secure-limit and --secure-bits are the model's; scores need more.
TEST(AveragingRun, ALimitThatFitsTheModelIsEnough) {
  const AveragingRequest plain = tiny_request("DS>LD");
  AveragingRequest secure = plain;
  secure.sum.kind = SumKind::shares;
  secure.sum.limit = 1 << 26;  // four of the model's units
  secure.sum.bits = 32;
  const auto limited = run_tiny(secure);
  ASSERT_TRUE(limited.ok()) << limited.error().message;
  EXPECT_EQ(limited->model_hash, run_tiny(plain)->model_hash);
}

// A device falls silent after it has told its criteria: weights are of the cohort, and their mean is 1.
TEST(AveragingRun, SilentDevicesChangeNobodysWeight) {
  const AveragingRequest plain = tiny_request("DS");
  AveragingRequest silent = plain;
  silent.sum.kind = SumKind::shares;
  silent.sum.assumed.crowd = 4;
  silent.sum.silent = 0.3;
  const auto all = run_tiny(plain), some = run_tiny(silent);
  ASSERT_TRUE(some.ok()) << some.error().message;
  EXPECT_NE(some->model_hash, all->model_hash);
  for (std::size_t n = 0; n < all->rounds.size(); ++n) {
    EXPECT_EQ(some->rounds[n].weights.least, all->rounds[n].weights.least) << n;
    EXPECT_EQ(some->rounds[n].weights.most, all->rounds[n].weights.most) << n;
  }
}

TEST(AveragingRun, StopsAtTheGoal) {
  AveragingRequest request = tiny_request("DS");
  request.rounds = 100;
  request.until = AccuracyGoal{.devices = 100, .accuracy = 50};
  const auto outcome = run_tiny(request);
  ASSERT_TRUE(outcome.ok());
  EXPECT_TRUE(outcome->goal_reached);
  EXPECT_EQ(rounds_until(outcome->curve, *request.until), outcome->rounds.size());
  EXPECT_LT(outcome->rounds.size(), 20u);
}

TEST(AveragingRun, LooksAsOftenAsAskedAndAtTheEnd) {
  AveragingRequest request = tiny_request("");
  request.rounds = 7;
  request.evaluate_every = 3;
  const auto outcome = run_tiny(request);
  ASSERT_TRUE(outcome.ok());
  std::vector<std::uint32_t> rounds;
  for (const AccuracyLook& look : outcome->curve.looks) rounds.push_back(look.round);
  EXPECT_EQ(rounds, (std::vector<std::uint32_t>{3, 6, 7}));
}

// Stops after every round in turn, goes on, and must end with the same model, curve and costs.
void resumes_from_anywhere(const AveragingRequest& request) {
  const auto whole = run_tiny(request);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  for (std::uint32_t at = 1; at < request.rounds; ++at) {
    std::atomic<bool> stop = false;
    Checkpoint before;
    AveragingHooks hooks;
    hooks.stop = &stop;
    hooks.on_round = [&](const AveragingRound& round) -> Status { return stop = round.round == at, Done{}; };
    hooks.on_checkpoint = [&](const Checkpoint& checkpoint) -> Status {
      const Bytes bytes = save_checkpoint(checkpoint);
      auto read = load_checkpoint(bytes, "checkpoint");
      if (!read.ok()) return read.error();
      before = std::move(*read);
      return Done{};
    };
    const auto stopped = run_tiny(request, hooks);
    ASSERT_FALSE(stopped.ok());
    ASSERT_EQ(stopped.error().code, Code::cancelled);
    const auto resumed = run_tiny(request, {}, std::move(before));
    ASSERT_TRUE(resumed.ok()) << resumed.error().message;
    EXPECT_EQ(resumed->model_hash, whole->model_hash) << at;
    EXPECT_EQ(resumed->best_right, whole->best_right) << at;
    EXPECT_EQ(resumed->costs.tries, whole->costs.tries) << at;
    EXPECT_EQ(resumed->totals.bytes_up, whole->totals.bytes_up) << at;
    ASSERT_EQ(resumed->curve.looks.size(), whole->curve.looks.size());
    for (std::size_t n = 0; n < whole->curve.looks.size(); ++n)
      EXPECT_EQ(resumed->curve.looks[n].right, whole->curve.looks[n].right);
  }
}

TEST(AveragingRun, AStoppedRunEndsAsAnUndisturbedOne) {
  resumes_from_anywhere(tiny_request("DS>LD"));
  AveragingRequest choosing = tiny_request("LD>DS");
  choosing.choose_order = true;
  resumes_from_anywhere(choosing);
  AveragingRequest remembering = tiny_request("RC>DS");  // devices know when they last took part
  remembering.plan.cohort = 0.5;
  resumes_from_anywhere(remembering);
}

TEST(AveragingRun, ACheckpointOfAnotherPlanIsRefused) {
  std::atomic<bool> stop = false;
  Checkpoint before;
  AveragingHooks hooks;
  hooks.stop = &stop;
  hooks.on_round = [&](const AveragingRound&) -> Status { return stop = true, Done{}; };
  hooks.on_checkpoint = [&](const Checkpoint& checkpoint) -> Status { return before = checkpoint, Done{}; };
  ASSERT_FALSE(run_tiny(tiny_request("DS"), hooks).ok());
  const auto other = run_tiny(tiny_request("LD"), {}, before);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, Code::incompatible);
}

TEST(AveragingRun, ACohortOfOneHasNobodyToCompareWith) {
  AveragingRequest request = tiny_request("DS");
  request.plan.cohort = 0.1;
  const auto outcome = run_tiny(request);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, Code::usage);
  EXPECT_NE(outcome.error().message.find("cohort of one"), std::string::npos);
}

}  // namespace
}  // namespace sotto::engine
