// Fed-CARS in a federation: the same bytes by every way, eq. 7 number by number, and not a bit of what a
// person's protocol keeps out.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "model/fedcars/fedcars_recommender.h"
#include "model/fedcars/testing/small_rated_world.h"
#include "privacy/context_consent.h"
#include "sim/history_federation.h"
#include "sim/thread_pool.h"

namespace sotto::sim::fedcars_federation_test {

const Split& world() {
  static const Split split = small_rated_world(11, {.users = 60, .items = 40, .history = 12});
  return split;
}

FedcarsOptions small_options(ServerStep step = ServerStep::adam) {
  FedcarsOptions options;
  options.factors = 4;
  options.seed = 5;
  options.choice.rate = 1.0f;
  options.half_life = 4.0f;
  options.server = {.step = step, .rate = 0.02f};
  return options;
}

Plan plan_of(double pi, MaskKind mask, double cohort) {
  Plan plan;
  plan.seed = 5;
  plan.consent = {pi, mask};
  plan.cohort = cohort;
  return plan;
}

Fedcars model_of(const Split& split, const FedcarsOptions& options, const Plan& plan) {
  return {options, std::make_shared<const FedcarsDevices>(split, shareable(plan.consent, split.train),
                                                          context_terms(plan.consent), options)};
}

struct Outcome {
  std::string shared;
  std::int64_t loss = 0;
  std::uint64_t bytes_up = 0, bytes_down = 0, steps = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome run(const Split& split, const FedcarsOptions& options, const Plan& plan, std::size_t threads = 1,
            Path path = Path::fast, bool collected = false) {
  ThreadPool pool(threads);
  const Fedcars model = model_of(split, options, plan);
  const Schedule schedule = history_schedule_for(plan, users_with_history(split.train).size()).value();
  HistoryFederation<Fedcars> federation(model, plan, schedule, split.train, pool, path);
  PlainCollector collector({model.sum_rows(), model.sum_width()});
  if (collected) federation.collect_with(collector);
  const RoundReport report = federation.run(6).value();
  return {hash_rows(federation.state().shared), report.loss_units, report.bytes_up, report.bytes_down,
          report.triples};
}

TEST(FedcarsFederation, ThreadsTheWireAndACollectorChangeNothing) {
  for (const Plan& plan : {plan_of(1.0, MaskKind::sticky, 1.0), plan_of(0.5, MaskKind::sticky, 0.5),
                           plan_of(0.5, MaskKind::redraw, 0.25)}) {
    const Outcome one = run(world(), small_options(), plan);
    EXPECT_EQ(run(world(), small_options(), plan, 3), one);
    EXPECT_EQ(run(world(), small_options(), plan, 2, Path::wire), one);
    EXPECT_EQ(run(world(), small_options(), plan, 1, Path::fast, true).shared, one.shared);
    EXPECT_GT(one.steps, 0u);
    EXPECT_GT(one.bytes_up, 0u);
  }
}

TEST(FedcarsFederation, GoesOnFromASavedStateAsIfNothingHadHappened) {
  const Plan plan = plan_of(0.5, MaskKind::redraw, 0.25);
  const Fedcars model = model_of(world(), small_options(), plan);
  SerialExecutor serial;
  const Schedule schedule = history_schedule_for(plan, users_with_history(world().train).size()).value();
  HistoryFederation<Fedcars> whole(model, plan, schedule, world().train, serial);
  HistoryFederation<Fedcars> before(model, plan, schedule, world().train, serial);
  HistoryFederation<Fedcars> after(model, plan, schedule, world().train, serial);
  (void)whole.run(9).value();
  (void)before.run(4).value();
  after.restore(std::move(before).take());
  (void)after.run(5).value();
  EXPECT_EQ(hash_rows(after.state().shared), hash_rows(whole.state().shared));
}

// What a device sends in a visit, and with whatever it was asked to start from.
Contribution sent_by(const Fedcars& model, const Plan& plan, const RowMatrix& shared, UserIndex user,
                     std::uint32_t round) {
  Contribution sent(model.sum_width());
  ContributionPipeline pipeline({plan.consent, plan.seed, round, user}, plan.fixed, sent);
  Fedcars::Device device(model);
  float own = 0.0f;
  RowMatrix received = shared;  // after round 0 somebody has counted
  if (round > 0) received.row(model.layout().tally_row())[0] = 1.0f;
  EXPECT_TRUE(
      device.contribute({&received, model.devices().history(user), &own, user, round}, pipeline).finite);
  sent.make_canonical();
  return sent;
}

// θ = Σ W_i θ_i with θ_i = θ − β s_i and W_i = |D_i| / Σ |D|, from what each device would send alone.
TEST(FedcarsFederation, ARoundOfPlainStepsIsTheWeightedMeanOfTheDevicesModels) {
  FedcarsOptions options = small_options(ServerStep::sgd);
  options.popularity_start = false;
  options.choice_rate = 1.0f;
  const Plan plan = plan_of(1.0, MaskKind::sticky, 1.0);
  const Fedcars model = model_of(world(), options, plan);
  SerialExecutor serial;
  const Schedule schedule = history_schedule_for(plan, 60).value();
  HistoryFederation<Fedcars> federation(model, plan, schedule, world().train, serial);
  (void)federation.run(1).value();
  const RowMatrix start = model.start_shared();
  double records = 0.0;
  for (const UserIndex user : users_with_history(world().train))
    records += static_cast<double>(world().train.of(user).size());
  std::vector<std::vector<double>> mean(start.rows(), std::vector<double>(start.width(), 0.0));
  for (const UserIndex user : users_with_history(world().train)) {
    const Contribution sent = sent_by(model, plan, start, user, 0);
    const double own = static_cast<double>(world().train.of(user).size());
    std::vector<std::vector<double>> theta(start.rows());
    for (std::size_t row = 0; row < start.rows(); ++row)
      theta[row].assign(start.row(row), start.row(row) + start.width());
    for (std::size_t n = 0; n < sent.size(); ++n)
      for (std::size_t k = 0; k < start.width() && sent.row(n) != model.layout().tally_row(); ++k)
        theta[sent.row(n)][k] -=
            0.02 * sent.values(n)[k] * 64.0 / (own * static_cast<double>(plan.fixed.scale()));
    for (std::size_t row = 0; row < start.rows(); ++row)
      for (std::size_t k = 0; k < start.width(); ++k) mean[row][k] += own / records * theta[row][k];
  }
  for (std::size_t row = 0; row < start.rows(); ++row)
    for (std::size_t k = 0; k < start.width(); ++k)
      EXPECT_NEAR(federation.state().shared.row(row)[k], mean[row][k], 1e-5);
}

TEST(FedcarsFederation, TheFirstRoundCounts) {
  const FedcarsOptions options = small_options();
  const Plan plan = plan_of(1.0, MaskKind::sticky, 1.0);
  const Fedcars model = model_of(world(), options, plan);
  SerialExecutor serial;
  HistoryFederation<Fedcars> federation(model, plan, history_schedule_for(plan, 60).value(), world().train,
                                        serial);
  (void)federation.run(1).value();
  const auto& ratings = world().records->train.ratings;
  double mean = 0.0;
  for (const float rating : ratings)
    mean += (static_cast<double>(rating) - 3.0) / static_cast<double>(ratings.size());
  const RowMatrix& shared = federation.state().shared;
  EXPECT_NEAR(shared.row(model.layout().common_row())[4], mean, 1e-3);
  for (std::uint32_t item = 0; item < 40; ++item) {
    double sum = 0.0, times = 0.0;
    for (std::size_t n = 0; n < ratings.size(); ++n)
      if (world().train.items()[n].value == item)
        sum += static_cast<double>(ratings[n]) - 3.0 - mean, times += 1.0;
    EXPECT_NEAR(shared.row(item)[4], sum / (times + 5.0), 1e-3);
    const double usual = 3.0 * static_cast<double>(ratings.size()) / 40.0;
    EXPECT_NEAR(shared.row(item)[9], std::log((times + 1.0) / (usual + 1.0)), 1e-3);
  }
}

// A round that nobody answers says nothing: the next one counts, and what is learned then is what would have
// been learned without it.
TEST(FedcarsFederation, TheFirstRoundThatSomebodyAnswersCounts) {
  const Plan plan = plan_of(1.0, MaskKind::sticky, 1.0);
  const Fedcars model = model_of(world(), small_options(), plan);
  RowMatrix shared = model.start_shared(), memory = model.start_memory();
  const auto round = [&](std::uint32_t number, bool answered) {
    Fedcars::Server server(model, number, plan.fixed, shared, memory);
    std::vector<std::vector<std::int64_t>> sums(model.sum_rows());
    for (const UserIndex user : users_with_history(world().train)) {
      if (!answered) break;
      const Contribution sent = sent_by(model, plan, shared, user, 0);
      for (std::size_t n = 0; n < sent.size(); ++n) {
        auto& sum = sums[sent.row(n)];
        sum.resize(model.sum_width());
        for (std::size_t k = 0; k < model.sum_width(); ++k) sum[k] += sent.values(n)[k];
      }
    }
    for (std::uint32_t row = 0; row < sums.size(); ++row)
      if (!sums[row].empty()) server.take(row, sums[row].data());
    EXPECT_TRUE(server.solved());
  };
  round(0, false);
  EXPECT_EQ(hash_rows(shared), hash_rows(model.start_shared()));
  round(1, true);
  const RowMatrix counted = shared;
  round(2, true);
  const RowMatrix late = shared;
  shared = model.start_shared();
  memory = model.start_memory();
  round(0, true);
  const std::uint32_t tally = model.layout().tally_row();
  for (std::uint32_t row = 0; row < tally; ++row)
    EXPECT_TRUE(std::ranges::equal(shared.values(row), counted.values(row))) << row;
  EXPECT_NE(shared.row(3)[4], 0.0f);
  round(1, true);
  for (std::uint32_t row = 0; row < tally; ++row)
    EXPECT_TRUE(std::ranges::equal(shared.values(row), late.values(row))) << row;
}

// What was drawn as not chosen is sent, too, and moves no half that explains ratings.
TEST(FedcarsFederation, LearningChoicesChangesNothingAboutRatings) {
  const Plan plan = plan_of(1.0, MaskKind::sticky, 0.25);
  SerialExecutor serial;
  std::vector<RowMatrix> shared;
  for (const bool chooses : {true, false}) {
    FedcarsOptions options = small_options();
    options.chooses = chooses;
    const Fedcars model = model_of(world(), options, plan);
    HistoryFederation<Fedcars> federation(model, plan, history_schedule_for(plan, 60).value(), world().train,
                                          serial);
    (void)federation.run(12).value();
    shared.push_back(federation.state().shared);
  }
  ASSERT_EQ(shared[0].rows(), shared[1].rows());
  for (std::uint32_t row = 0; row < shared[0].rows(); ++row)
    EXPECT_TRUE(std::ranges::equal(shared[0].values(row).first(5), shared[1].values(row))) << row;
}

TEST(FedcarsFederation, LearnsTheWorld) {
  FedcarsOptions options = small_options();
  options.rating.prior = 1.0f;
  const Split split = small_rated_world(2, {.users = 150, .items = 40, .history = 20});
  const Plan plan = plan_of(1.0, MaskKind::sticky, 0.2);
  const Fedcars model = model_of(split, options, plan);
  SerialExecutor serial;
  HistoryFederation<Fedcars> federation(model, plan, history_schedule_for(plan, 150).value(), split.train,
                                        serial);
  const auto error = [&] {
    const FedcarsRecommender recommender(model, &federation.state().shared);
    double sum = 0.0;
    for (std::uint32_t user = 0; user < 150; ++user)
      for (std::size_t k = 0; k < split.test.of({user}).size(); ++k) {
        const std::uint64_t at = split.test.offsets()[user] + k;
        const Occasion occasion{split.test.of({user})[k], split.contexts->test.of(at)};
        float rating = 0.0f;
        recommender.predict({user}, std::span(&occasion, 1), std::span(&rating, 1));
        sum += std::abs(static_cast<double>(rating - split.records->test.ratings[at]));
      }
    return sum / static_cast<double>(split.test.interactions());
  };
  const double before = error();
  (void)federation.run(150).value();
  EXPECT_LT(error(), 0.5 * before);
}

// Everybody as the plan says, but one person with terms of their own.
Plan with_terms(Plan plan, UserIndex person, ConsentTerms terms) {
  std::vector<std::uint16_t> kind_of(60, 0);
  kind_of[person.value] = 1;
  plan.consent.people = std::make_shared<const ConsentBook>(
      std::vector<ConsentTerms>{ConsentTerms{}, std::move(terms)}, std::move(kind_of), plan.seed);
  return plan;
}

std::vector<std::vector<std::int32_t>> rows_of(const Contribution& sent, std::size_t width) {
  std::vector<std::vector<std::int32_t>> rows;
  for (std::size_t n = 0; n < sent.size(); ++n) {
    rows.emplace_back(1, static_cast<std::int32_t>(sent.row(n)));
    rows.back().insert(rows.back().end(), sent.values(n), sent.values(n) + width);
  }
  return rows;
}

// The same world, but one person's hidden values are others.
RC_GTEST_PROP(FedcarsFederation, NoBitDependsOnADimensionThatIsOff, ()) {
  const UserIndex person{*rc::gen::inRange(0u, 60u)};
  const bool weather = *rc::gen::arbitrary<bool>();
  const float kinds = *rc::gen::element(0.0f, 0.5f, 1.0f);
  ConsentTerms terms;
  terms.contexts.shares = {weather ? 0.0f : 1.0f, kinds, weather ? 1.0f : 0.0f};
  const Plan plan = with_terms(plan_of(1.0, MaskKind::sticky, 1.0), person, terms);
  Split other = world();
  Contexts contexts = *other.contexts;
  std::uint32_t& age = contexts.people.values[person.value];
  for (std::uint64_t at = other.train.offsets()[person.value]; at < other.train.offsets()[person.value + 1];
       ++at)
    if (weather) contexts.train.values[at] = *rc::gen::element(0u, 1u, 2u, no_context);
  if (!weather) age = age == 7 ? 8 : 7;
  other.contexts = std::make_shared<const Contexts>(contexts);
  const Fedcars here = model_of(world(), small_options(), plan),
                there = model_of(other, small_options(), plan);
  RowMatrix shared = here.start_shared();
  for (const std::uint32_t round : {0u, 1u, 5u})
    RC_ASSERT(rows_of(sent_by(here, plan, shared, person, round), here.sum_width()) ==
              rows_of(sent_by(there, plan, shared, person, round), there.sum_width()));
  RC_ASSERT(run(world(), small_options(), plan).shared == run(other, small_options(), plan).shared);
}

// Full: the same change is seen, so the test above can fail.
TEST(FedcarsFederation, WhatIsLetInIsSeen) {
  const Plan plan = plan_of(1.0, MaskKind::sticky, 1.0);
  Split other = world();
  Contexts contexts = *other.contexts;
  contexts.people.values[4] = contexts.people.values[4] == 7 ? 8 : 7;
  other.contexts = std::make_shared<const Contexts>(contexts);
  const Fedcars here = model_of(world(), small_options(), plan),
                there = model_of(other, small_options(), plan);
  const RowMatrix shared = here.start_shared();
  EXPECT_NE(rows_of(sent_by(here, plan, shared, {4}, 1), here.sum_width()),
            rows_of(sent_by(there, plan, shared, {4}, 1), there.sum_width()));
}

// A record under `never` may have any rating, time and context.
RC_GTEST_PROP(FedcarsFederation, NoBitDependsOnARecordThatIsKeptBack, ()) {
  const UserIndex person{*rc::gen::suchThat(
      rc::gen::inRange(0u, 60u), [](std::uint32_t user) { return world().train.of({user}).size() > 1; })};
  const auto own = world().train.of(person);
  const std::size_t hidden = *rc::gen::inRange<std::size_t>(0, own.size());
  ConsentTerms terms;
  terms.rules.assign(40, ItemRule::none);
  terms.rules[own[hidden].value] = ItemRule::never;
  const Plan plan = with_terms(plan_of(1.0, MaskKind::sticky, 1.0), person, terms);
  Split other = world();
  Records records = *other.records;
  Contexts contexts = *other.contexts;
  const std::uint64_t at = other.train.offsets()[person.value] + hidden;
  records.train.ratings[at] = *rc::gen::element(1.0f, 3.0f, 5.0f);
  records.train.times[at] = *rc::gen::element<std::int64_t>(0, 1'005'000'000, 2'000'000'000);
  contexts.train.values[at] = *rc::gen::element(0u, 1u, 2u, no_context);
  std::vector<std::uint16_t> ages(other.train.ages().begin(), other.train.ages().end());
  const std::uint16_t age = ages[at];  // the hidden record becomes the newest
  for (std::uint64_t n = other.train.offsets()[person.value]; n < other.train.offsets()[person.value + 1];
       ++n)
    ages[n] = static_cast<std::uint16_t>(n == at ? 0 : ages[n] < age ? ages[n] + 1 : ages[n]);
  other.train = Histories({other.train.offsets().begin(), other.train.offsets().end()},
                          {other.train.items().begin(), other.train.items().end()}, std::move(ages));
  other.records = std::make_shared<const Records>(records);
  other.contexts = std::make_shared<const Contexts>(contexts);
  const Fedcars here = model_of(world(), small_options(), plan),
                there = model_of(other, small_options(), plan);
  const RowMatrix shared = here.start_shared();
  for (const std::uint32_t round : {0u, 1u})
    RC_ASSERT(rows_of(sent_by(here, plan, shared, person, round), here.sum_width()) ==
              rows_of(sent_by(there, plan, shared, person, round), there.sum_width()));
}

// A record that the mask keeps back may as well not be there: not even what is drawn beside tells of it.
TEST(FedcarsFederation, AMaskedRecordMayAsWellNotBeThere) {
  const Plan plan = plan_of(0.5, MaskKind::sticky, 1.0);
  const FedcarsOptions options = small_options();
  const Fedcars here = model_of(world(), options, plan);
  const RowMatrix shared = here.start_shared();
  std::size_t compared = 0;
  for (std::uint32_t user = 0; user < 60; ++user) {
    ConsentGate gate(plan.consent, plan.seed, 1, {user});
    std::vector<ItemIndex> left;
    for (const ItemIndex item : world().train.of({user}))
      if (gate.allows(Evidence::positive, item.value)) left.push_back(item);
    if (left.empty() || left.size() == world().train.of({user}).size()) continue;
    std::vector<std::uint64_t> offsets(61, 0);
    std::fill(offsets.begin() + user + 1, offsets.end(), left.size());
    const Fedcars there(options, std::make_shared<const FedcarsDevices>(
                                     world(), Histories(std::move(offsets), std::move(left)),
                                     context_terms(plan.consent), options));
    for (const std::uint32_t round : {0u, 1u, 2u})
      EXPECT_EQ(rows_of(sent_by(here, plan, shared, {user}, round), here.sum_width()),
                rows_of(sent_by(there, plan, shared, {user}, round), there.sum_width()));
    ++compared;
  }
  EXPECT_GT(compared, 20u);
}

// π: a record that may not leave is in no part of the episode. Its item may be drawn as one that was not
// chosen, as any item may: of its rating nothing is said.
TEST(FedcarsFederation, NothingIsSaidOfRatingsThatMayNotLeave) {
  const Plan plan = plan_of(0.5, MaskKind::sticky, 1.0);
  const Fedcars model = model_of(world(), small_options(), plan);
  const RowMatrix shared = model.start_shared();
  std::size_t kept = 0;
  for (std::uint32_t user = 0; user < 60; ++user) {
    ConsentGate gate(plan.consent, plan.seed, 1, {user});
    const Contribution sent = sent_by(model, plan, shared, {user}, 1);
    for (const ItemIndex item : world().train.of({user})) {
      if (gate.allows(Evidence::positive, item.value)) continue;
      ++kept;
      for (std::size_t n = 0; n < sent.size(); ++n)
        for (std::size_t k = 0; sent.row(n) == item.value && k < model.layout().shape.width(); ++k)
          EXPECT_EQ(sent.values(n)[k], 0);
    }
  }
  EXPECT_GT(kept, 20u);
}

}  // namespace sotto::sim::fedcars_federation_test
