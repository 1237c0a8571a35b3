// Training with criteria: what reaches the model, what is refused, and what a resumed run remembers.
#include "engine/protect/weighing.h"

#include <gtest/gtest.h>

#include <string_view>

#include "data/generate.h"
#include "engine/train/training.h"
#include "fed/selection.h"

namespace sotto::engine {
namespace {

Split labelled_world() {
  Split split = generate_split({.users = 24, .items = 30, .mean_interactions = 7.0, .seed = 5}).value();
  split.item_categories.assign(split.items.size(), "");
  for (std::size_t item = 0; item < split.item_categories.size(); ++item)
    split.item_categories[item] = item % 3 == 0 ? "Drama" : item % 3 == 1 ? "Comedy" : "Drama|Comedy";
  return split;
}

TrainRequest request_for(std::string_view model, const char* order, SumKind kind = SumKind::plain) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.model = model;
  request.plan.cohort = model == "fedals" ? 1.0 : 0.5;
  request.plan.triples = 2;
  request.plan.fpl.factors = 4;
  request.plan.epochs = 3;
  request.sum.kind = kind;
  request.criteria.order = order;
  if (kind != SumKind::plain || request.criteria.asked()) request.sum.assumed.crowd = 4;
  const Status settled = settle(request);
  EXPECT_TRUE(settled.ok()) << settled.error().message;
  return request;
}

std::string hash_of(const TrainRequest& request, const Split& split) {
  SerialExecutor serial;
  TrainHooks hooks;
  const auto trained = train(request, split, serial, hooks);
  EXPECT_TRUE(trained.ok()) << trained.error().message;
  return trained.ok() ? trained->model_hash : "";
}

std::string refusal_of(TrainRequest request) {
  const Status status = settle(request);
  return status.ok() ? "" : status.error().message;
}

TEST(Weighing, CriteriaReachTheModelAndASecureSumGivesThePlainOne) {
  const Split split = labelled_world();
  const auto hash = [&](std::string_view model, const char* order, SumKind kind = SumKind::plain) {
    TrainRequest request = request_for(model, order, kind);
    request.plan.epochs = 1;  // of several rounds, but for fedals
    return hash_of(request, split);
  };
  for (const std::string_view model : {"fpl", "fcf", "fedals"}) {
    const std::string none = hash(model, "");
    for (const char* order : {"size", "diversity>novelty", "recency>size"}) {
      if (model == "fedals" && order[0] == 'r') continue;  // everybody is in each of its rounds
      const std::string plain = hash(model, order);
      EXPECT_NE(plain, none) << model << ' ' << order;
      EXPECT_EQ(hash(model, order, SumKind::secure), plain) << model << ' ' << order;
    }
  }
  EXPECT_NE(hash("fpl", "closeness"), hash("fpl", ""));
}

TEST(Weighing, WhereAllAreAlikeTheModelIsThatWithoutCriteria) {
  const Split split = labelled_world();
  TrainRequest bound = request_for("fpl", "size");
  bound.criteria.size_bound = 1;  // everybody has as much as counts
  EXPECT_EQ(hash_of(bound, split), hash_of(request_for("fpl", ""), split));
  TrainRequest kept = request_for("fpl", "size");
  kept.consent.mix = "open=0.0,balanced=1.0";  // the level keeps criteria back
  TrainRequest without = request_for("fpl", "");
  without.consent.mix = kept.consent.mix;
  EXPECT_EQ(hash_of(kept, split), hash_of(without, split));
}

TEST(Weighing, AStoppedTrainingRemembersWhoTookPart) {
  const Split split = labelled_world();
  TrainRequest request = request_for("fpl", "recency>size");
  request.plan.cohort = 0.2;
  request.log_every = 1;
  const std::string whole = hash_of(request, split);
  SerialExecutor serial;
  std::atomic<bool> stop = false;
  int calls = 0;
  Bytes saved;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_progress = [&](const TrainProgress&) -> Status {
    if (++calls == 5) stop = true;
    return Done{};
  };
  hooks.on_checkpoint = [&](const Checkpoint& checkpoint) -> Status {
    saved = save_checkpoint(checkpoint);
    return Done{};
  };
  EXPECT_EQ(train(request, split, serial, hooks).error().code, Code::cancelled);
  TrainHooks again;
  const auto resumed = train(request, split, serial, again, load_checkpoint(saved, "c").value());
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_EQ(resumed->model_hash, whole);
}

// What a device adds, weighed: everybody sends the same, each in a row of their own.
std::vector<std::int64_t> weighed_round(Weighing& weighing, SumShape shape, std::uint32_t round,
                                        std::span<const UserIndex> cohort) {
  EXPECT_TRUE(weighing.begin({round, cohort, nullptr}).ok());
  for (const UserIndex user : cohort) {
    Contribution contribution(shape.width);
    ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, user), {}, contribution);
    pipeline.open(Evidence::positive, user.value)[0] = 10000;
    EXPECT_TRUE(weighing.accept(user, contribution).ok());
  }
  SumSpace space(shape.rows, shape.width);
  Aggregator total(space);
  EXPECT_TRUE(weighing.finish(total).ok());
  std::vector<std::int64_t> sums(shape.rows, 0);
  std::move(total).release([&](std::uint32_t row, const auto* values) { sums[row] = values[0]; });
  return sums;
}

TEST(Weighing, ARoundInWhichNobodyAnsweredWentByHereAndAfterAResume) {
  const Split split = labelled_world();
  TrainRequest request = request_for("fcf", "recency");
  const std::vector<UserIndex> users{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
  // Rounds 0 and 2 share one person, and nobody of round 1 is in them.
  std::vector<std::vector<UserIndex>> cohorts;
  for (request.plan.seed = 1;; ++request.plan.seed) {
    ASSERT_LT(request.plan.seed, 1000u);
    CohortSelector selector(users, 2, request.plan.seed);
    cohorts.clear();
    for (std::uint32_t round = 0; round < 3; ++round) {
      const auto chosen = selector.select(round);
      cohorts.emplace_back(chosen.begin(), chosen.end());
    }
    const auto shared = [&](std::size_t a, std::size_t b) {
      return std::ranges::count_if(cohorts[a], [&](UserIndex user) {
        return std::ranges::find(cohorts[b], user) != cohorts[b].end();
      });
    };
    if (shared(0, 1) == 0 && shared(1, 2) == 0 && shared(0, 2) == 1) break;
  }
  std::vector<std::uint16_t> kind_of(split.users.size(), 0);
  for (const UserIndex user : cohorts[1]) kind_of[user.value] = 1;
  ConsentTerms open, silent;
  silent.takes_part = false;
  request.plan.consent.people = std::make_shared<const ConsentBook>(std::vector{open, silent}, kind_of);
  SerialExecutor serial;
  const SumShape shape{split.users.size(), 1};
  const auto weighing = [&](PlainCollector& next) {
    return make_weighing(request, split, {users, 2}, small_sums(request.sum, request.plan.seed, serial), next)
        .value();
  };
  PlainCollector next(shape), next_again(shape);
  const auto whole = weighing(next), resumed = weighing(next_again);
  weighed_round(*whole, shape, 0, cohorts[0]);
  resumed->count_before(2);
  const auto sums = weighed_round(*whole, shape, 2, cohorts[2]);
  EXPECT_EQ(sums, weighed_round(*resumed, shape, 2, cohorts[2]));
  // One was away for one round, the other for two: 2/12 and 3/13, over their mean.
  std::vector<std::int64_t> both;
  for (const UserIndex user : cohorts[2]) both.push_back(sums[user.value]);
  std::ranges::sort(both);
  const double one = 2.0 / 12.0, two = 3.0 / 13.0;
  EXPECT_NEAR(static_cast<double>(both[0]), 20000.0 * one / (one + two), 1.0);
  EXPECT_NEAR(static_cast<double>(both[1]), 20000.0 * two / (one + two), 1.0);
}

TEST(Weighing, PlainAndSecureAreOneWhereSomeKeepBack) {
  const Split split = labelled_world();
  for (const char* mix : {"open=0.7,balanced=0.3", "open=0.1,balanced=0.9"}) {
    TrainRequest plain = request_for("fcf", "size"), secure = request_for("fcf", "size", SumKind::secure);
    plain.consent.mix = secure.consent.mix = mix;
    EXPECT_EQ(hash_of(secure, split), hash_of(plain, split)) << mix;
  }
}

TEST(Weighing, ASumOfCriteriaIsOfTheCrowdAtLeast) {
  const Split split = labelled_world();
  TrainRequest request = request_for("fcf", "size");
  request.consent.mix = "open=0.7,balanced=0.3";
  TrainRequest without = request_for("fcf", "");
  without.consent.mix = request.consent.mix;
  EXPECT_NE(hash_of(request, split), hash_of(without, split));
  request.sum.assumed.crowd = 24;  // nobody's cohort has so many who tell
  EXPECT_EQ(hash_of(request, split), hash_of(without, split));
}

TEST(Weighing, ATrainingTellsWhatWeighingCameTo) {
  const Split split = labelled_world();
  SerialExecutor serial;
  TrainHooks hooks;
  for (const std::string_view model : {"fpl", "fcf"}) {
    EXPECT_FALSE(train(request_for(model, ""), split, serial, hooks)->weighed.has_value());
    TrainRequest request = request_for(model, "size>novelty");
    const WeighingTally all = train(request, split, serial, hooks)->weighed.value();
    EXPECT_GT(all.rounds, 0u);
    EXPECT_LT(all.least, 1.0);
    EXPECT_GT(all.most, 1.0);
    EXPECT_TRUE(all.left_alone.empty());
    request.consent.mix = "open=0.5,balanced=0.5";
    request.sum.assumed.crowd = 24;
    const WeighingTally few = train(request, split, serial, hooks)->weighed.value();
    EXPECT_EQ(few.left_alone,
              (std::map<std::string, std::uint32_t>{{"novelty", few.rounds}, {"size", few.rounds}}));
    EXPECT_EQ(few.least_tellers, 24u);
    EXPECT_EQ(few.least, 1.0);
    EXPECT_EQ(few.most, 1.0);
  }
}

TEST(Weighing, RecencyNeedsSomebodyToBeAway) {
  SerialExecutor serial;
  TrainHooks hooks;
  TrainRequest request = request_for("fcf", "size>recency");
  request.plan.cohort = 1.0;
  const auto trained = train(request, labelled_world(), serial, hooks);
  ASSERT_FALSE(trained.ok());
  EXPECT_NE(trained.error().message.find("--cohort 0.1"), std::string::npos) << trained.error().message;
}

TEST(Weighing, WhatCannotBeIsRefusedWithASentence) {
  const auto refused = [](std::string_view model, auto set, const char* words) {
    TrainRequest request;
    request.data.paths = {"generated"};
    request.model = model;
    request.criteria.order = "size";
    set(request);
    const std::string said = refusal_of(request);
    EXPECT_NE(said.find(words), std::string::npos) << words << ": " << said;
  };
  const auto nothing = [](TrainRequest&) {};
  refused("fedease", nothing, "not for fedease");
  refused("bprmf", nothing, "not for bprmf");
  refused(
      "fpl", [](TrainRequest& r) { r.criteria.order = "size>shoes"; }, "'shoes' is no criterion");
  refused(
      "fpl", [](TrainRequest& r) { r.criteria.order = "size>DS"; }, "twice");
  refused(
      "fpl", [](TrainRequest& r) { r.criteria.order = "trust"; }, "--trust");
  refused(
      "fpl", [](TrainRequest& r) { r.criteria.trust = "file"; }, "name it in --criteria");
  refused(
      "fpl", [](TrainRequest& r) { r.criteria.order = "quality"; }, "--quality-category");
  refused(
      "fpl", [](TrainRequest& r) { r.criteria.size_bound = 0; }, "--size-bound");
  refused(
      "fpl", [](TrainRequest& r) { r.criteria.size_bound = 1'000'001; }, "count the same");
  refused(
      "fpl", [](TrainRequest& r) { r.criteria.score = "max"; }, "no score function");
  refused(
      "fpl", [](TrainRequest& r) { r.criteria.weights = {1.0}; }, "prioritized score has no weights");
  refused(
      "fpl", [](TrainRequest& r) { r.criteria.order = "MWL"; }, "choose closeness");
  refused(
      "fedals", [](TrainRequest& r) { r.criteria.order = "closeness"; }, "sends statistics");
  refused(
      "fpl",
      [](TrainRequest& r) {
        r.dp.place = "central";
        r.dp.noise = 1.0;
      },
      "carry no noise");
  refused(
      "fpl",
      [](TrainRequest& r) {
        r.criteria.order.clear();
        r.criteria.score = "mean";
      },
      "no criteria are named");
}

TEST(Weighing, ACohortOfOneAndMissingCategoriesAreNamedWhenTheDataAreKnown) {
  SerialExecutor serial;
  TrainHooks hooks;
  Split split = labelled_world();
  TrainRequest alone = request_for("fpl", "size");
  alone.plan.cohort = 0.0;
  EXPECT_NE(train(alone, split, serial, hooks).error().message.find("--variant pfpl"), std::string::npos);
  split.item_categories.clear();
  const auto trained = train(request_for("fpl", "diversity"), split, serial, hooks);
  EXPECT_NE(trained.error().message.find("--names FILE"), std::string::npos);
}

TEST(Weighing, TrustIsReadLineByLine) {
  IdTable users;
  for (const char* name : {"a", "b", "c"}) users.intern(name);
  EXPECT_EQ(read_trust("b\t0.25\nsomebody\t0.5\n\na\t0\r\n", "t", users).value(),
            (std::vector<double>{0.0, 0.25, 1.0}));
  for (const char* wrong : {"a\t0.5\nb 1\n", "a\t0.5\nb\t1.5\n", "a\t0.5\nb\tnan\n", "a\t0.5\na\t1\n"}) {
    const auto trust = read_trust(wrong, "t.tsv", users);
    ASSERT_FALSE(trust.ok()) << wrong;
    EXPECT_NE(trust.error().message.find("t.tsv, line 2"), std::string::npos) << trust.error().message;
  }
  for (const char* of_nobody : {"", "somebody\t0.5\nelse\t1\n"}) {
    const auto trust = read_trust(of_nobody, "t.tsv", users);
    ASSERT_FALSE(trust.ok()) << of_nobody;
    EXPECT_NE(trust.error().message.find("no line names a user"), std::string::npos);
  }
}

TEST(Weighing, ALedgerSaysWhichCriteriaWereTold) {
  TrainRequest request = request_for("fpl", "size>novelty");
  EXPECT_EQ(told_in_words(request, {0}), ", told size and novelty");
  ConsentTerms some, none;
  some.criteria.named["size"] = false;
  none.criteria.others = false;
  request.plan.consent.people =
      std::make_shared<const ConsentBook>(std::vector{some, none}, std::vector<std::uint16_t>{0, 1});
  EXPECT_EQ(told_in_words(request, {0}), ", told novelty");
  EXPECT_EQ(told_in_words(request, {1}), ", told no criteria");
  request.criteria.order.clear();
  EXPECT_EQ(told_in_words(request, {0}), "");
}

TEST(Weighing, APlanHoldsItsCriteria) {
  TrainRequest request = request_for("fpl", "size>novelty");
  request.criteria.score = "owa";
  request.criteria.weights = {0.75, 0.25};
  request.criteria.size_bound = 50;
  const auto again = from_toml(to_toml(request), "plan.toml");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->criteria.order, "size>novelty");
  EXPECT_EQ(again->criteria.score, "owa");
  EXPECT_EQ(again->criteria.weights, request.criteria.weights);
  EXPECT_EQ(again->criteria.size_bound, 50u);
  EXPECT_EQ(to_toml(request_for("fpl", "")).find("[criteria]"), std::string::npos)
      << "old plans keep their text";
}

}  // namespace
}  // namespace sotto::engine
