// KGFlex in a federation: the same bytes by every way, and nothing of what people keep back.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/kgflex/testing/small_world.h"
#include "sim/history_federation.h"
#include "sim/thread_pool.h"

namespace sotto::sim::kgflex_federation_test {

const SmallWorld& world() {
  static const SmallWorld small(21,
                                {.users = 80, .items = 60, .features = 40, .history = 8, .of_an_item = 6});
  return small;
}

KgflexOptions options_of(LocalSteps local, std::uint64_t seed = 5) {
  return {.factors = 4, .learning_rate = 0.1f, .shared_reg = 0.01f, .local = local, .seed = seed};
}

Plan plan_of(double pi, MaskKind mask, double cohort) {
  Plan plan;
  plan.seed = 5;
  plan.consent = {pi, mask};
  plan.cohort = cohort;
  return plan;
}

struct Outcome {
  std::string shared, devices;
  std::int64_t loss = 0;
  std::uint64_t bytes_up = 0, bytes_down = 0, steps = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome run(const Kgflex& model, const Plan& plan, std::uint32_t rounds, std::size_t threads, Path path,
            bool collected = false) {
  ThreadPool pool(threads);
  const Schedule schedule = history_schedule_for(plan, users_with_history(world().histories).size()).value();
  HistoryFederation<Kgflex> federation(model, plan, schedule, world().histories, pool, path);
  PlainCollector collector({model.sum_rows(), model.sum_width()});
  if (collected) federation.collect_with(collector);
  const RoundReport report = federation.run(rounds).value();
  return {hash_rows(federation.state().shared),
          hash_rows(federation.state().devices.on_device()),
          report.loss_units,
          report.bytes_up,
          report.bytes_down,
          report.triples};
}

TEST(KgflexFederation, ThreadsTheWireAndACollectorChangeNothing) {
  for (const LocalSteps local : {LocalSteps::batch, LocalSteps::sequential})
    for (const Plan& plan : {plan_of(1.0, MaskKind::sticky, 1.0), plan_of(0.5, MaskKind::sticky, 0.5),
                             plan_of(0.5, MaskKind::redraw, 0.25)}) {
      const Kgflex model(options_of(local), world().devices());
      const Outcome one = run(model, plan, 6, 1, Path::fast);
      EXPECT_EQ(run(model, plan, 6, 3, Path::fast), one);
      EXPECT_EQ(run(model, plan, 6, 2, Path::wire), one);
      EXPECT_EQ(run(model, plan, 6, 1, Path::fast, true).shared, one.shared);
      EXPECT_GT(one.steps, 0u);
      EXPECT_GT(one.bytes_up, 0u);
    }
}

TEST(KgflexFederation, ARoundIsTheSumOfItsDevicesSteps) {
  const Plan plan = plan_of(1.0, MaskKind::sticky, 1.0);
  const Kgflex model(options_of(LocalSteps::batch), world().devices());
  SerialExecutor serial;
  const Schedule schedule = history_schedule_for(plan, users_with_history(world().histories).size()).value();
  HistoryFederation<Kgflex> federation(model, plan, schedule, world().histories, serial);
  (void)federation.run(1).value();

  // By hand, in doubles.
  const RowMatrix start = model.start_shared();
  std::vector<std::vector<double>> sums(start.rows(), std::vector<double>(5, 0.0));
  const PairSampler sampler(world().histories, model.devices().consumed(), 60, 5);
  for (const UserIndex user : users_with_history(world().histories)) {
    RowMatrix own(1, model.private_width());
    model.start_private(user, own.row(0));
    KgflexWork work(model.options(), *world().features);
    const FeatureProfile profile = model.devices().profiles().of(user);
    work.begin(profile, start, own.row(0));
    for (std::uint32_t t = 0; t < world().histories.of(user).size() && !profile.features.empty(); ++t)
      (void)work.gather(sampler.draw(0, user, t), true, true);
    work.move(nullptr);
    for (std::size_t n = 0; n < profile.features.size(); ++n)
      if (const float* sent = work.to_send(n))
        for (std::size_t k = 0; k < 5; ++k)
          sums[profile.features[n].value][k] += static_cast<double>(sent[k]);
  }
  for (std::size_t row = 0; row < start.rows(); ++row)
    for (std::size_t k = 0; k < 5; ++k)
      EXPECT_NEAR(federation.state().shared.row(row)[k], start.row(row)[k] + 0.1 * sums[row][k], 2e-5);
}

TEST(KgflexFederation, GoesOnFromASavedStateAsIfNothingHadHappened) {
  const Plan plan = plan_of(0.5, MaskKind::redraw, 0.25);
  const Kgflex model(options_of(LocalSteps::sequential), world().devices());
  SerialExecutor serial;
  const Schedule schedule = history_schedule_for(plan, users_with_history(world().histories).size()).value();
  HistoryFederation<Kgflex> whole(model, plan, schedule, world().histories, serial);
  HistoryFederation<Kgflex> before(model, plan, schedule, world().histories, serial);
  HistoryFederation<Kgflex> after(model, plan, schedule, world().histories, serial);
  (void)whole.run(9).value();
  (void)before.run(4).value();
  after.restore(std::move(before).take());
  (void)after.run(5).value();
  EXPECT_EQ(hash_rows(after.state().shared), hash_rows(whole.state().shared));
  EXPECT_EQ(hash_rows(after.state().devices.on_device()), hash_rows(whole.state().devices.on_device()));
}

// What a device sends in its first visit.
Contribution sent_by(const Kgflex& model, const Plan& plan, UserIndex user) {
  const RowMatrix shared = model.start_shared();
  RowMatrix own(1, model.private_width());
  model.start_private(user, own.row(0));
  Contribution sent(model.sum_width());
  ContributionPipeline pipeline({plan.consent, plan.seed, 0, user}, plan.fixed, sent);
  Kgflex::Device device(model);
  EXPECT_TRUE(device.contribute({&shared, world().histories.of(user), own.row(0), user, 0}, pipeline).finite);
  sent.make_canonical();
  return sent;
}

TEST(KgflexFederation, WithoutConsentForWhatWasConsumedOnlyOtherItemsSpeak) {
  const Kgflex model(options_of(LocalSteps::batch), world().devices());
  const std::size_t bias = model.options().factors;
  std::size_t rows = 0;
  for (std::uint32_t user = 0; user < 80; ++user) {
    const Contribution none = sent_by(model, plan_of(0.0, MaskKind::sticky, 1.0), {user});
    for (std::size_t n = 0; n < none.size(); ++n) EXPECT_LE(none.values(n)[bias], 0);
    rows += none.size();
    // A feature whose only items in the visit were consumed ones is not in it.
    const Contribution all = sent_by(model, plan_of(1.0, MaskKind::sticky, 1.0), {user});
    EXPECT_LE(none.size(), all.size());
  }
  EXPECT_GT(rows, 0u);
}

TEST(KgflexFederation, ADeviceSendsRowsOfItsOwnFeaturesAlone) {
  const Kgflex model(options_of(LocalSteps::batch), world().devices());
  for (std::uint32_t user = 0; user < 80; ++user) {
    const Contribution sent = sent_by(model, plan_of(1.0, MaskKind::sticky, 1.0), {user});
    const auto own = model.devices().profiles().of({user}).features;
    for (std::size_t n = 0; n < sent.size(); ++n)
      EXPECT_TRUE(std::ranges::binary_search(own, FeatureIndex{sent.row(n)}));
  }
}

}  // namespace sotto::sim::kgflex_federation_test
