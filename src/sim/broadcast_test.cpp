#include "sim/broadcast.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>

#include "data/generate.h"
#include "fed/wire/published_model.h"
#include "sim/federation.h"
#include "sim/thread_pool.h"

namespace sotto::sim::broadcast_test {

const Split& small_world() {
  static const Split split =
      generate_split({.users = 300, .items = 200, .mean_interactions = 12.0, .seed = 6}).value();
  return split;
}

Plan plan_of(const char* variant, ModelPrecision down) {
  Plan plan;
  EXPECT_TRUE(set_variant(plan, variant).ok());
  plan.fpl.factors = 7;
  plan.consent = {0.6, MaskKind::redraw};
  plan.down = down;
  return plan;
}

struct World {
  World(const Plan& plan, std::size_t threads, Path path = Path::fast)
      : pool(threads),
        schedule(schedule_for(plan, eligible_users(small_world().train, small_world().catalogue).size(),
                              small_world().train.interactions())
                     .value()),
        model(plan.fpl, small_world().catalogue, plan.seed),
        federation(model, plan, schedule, small_world().train, pool, path) {}

  ThreadPool pool;
  Schedule schedule;
  Fpl model;
  FplFederation federation;
};

std::string hashes(const World& world) {
  const FederationState& state = world.federation.state();
  return hash_rows(state.shared) + hash_rows(state.devices.on_device());
}

TEST(Broadcast, RoundedModelsGiveTheSameBytesOnEveryPathAndForAnyThreads) {
  std::set<std::string> seen;
  for (const ModelPrecision down : {ModelPrecision::f32, ModelPrecision::f16, ModelPrecision::i8})
    for (const char* variant : {"sfpl", "sfpl+", "pfpl", "pfpl+"}) {
      const Plan plan = plan_of(variant, down);
      const std::uint32_t rounds = variant[0] == 's' ? 200 : 4;
      World one(plan, 1);
      World more(plan, 3);
      World wire(plan, 2, Path::wire);
      World collected(plan, 2);
      PlainCollector collector({small_world().catalogue, plan.fpl.factors + std::size_t{1}});
      collected.federation.collect_with(collector);
      const RoundReport report = one.federation.run(rounds).value();
      for (World* other : {&more, &wire, &collected}) {
        const RoundReport theirs = other->federation.run(rounds).value();
        EXPECT_EQ(hashes(*other), hashes(one)) << to_string(down) << ' ' << variant;
        EXPECT_EQ(theirs.bytes_down, report.bytes_down);
        EXPECT_EQ(theirs.bytes_up, report.bytes_up);
        EXPECT_EQ(theirs.loss_units, report.loss_units);
      }
      EXPECT_TRUE(seen.insert(hashes(one)).second) << "rounding must matter";
    }
}

TEST(Broadcast, BytesDownAreThoseOfTheEncoding) {
  const auto bytes = [](ModelPrecision down) {
    World world(plan_of("pfpl", down), 1);
    const RoundReport report = world.federation.run(1).value();
    return report.bytes_down / report.exchanges;
  };
  const std::uint64_t items = small_world().catalogue;
  EXPECT_EQ(bytes(ModelPrecision::f32), 20u + items * 8 * 4);  // ModelMessage, with its round
  EXPECT_EQ(bytes(ModelPrecision::f16), 16u + items * 8 * 2);
  EXPECT_EQ(bytes(ModelPrecision::i8), 16u + items * (4 + 8));
}

// Keeps the round's sum.
class SumKeeper final : public Collector {
 public:
  explicit SumKeeper(SumShape shape) : shape_(shape), sums(shape.rows * 16, 0) {}
  [[nodiscard]] Status begin(const RoundPlace&) override { return Done{}; }
  [[nodiscard]] Status accept(UserIndex, Contribution& contribution) override {
    for (std::size_t n = 0; n < contribution.size(); ++n)
      for (std::size_t k = 0; k < shape_.width; ++k)
        sums[contribution.row(n) * std::size_t{16} + k] += contribution.values(n)[k];
    return Done{};
  }
  [[nodiscard]] Result<Traffic> finish(Aggregator&) override { return Traffic{}; }

 private:
  SumShape shape_;

 public:
  std::vector<std::int64_t> sums;  // 16 a row, as wide as a padded one
};

TEST(Broadcast, DevicesWorkOnTheRoundingAndTheirSumMovesTheMaster) {
  for (const ModelPrecision down : {ModelPrecision::f16, ModelPrecision::i8}) {
    const Plan plan = plan_of("pfpl+", down);
    World rounded(plan, 1);
    ASSERT_TRUE(rounded.federation.run(2).ok());
    const FederationState before = rounded.federation.state();
    ASSERT_TRUE(rounded.federation.run(1).ok());

    // The same round by hand: full floats whose model happens to be the rounded one, and its sum.
    World plain(plan_of("pfpl+", ModelPrecision::f32), 1);
    SumKeeper keeper({small_world().catalogue, plan.fpl.factors + std::size_t{1}});
    plain.federation.collect_with(keeper);
    FederationState start = before;
    start.shared = as_published(before.shared, wire_precision(down));
    plain.federation.restore(start);
    ASSERT_TRUE(plain.federation.run(1).ok());
    RowMatrix master = before.shared;
    for (std::size_t row = 0; row < master.rows(); ++row)
      plain.model.apply(keeper.sums.data() + row * 16, plan.fixed, master.row(row));
    EXPECT_EQ(hash_rows(master), hash_rows(rounded.federation.state().shared)) << to_string(down);
  }
}

TEST(Broadcast, ARunGoesOnFromItsMaster) {
  const Plan plan = plan_of("sfpl+", ModelPrecision::i8);
  World whole(plan, 1);
  ASSERT_TRUE(whole.federation.run(40).ok());
  World first(plan, 1);
  ASSERT_TRUE(first.federation.run(17).ok());
  World second(plan, 1);
  second.federation.restore(first.federation.state());
  ASSERT_TRUE(second.federation.run(23).ok());
  EXPECT_EQ(hashes(second), hashes(whole));
}

}  // namespace sotto::sim::broadcast_test
