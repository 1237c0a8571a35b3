// What a rule forbids is in no contribution: for any seed, model, round and path, as a collector sees them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "data/kg/feature_names.h"
#include "model/central/testing/small_worlds.h"
#include "privacy/feature_consent.h"
#include "privacy/pair_contribution.h"
#include "sim/history_federation.h"
#include "sim/pair_round.h"
#include "sim/thread_pool.h"

namespace sotto::sim::consent_test {

constexpr std::uint32_t people = 24;
constexpr std::uint32_t catalogue = 30;

// Everything that left the devices of some rounds.
struct Seen {
  struct Sent {
    std::uint32_t user;
    std::uint32_t row;
    std::vector<std::int32_t> values;
    bool operator==(const Sent&) const = default;
  };
  std::set<std::uint32_t> in_cohort;
  std::vector<Sent> sends;

  [[nodiscard]] bool knows(std::uint32_t user) const {
    return in_cohort.contains(user) ||
           std::ranges::any_of(sends, [&](const Sent& sent) { return sent.user == user; });
  }
};

class Capture final : public Collector {
 public:
  Capture(SumShape shape, Seen& seen) : next_(shape), seen_(seen) {}
  [[nodiscard]] Status begin(const RoundPlace& place) override {
    for (const UserIndex user : place.cohort) seen_.in_cohort.insert(user.value);
    return next_.begin(place);
  }
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override {
    for (std::size_t n = 0; n < contribution.size(); ++n) {
      const std::int32_t* values = contribution.values(n);
      seen_.sends.push_back({user.value, contribution.row(n), {values, values + contribution.width()}});
    }
    return next_.accept(user, contribution);
  }
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override { return next_.finish(total); }

 private:
  PlainCollector next_;
  Seen& seen_;
};

constexpr std::uint64_t book_seed = 5;

// Users by remainder of 4: a share of the history, rules, rules with another π, takes no part.
struct Scene {
  Histories histories;
  std::vector<ItemRule> rules;
  Plan plan;

  // By a rule, or of the part of the history that does not enter.
  [[nodiscard]] bool forbidden(std::uint32_t user, std::uint32_t item) const {
    if (user % 4 == 0)
      return histories.contains({user}, {item}) && !carries(book_seed, {user}, {item}, whole_record, 0.6f);
    return (user % 4 == 1 || user % 4 == 2) && rules[item] == ItemRule::never;
  }
  [[nodiscard]] bool silent(std::uint32_t user) const { return user % 4 == 3; }
};

Scene any_scene() {
  Scene scene;
  scene.histories = histories_of(planted_rows(people, catalogue, 4, *rc::gen::inRange(3, 9)));
  for (std::uint32_t item = 0; item < catalogue; ++item)
    scene.rules.push_back(static_cast<ItemRule>(*rc::gen::inRange(0, 3)));
  const auto mask = *rc::gen::element(MaskKind::redraw, MaskKind::round, MaskKind::sticky);
  std::vector<ConsentTerms> kinds(4);
  kinds[0] = {.pi = 0.5, .mask = mask};
  kinds[0].contexts.history = 0.6f;
  kinds[1] = {.pi = 1.0, .mask = mask, .rules = scene.rules};
  kinds[2] = {.pi = 0.5, .mask = mask, .rules = scene.rules};
  kinds[3] = {.pi = 1.0, .takes_part = false, .rules = scene.rules};
  std::vector<std::uint16_t> kind_of;
  for (std::uint32_t user = 0; user < people; ++user) kind_of.push_back(user % 4);
  scene.plan.consent.people = std::make_shared<ConsentBook>(std::move(kinds), std::move(kind_of), book_seed);
  scene.plan.seed = *rc::gen::arbitrary<std::uint64_t>();
  scene.plan.fpl.factors = 3;
  scene.plan.cohort = *rc::gen::element(0.0, 0.4, 1.0);
  scene.plan.triples = *rc::gen::element(1u, 5u);
  return scene;
}

void expect_silence(const Scene& scene, const Seen& seen) {
  for (std::uint32_t user = 0; user < people; ++user)
    if (scene.silent(user)) RC_ASSERT(!seen.knows(user));
}

template <class T>
T expected(Result<T> result) {
  if (!result.ok()) RC_FAIL(result.error().message);
  return std::move(result).value();
}

Seen run_fpl(const Scene& scene, Path path) {
  const Fpl model(scene.plan.fpl, catalogue, scene.plan.seed);
  const auto users = eligible_users(scene.histories, catalogue).size();
  const Schedule schedule = expected(schedule_for(scene.plan, users, scene.histories.interactions()));
  SerialExecutor serial;
  FplFederation federation(model, scene.plan, schedule, scene.histories, serial, path);
  Seen seen;
  Capture capture({model.shared_rows(), model.shared_width()}, seen);
  federation.collect_with(capture);
  RC_ASSERT(federation.run(schedule.cohort == 1 ? 60 : 4).ok());
  return seen;
}

RC_GTEST_PROP(ConsentEverywhere, FplNeverSendsARowOfAForbiddenItem, ()) {
  const Scene scene = any_scene();
  const Seen seen = run_fpl(scene, *rc::gen::element(Path::fast, Path::wire));
  expect_silence(scene, seen);
  for (const Seen::Sent& sent : seen.sends)
    RC_ASSERT_FALSE(
        (scene.forbidden(sent.user, sent.row) && scene.histories.contains({sent.user}, {sent.row})));
}

template <class Model>
Seen run_history(const Histories& histories, const Plan& plan, const Model& model, Path path,
                 std::uint32_t rounds = 3) {
  const auto users = users_with_history(histories).size();
  const Schedule schedule = history_schedule_for(plan, users).value();
  SerialExecutor serial;
  HistoryFederation<Model> federation(model, plan, schedule, histories, serial, path);
  Seen seen;
  Capture capture({model.sum_rows(), model.sum_width()}, seen);
  federation.collect_with(capture);
  const auto report = federation.run(rounds);
  if (!report.ok()) RC_FAIL(report.error().message);
  return seen;
}

const AlsOptions small_als{.factors = 3, .lambda = 1.0f};

RC_GTEST_PROP(ConsentEverywhere, FedAlsNeverSendsARowOfAForbiddenItem, ()) {
  const Scene scene = any_scene();
  const Seen seen = run_history(scene.histories, scene.plan, FedAls(small_als, catalogue),
                                *rc::gen::element(Path::fast, Path::wire));
  expect_silence(scene, seen);
  for (const Seen::Sent& sent : seen.sends)
    RC_ASSERT_FALSE((sent.row > 0 && scene.forbidden(sent.user, sent.row - 1)));
}

// Of devices that answer about every item, what leaves must be what leaves somebody who does not have them.
template <class Model>
void expect_as_if_not_had(const Scene& scene, const Model& model, Path path) {
  const Histories without = scene.plan.consent.people->shareable(scene.histories);
  const Seen ruled = run_history(scene.histories, scene.plan, model, path);
  RC_ASSERT(ruled.sends == run_history(without, scene.plan, model, path).sends);
  RC_PRE(!ruled.sends.empty());
  expect_silence(scene, ruled);
}

RC_GTEST_PROP(ConsentEverywhere, WhatFcfAndFedAlsSendDoesNotDependOnForbiddenItems, ()) {
  Scene scene = any_scene();
  scene.plan.cohort = 1.0;
  const Path path = *rc::gen::element(Path::fast, Path::wire);
  expect_as_if_not_had(scene, Fcf({.als = small_als}, catalogue, 1.0), path);
  expect_as_if_not_had(scene, FedAls(small_als, catalogue), path);
}

// Items with features of a few kinds; `kept` tells for each item whether it has the one that is kept back.
// The last item always does, so that the features keep their numbers.
std::shared_ptr<const ItemFeatures> features_with(const std::vector<std::vector<std::uint32_t>>& others,
                                                  const std::vector<int>& kept) {
  FeatureList list;
  IdTable items;
  const std::uint32_t predicate = list.intern_predicate("has");
  const std::uint32_t own = list.objects.intern("kept back");
  for (std::uint32_t item = 0; item < catalogue; ++item) {
    items.intern(std::to_string(item));
    list.items.intern(std::to_string(item));
    for (const std::uint32_t other : others[item])
      list.facts.push_back({item, predicate, list.objects.intern(std::to_string(other))});
    if (kept[item] != 0 || item + 1 == catalogue) list.facts.push_back({item, predicate, own});
  }
  list.settle();
  return std::make_shared<ItemFeatures>(list, items, FeatureFilter{.min_items = 1});
}

// Whether an item has a feature or not changes nothing of what those send who keep it back: in the first
// round where others do not, in every round where all do.
RC_GTEST_PROP(ConsentEverywhere, WhatKgflexSendsDoesNotDependOnAFeatureThatIsKeptBack, ()) {
  Scene scene = any_scene();
  const bool everybody = *rc::gen::arbitrary<bool>();
  std::vector<std::vector<std::uint32_t>> others(catalogue);
  for (auto& row : others) row = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0u, 8u));
  std::vector<int> kept[2];
  for (std::vector<int>& each : kept)
    each = *rc::gen::container<std::vector<int>>(catalogue, rc::gen::inRange(0, 2));
  const FeatureIndex back = [&] {
    const auto features = features_with(others, kept[0]);
    return FeatureNames(*features).called("has kept back").at(0);
  }();
  std::vector<ConsentTerms> kinds(4);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    kinds[kind] = scene.plan.consent.people->kinds()[kind];
    if (everybody || kind % 2 == 1) kinds[kind].kept_back = {back};
  }
  std::vector<std::uint16_t> kind_of;
  for (std::uint32_t user = 0; user < people; ++user) kind_of.push_back(user % 4);
  scene.plan.consent.people = std::make_shared<ConsentBook>(std::move(kinds), std::move(kind_of));
  const Path path = *rc::gen::element(Path::fast, Path::wire);
  const KgflexOptions options{.factors = 3, .seed = scene.plan.seed};
  const auto sends = [&](const std::vector<int>& holders) {
    SerialExecutor serial;
    auto devices = std::make_shared<const KgflexDevices>(
        features_with(others, holders), shareable(scene.plan.consent, scene.histories), catalogue,
        ProfileOptions{.most = {3, 3}, .seed = scene.plan.seed}, keeps_back(scene.plan.consent), serial);
    std::vector<Seen::Sent> sent =
        run_history(scene.histories, scene.plan, Kgflex(options, std::move(devices)), path, everybody ? 3 : 1)
            .sends;
    if (!everybody) std::erase_if(sent, [](const Seen::Sent& one) { return one.user % 2 == 0; });
    return sent;
  };
  const std::vector<Seen::Sent> sent = sends(kept[0]);
  RC_ASSERT(sent == sends(kept[1]));
  for (const Seen::Sent& one : sent) RC_ASSERT(one.row != back.value);
}

RC_GTEST_PROP(ConsentEverywhere, WhatKgflexSendsDoesNotDependOnForbiddenItems, ()) {
  Scene scene = any_scene();
  scene.plan.cohort = 1.0;
  std::vector<std::vector<std::uint32_t>> others(catalogue);
  for (auto& row : others)
    row = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0u, 8u)));
  SerialExecutor serial;
  auto devices = std::make_shared<const KgflexDevices>(
      features_with(others, std::vector<int>(catalogue, 0)), shareable(scene.plan.consent, scene.histories),
      catalogue, ProfileOptions{.seed = scene.plan.seed}, KeepsBack(), serial);
  const Kgflex model({.factors = 3, .seed = scene.plan.seed}, std::move(devices));
  expect_as_if_not_had(scene, model, *rc::gen::element(Path::fast, Path::wire));
}

// Who has every item and keeps one back has one that can be drawn.
TEST(ConsentEverywhere, KgflexServesSomebodyWhoHasEverythingAndKeepsOneBack) {
  std::vector<ItemIndex> all;
  for (std::uint32_t item = 0; item < catalogue; ++item) all.push_back({item});
  const Histories histories({0, catalogue}, all);
  std::vector<ConsentTerms> kinds(1);
  kinds[0].rules.assign(catalogue, ItemRule::none);
  kinds[0].rules[2] = ItemRule::never;
  Plan plan;
  plan.consent.people = std::make_shared<ConsentBook>(kinds, std::vector<std::uint16_t>{0});
  std::vector<std::vector<std::uint32_t>> others(catalogue);
  for (std::uint32_t item = 0; item < catalogue; ++item) others[item] = {item % 3};
  SerialExecutor serial;
  auto devices = std::make_shared<const KgflexDevices>(features_with(others, std::vector<int>(catalogue, 0)),
                                                       shareable(plan.consent, histories), catalogue,
                                                       ProfileOptions{}, KeepsBack(), serial);
  const Kgflex model({.factors = 3}, std::move(devices));
  HistoryFederation<Kgflex> federation(model, plan, history_schedule_for(plan, 1).value(), histories, serial);
  EXPECT_TRUE(federation.run(5).ok());
}

RC_GTEST_PROP(ConsentEverywhere, PairsNeverHoldAForbiddenItem, ()) {
  const Scene scene = any_scene();
  const PairLayout layout(catalogue);
  Seen seen;
  Capture capture({layout.rows(), PairLayout::width}, seen);
  RC_ASSERT(collect_pairs(scene.histories, catalogue, scene.plan, PersonWeight(0.5f), capture).ok());
  expect_silence(scene, seen);
  for (const Seen::Sent& sent : seen.sends)
    for (std::uint32_t item = 0; item < catalogue; ++item) {
      if (!scene.forbidden(sent.user, item)) continue;
      for (std::uint32_t other = 0; other < catalogue; ++other) {
        const std::size_t at = layout.pair(std::max(item, other), std::min(item, other));
        if (at / PairLayout::width == sent.row) RC_ASSERT(sent.values[at % PairLayout::width] == 0);
      }
      const std::size_t at = layout.popularity(item);
      if (at / PairLayout::width == sent.row) RC_ASSERT(sent.values[at % PairLayout::width] == 0);
    }
}

RC_GTEST_PROP(ConsentEverywhere, TheShortWayIsTheWireAndTheCollectors, ()) {
  const Scene scene = any_scene();
  const Fpl model(scene.plan.fpl, catalogue, scene.plan.seed);
  const auto users = eligible_users(scene.histories, catalogue).size();
  const Schedule schedule = expected(schedule_for(scene.plan, users, scene.histories.interactions()));
  std::vector<std::string> hashes;
  for (const Path path : {Path::fast, Path::wire})
    for (const bool collected : {false, true}) {
      ThreadPool pool(2);
      FplFederation federation(model, scene.plan, schedule, scene.histories, pool, path);
      PlainCollector plain({model.shared_rows(), model.shared_width()});
      if (collected) federation.collect_with(plain);
      const auto report = federation.run(schedule.cohort == 1 ? 60 : 4);
      RC_ASSERT(report.ok());
      hashes.push_back(hash_rows(federation.state().shared) + std::to_string(report->bytes_up));
    }
  for (const std::string& hash : hashes) RC_ASSERT(hash == hashes.front());
  // And of the pairs: the fast sum is the collected one.
  SerialExecutor serial;
  const PairRound fast =
      expected(gather_pairs(scene.histories, catalogue, scene.plan, PersonWeight(), serial));
  const PairRound wire =
      expected(gather_pairs(scene.histories, catalogue, scene.plan, PersonWeight(), serial, Path::wire));
  const PairLayout layout(catalogue);
  PlainCollector plain({layout.rows(), PairLayout::width});
  const CollectedNumbers totals =
      expected(collect_pairs(scene.histories, catalogue, scene.plan, PersonWeight(), plain));
  for (std::uint32_t item = 0; item < catalogue; ++item) {
    RC_ASSERT(fast.sum.popularity()[item] == wire.sum.popularity()[item]);
    RC_ASSERT(std::int64_t{fast.sum.popularity()[item]} == totals.sums[layout.popularity(item)]);
  }
  RC_ASSERT(fast.report.exchanges == people - people / 4);
  RC_ASSERT(totals.report.exchanges == fast.report.exchanges);
}

}  // namespace sotto::sim::consent_test
