#include "lab/audit/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "data/generate.h"
#include "engine/files/files.h"
#include "engine/train/training.h"
#include "fed/secure/round_draw.h"
#include "lab/audit/full_audit.h"
#include "lab/audit/page.h"
#include "sim/thread_pool.h"

namespace sotto::lab {
namespace {

const Split& small_split() {
  static const Split split =
      generate_split({.users = 150, .items = 300, .mean_interactions = 30.0, .seed = 5}).value();
  return split;
}

AuditRequest small_request(double pi, const char* view) {
  AuditRequest request;
  request.train.data.paths = {"generated"};
  EXPECT_TRUE(set_variant(request.train.plan, "pfpl+").ok());
  request.train.plan.fpl.factors = 8;
  request.train.plan.consent.pi = pi;
  request.train.plan.epochs = 3;
  EXPECT_TRUE(settle(request.train).ok());
  request.view = parse_view(view).value();
  request.attack.people = 60;
  request.attack.attackers = {Attacker::bias_sum, Attacker::match, Attacker::difference};
  return request;
}

std::string plain_hash(const AuditRequest& request) {
  ThreadPool pool(2);
  TrainHooks hooks;
  return train(request.train, small_split(), pool, hooks).value().model_hash;
}

TEST(Audit, ViewsAreReadAndWritten) {
  for (const char* text :
       {"plain", "shuffled", "secure", "secure:50", "secure+dp", "secure:50+dp", "groups:50", "groups:50+dp"})
    EXPECT_EQ(to_string(parse_view(text).value()), text);
  for (const char* text : {"", "open", "secure:", "secure:1", "secure:x", "plain+dp", "secure:50+", "groups",
                           "groups:1", "groups:50,secure:50"})
    EXPECT_EQ(parse_view(text).error().code, Code::usage) << text;
}

TEST(Audit, ListeningDoesNotChangeTheModel) {
  SerialExecutor serial;
  const AuditRequest plain = small_request(0.5, "plain");
  const AuditRun seen = audit_plan(plain, small_split(), 1, serial, {}).value();
  EXPECT_EQ(seen.model_hash, plain_hash(plain));
  for (const char* view : {"secure", "secure:50", "groups:50"})
    EXPECT_EQ(audit_plan(small_request(0.5, view), small_split(), 1, serial, {}).value().model_hash,
              seen.model_hash)
        << view;
}

TEST(Audit, SilentDevicesAreThoseOfATrainingUnderASecureSum) {
  SerialExecutor serial;
  AuditRequest audited = small_request(0.5, "secure");
  audited.silent = 0.1;
  AuditRequest trained = audited;
  trained.train.sum.kind = SumKind::secure;
  trained.train.sum.silent = 0.1;
  ASSERT_TRUE(settle(trained.train).ok());
  const std::string hash = audit_plan(audited, small_split(), 1, serial, {}).value().model_hash;
  EXPECT_EQ(hash, plain_hash(trained));
  EXPECT_NE(hash, plain_hash(audited)) << "somebody is missing";
}

TEST(Audit, SmallGroupsLeakAndTheSameSizeAsALowerLimitDoesNot) {
  ThreadPool pool(2);
  const auto audited = [&](const char* view) {
    AuditRequest request = small_request(1.0, view);
    request.train.plan.epochs = 12;
    request.attack.people = 0;
    return summarise({audit_plan(request, small_split(), 1, pool, {}).value()}, pool);
  };
  EXPECT_GT(audited("groups:5").of(Attacker::difference)->advantage.auc.range.low, 0.0);
  EXPECT_TRUE(audited("secure:5").shows_no_leak());
}

TEST(Audit, SingleMessagesLeakAndTheSumOverAllDoesNot) {
  ThreadPool pool(2);
  const AuditSummary single =
      summarise({audit_plan(small_request(0.0, "plain"), small_split(), 1, pool, {}).value()}, pool);
  EXPECT_GT(single.of(Attacker::match)->advantage.f1.range.low, 0.2);
  EXPECT_FALSE(single.shows_no_leak());
  EXPECT_EQ(single.sent.mean, 0.0);
  AuditReport report;
  report.request = small_request(0.0, "secure");
  report.main = summarise({audit_plan(report.request, small_split(), 1, pool, {}).value()}, pool);
  EXPECT_TRUE(report.main.shows_no_leak());
  EXPECT_NE(verdict_of(report).find("a consequence of the view"), std::string::npos);
  report.request.view.group = 50;
  EXPECT_EQ(verdict_of(report).find("a consequence of the view"), std::string::npos);
}

TEST(Audit, ATranscriptGivesTheFiguresOfItsPlan) {
  ThreadPool pool(2);
  AuditRequest request = small_request(1.0, "shuffled");
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "audit_test_transcript.bin";
  request.record = file.string();
  const AuditRun live = audit_plan(request, small_split(), 1, pool, {}).value();
  const Bytes bytes = read_file(file).value();
  std::filesystem::remove(file);
  const AuditRun again = audit_transcript(bytes, "seen", request, small_split(), pool, {}).value();
  ASSERT_EQ(again.rounds, live.rounds);
  EXPECT_EQ(again.sent_shares, live.sent_shares);
  for (std::size_t n = 0; n < live.findings.size(); ++n)
    for (std::size_t person = 0; person < live.findings[n].informed.size(); ++person) {
      EXPECT_EQ(again.findings[n].informed[person].auc, live.findings[n].informed[person].auc);
      EXPECT_EQ(again.findings[n].alone[person].f1, live.findings[n].alone[person].f1);
    }
  Split other = small_split();
  other.hash = "another";
  EXPECT_EQ(audit_transcript(bytes, "seen", request, other, pool, {}).error().code, Code::incompatible);
}

TEST(Audit, EpsilonIsThatOfTheGaussianMechanism) {
  // privacy.md: one release with σ = 4.530877117 at δ = 1e-6 costs at most ε = 1 by RDP; the exact curve lies
  // below.
  AuditRequest request = small_request(1.0, "secure+dp");
  request.noise = {.multiplier = 4.530877117, .clip = 1.0, .delta = 1e-6};
  EXPECT_LE(epsilon_of(request, 1), 1.0);
  EXPECT_GT(epsilon_of(request, 1), 0.9);
  // PLD of privacy.md: σ = √3 in three releases, δ = .126936 at ε = 1.
  request.noise = {.multiplier = std::sqrt(3.0), .clip = 1.0, .delta = 0.126936};
  EXPECT_NEAR(epsilon_of(request, 3), 1.0, 1e-3);
}

// One person's message could be any other's: twice the clip lies between the two.
TEST(Audit, NoiseOnSingleMessagesIsChargedForAnyOtherHistory) {
  AuditRequest sums = small_request(1.0, "secure+dp");
  sums.noise.multiplier = 2.0;
  AuditRequest messages = small_request(1.0, "plain");
  messages.local = true;
  messages.noise.multiplier = 4.0;
  EXPECT_DOUBLE_EQ(epsilon_of(messages, 3), epsilon_of(sums, 3));
}

TEST(Audit, PeoplesOwnTermsHoldAsInTraining) {
  SerialExecutor serial;
  AuditRequest request = small_request(1.0, "plain");
  request.attack.attackers = {Attacker::bias_sum};
  const std::string everybody = plain_hash(request);
  request.train.consent.mix = "open=0.5,closed=0.5";
  const AuditRun run = audit_plan(request, small_split(), 1, serial, {}).value();
  EXPECT_EQ(run.model_hash, plain_hash(request));
  EXPECT_NE(run.model_hash, everybody);
}

TEST(Audit, ProtectionsOfThePlanAreRefusedByName) {
  const auto refusal = [](const std::function<void(TrainRequest&)>& change) {
    AuditRequest request = small_request(1.0, "plain");
    change(request.train);
    const Status status = check(request);
    return status.ok() ? std::string() : status.error().message;
  };
  EXPECT_NE(refusal([](TrainRequest& train) { train.dp.place = "central"; }).find("[dp]"), std::string::npos);
  EXPECT_NE(refusal([](TrainRequest& train) { train.sum.kind = SumKind::secure; }).find("[sum]"),
            std::string::npos);
  EXPECT_NE(refusal([](TrainRequest& train) { train.robust.groups = 5; }).find("[robust]"),
            std::string::npos);
}

TEST(Canaries, ProveNoMoreThanWasPromisedAndSeeAMissingPromise) {
  ThreadPool pool(2);
  CanaryRequest request;
  request.noise = {.multiplier = 1.0, .clip = 1.0, .delta = 1e-5};
  request.devices = 3;
  AuditRequest promise = small_request(1.0, "secure+dp");
  promise.noise = request.noise;
  const double promised = epsilon_of(promise, 1);
  const CanaryOutcome outcome = play_canaries(request, promised, pool).value();
  EXPECT_TRUE(outcome.held());
  EXPECT_GT(outcome.bound.epsilon, 0.5);  // the test can see something
  // A tenth of the noise behind the same promise is caught.
  request.noise.multiplier = 0.1;
  EXPECT_FALSE(play_canaries(request, promised, pool).value().held());
}

TEST(Canaries, LocalNoiseOverRoundsKeepsItsPromise) {
  ThreadPool pool(2);
  CanaryRequest request;
  request.noise = {.multiplier = 4.0, .clip = 1.0, .delta = 1e-5};
  request.place = DpPlace::local;
  request.devices = 1;
  request.rounds = 4;
  AuditRequest promise = small_request(1.0, "plain");
  promise.noise = request.noise;
  promise.local = true;
  const CanaryOutcome outcome = play_canaries(request, epsilon_of(promise, 4), pool).value();
  EXPECT_TRUE(outcome.held());
  EXPECT_GT(outcome.bound.epsilon, 0.5);
  EXPECT_EQ(describe(outcome.played), "4 rounds of 1 device, local noise");
}

TEST(Canaries, WithoutAPromiseThereIsNothingToTest) {
  CanaryRequest request;
  EXPECT_NE(check(request).error().message.find("none is promised"), std::string::npos);
  request.noise = {.multiplier = 1.0, .clip = 200.0};
  EXPECT_EQ(check(request).error().code, Code::usage);
  request.noise.clip = 2.0;
  EXPECT_TRUE(check(request).ok());
  request.trials = 99;
  EXPECT_EQ(check(request).error().code, Code::usage);
}

TEST(Audit, ChanceIsReckonedOverAllFiguresTogether) {
  // Two attackers with four figures each; one gain of 2.5 standard errors.
  AuditSummary summary;
  summary.attackers.resize(3);
  summary.attackers[0].attacker = Attacker::popularity;
  summary.attackers[0].advantage.auc = {.mean = 9.0, .range = {8.0, 10.0}, .error = 0.1};  // A0 is not asked
  summary.attackers[1].attacker = Attacker::bias_sum;
  summary.attackers[2].attacker = Attacker::match;
  EXPECT_EQ(summary.largest_gain().chance, 1.0);
  summary.attackers[2].advantage.tpr = {.mean = 0.05, .range = {0.01, 0.09}, .error = 0.02};
  summary.attackers[1].advantage.f1 = {.mean = 0.5, .range = {-0.5, 1.5}, .error = 0.5};
  const AuditSummary::LargestGain largest = summary.largest_gain();
  EXPECT_EQ(largest.what, "A3 in TPR");
  EXPECT_NEAR(largest.chance, 8 * 0.0062096653, 1e-8);  // 1 − Φ(2.5), from a table
  EXPECT_FALSE(summary.shows_no_leak()) << "by itself the interval is above 0";
}

TEST(Audit, TheWholeAuditTellsItsControlsAndDrawsItsPage) {
  ThreadPool pool(2);
  FullAudit asked{small_request(0.0, "plain"), true, false, 0, "A small world."};
  asked.request.looks = true;
  FullAuditHooks hooks;
  std::vector<std::string> said;
  hooks.on_part = [&](const std::string& part) { said.push_back(part); };
  const AuditReport report = run_full_audit(asked, small_split(), pool, hooks).value();
  ASSERT_EQ(said.size(), 4u);
  EXPECT_EQ(said.front(), "1 of 4: the plan");
  EXPECT_EQ(said.back(), "4 of 4: control: one secure sum");
  ASSERT_EQ(report.controls.size(), 3u);
  EXPECT_TRUE(report.controls[1].held) << report.controls[1].measured;
  EXPECT_TRUE(report.controls[2].held) << report.controls[2].measured;
  EXPECT_FALSE(report.main.looks.empty());
  const nlohmann::json json = to_json(report);
  EXPECT_EQ(json["audit"]["attackers"].size(), 4u);
  EXPECT_EQ(json["audit"]["attackers"][0]["code"], "A0");
  const std::string html = html_of(audit_page(report, "sotto audit <x>"));
  EXPECT_NE(html.find("data-chart=\"leak-over-rounds\""), std::string::npos);
  EXPECT_NE(html.find("sotto audit &lt;x&gt;"), std::string::npos);
}

TEST(Audit, ContradictionsAreUsageErrors) {
  AuditRequest request = small_request(1.0, "secure+dp");
  EXPECT_EQ(check(request).error().code, Code::usage);
  request.noise.multiplier = 1.0;
  EXPECT_TRUE(check(request).ok());
  request.view = parse_view("plain").value();
  EXPECT_EQ(check(request).error().code, Code::usage);
  request.local = true;
  EXPECT_TRUE(check(request).ok());
  request.train.model = "ease";
  EXPECT_EQ(check(request).error().code, Code::usage);
  AuditRequest silent = small_request(1.0, "secure");
  silent.silent = 0.2;
  EXPECT_TRUE(check(silent).ok());
  silent.silent = 1.0;
  EXPECT_EQ(check(silent).error().code, Code::usage);
  silent = small_request(1.0, "plain");
  silent.silent = 0.2;
  EXPECT_NE(check(silent).error().message.find("is of secure sums"), std::string::npos);
}

TEST(Audit, SumsThatARoundCannotFillAreRefusedWithItsSize) {
  ThreadPool pool(2);
  for (const char* view : {"secure:5000", "groups:5000"}) {
    const auto refused = audit_plan(small_request(1.0, view), small_split(), 1, pool, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::usage);
    EXPECT_NE(refused.error().message.find("a round has "), std::string::npos) << refused.error().message;
  }
}

std::string refusal_of(const AuditRequest& request) {
  SerialExecutor serial;
  int rounds = 0;
  AuditHooks hooks;
  hooks.on_round = [&](std::uint64_t, std::uint64_t) { ++rounds; };
  const auto told = audit_plan(request, small_split(), 1, serial, hooks);
  if (told.ok()) return "";
  EXPECT_EQ(told.error().code, Code::usage);
  EXPECT_EQ(rounds, 0) << "before the first round";
  return told.error().message;
}

TEST(Audit, AShareOfASumThatIsNobodyIsRefused) {
  AuditRequest request = small_request(1.0, "groups:2");
  request.silent = 0.3;
  EXPECT_NE(refusal_of(request).find("0.3 of a sum of 2 devices is less than one"), std::string::npos)
      << refusal_of(request);
  request = small_request(1.0, "secure");
  request.silent = 0.006;
  const std::string told = refusal_of(request);
  EXPECT_NE(told.find("say at least 1/150"), std::string::npos) << told;
  request.silent = 1.0 / 150.0;
  EXPECT_EQ(refusal_of(request), "");
}

// 150 devices of which 75 fall silent, each at a moment of its own: how many are in the sum differs by round.
TEST(Audit, ALateRoundThatTooFewStayInIsToldBeforeTheFirst) {
  AuditRequest request = small_request(1.0, "secure");
  request.silent = 0.5;
  request.train.plan.epochs = 12;
  const std::uint64_t rounds = audit_schedule(request, small_split()).value().rounds;
  const auto staying = [&](std::uint64_t seed) {
    std::vector<std::size_t> counts;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const RoundDraw draw = draw_round({.seed = seed, .silent = 0.5}, round, 150);
      counts.push_back(
          static_cast<std::size_t>(std::count_if(draw.fates.begin(), draw.fates.end(), in_the_sum)));
    }
    return counts;
  };
  const auto first = staying(1);
  const auto least = std::min_element(first.begin(), first.end());
  ASSERT_NE(least, first.begin()) << "a late round";
  request.view.least = static_cast<std::uint32_t>(*least);
  EXPECT_EQ(refusal_of(request), "");
  ++request.view.least;
  const std::string late = "under seed 1 round " + std::to_string(least - first.begin() + 1) + " refused";
  EXPECT_NE(refusal_of(request).find(late), std::string::npos) << refusal_of(request);
  // Of seeds that follow too.
  const auto fewest = [&](std::uint64_t seed) {
    const auto counts = staying(seed);
    return *std::min_element(counts.begin(), counts.end());
  };
  std::uint64_t other = 2;
  while (fewest(other) >= *least && other < 100) ++other;
  --request.view.least;
  request.seeds = static_cast<std::uint32_t>(other - 1);
  EXPECT_EQ(refusal_of(request), "") << "the one before";
  ++request.seeds;
  EXPECT_NE(refusal_of(request).find("under seed " + std::to_string(other)), std::string::npos);
}

}  // namespace
}  // namespace sotto::lab
