// Whole federations under faults. `./dev faults` runs many seeds; a red one is run again by
// `./dev faults --seed N`.
#include "tests/faults/world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace sotto::tests {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Of the writes and steps of a world the suite takes every third; `./dev faults` takes all.
std::uint64_t stride() { return std::getenv("SOTTO_FAULT_SEEDS") == nullptr ? 3 : 1; }

// Runs it and says what was broken.
bool holds(World& world, const WorldPlan& plan) {
  world.run();
  for (const std::string& broken : world.broken())
    ADD_FAILURE() << broken << "\n  in " << plan.text() << "\n  again: ./dev faults --seed " << plan.seed;
  return world.broken().empty();
}

bool holds(const WorldPlan& plan) {
  World world(plan);
  return holds(world, plan);
}

TEST(WorldFaults, WithoutFaultsItTrains) {
  for (const bool noisy : {false, true}) {
    WorldPlan plan;
    plan.noisy = noisy;
    World world(plan);
    holds(world, plan);
    EXPECT_EQ(world.lives(), 2u);  // and the one that looks at the end
    EXPECT_GT(world.writes(), 50u);
  }
}

TEST(WorldFaults, SecureSumsTrain) {
  WorldPlan plan;
  plan.secure = true;
  plan.devices = 8;
  holds(plan);
}

TEST(WorldFaults, EveryModelTrains) {
  for (const TaskModel* model : task_models)
    for (const bool secure : {false, true})
      for (const bool popular : {false, true}) {
        if (popular && model->added == nullptr) continue;
        WorldPlan plan;
        plan.model = model;
        plan.popular = popular;
        plan.secure = secure;
        plan.devices = 8;
        holds(plan);
      }
}

TEST(WorldFaults, WhatDevicesCountForByCriteriaTrains) {
  for (const TaskModel* model : task_models)
    for (const bool secure : {false, true}) {
      if (model->weighable == Weighable::no) continue;
      WorldPlan plan;
      plan.model = model;
      plan.weighed = true;
      plan.secure = secure;
      plan.devices = 8;
      holds(plan);
    }
}

TEST(WorldFaults, CataloguesGrow) {
  for (const TaskModel* model : task_models)
    for (const bool secure : {false, true}) {
      if (model->grown == nullptr) continue;
      WorldPlan plan;
      plan.model = model;
      plan.grows = true;
      plan.popular = secure && model->added != nullptr;
      plan.secure = secure;
      plan.devices = 8;
      holds(plan);
    }
}

// The same plan is the same history: a seed that is printed can be run again.
TEST(WorldFaults, APlanIsAHistory) {
  const WorldPlan plan = drawn_plan(3);
  std::array<std::pair<std::uint64_t, std::uint64_t>, 2> counts;
  for (auto& count : counts) {
    World world(plan);
    world.run();
    count = {world.writes(), world.device_steps()};
  }
  EXPECT_EQ(counts[0], counts[1]);
}

void expect_at_every_write(DiskFault fault, WorldPlan plan) {
  plan.rounds = 2;
  World counted(plan);
  holds(counted, plan);
  plan.disk = fault;
  plan.disk_length = 3;
  for (plan.disk_at = 1; plan.disk_at <= counted.writes(); plan.disk_at += stride())
    if (!holds(plan)) return;
}

TEST(WorldFaults, CoordinatorKilledAtEveryWrite) {
  expect_at_every_write(DiskFault::kill, {.devices = 4, .noisy = true});
}
TEST(WorldFaults, PowerCutAtEveryWrite) { expect_at_every_write(DiskFault::power_cut, {.devices = 4}); }
// Those whose state is more than a sum: solved anew, or with moments.
TEST(WorldFaults, CoordinatorOfOtherModelsKilledAtEveryWrite) {
  for (const TaskModel* model : task_models)
    if (model != &fpl_task) expect_at_every_write(DiskFault::kill, {.devices = 4, .model = model});
}
// Of a round of two parts nothing counts twice, whenever it ends.
TEST(WorldFaults, CoordinatorOfTwoPartsKilledAtEveryWrite) {
  expect_at_every_write(DiskFault::kill, {.devices = 4, .model = &fedease_task, .popular = true});
}
TEST(WorldFaults, CoordinatorOfRoundsByCriteriaKilledAtEveryWrite) {
  expect_at_every_write(DiskFault::kill, {.devices = 5, .weighed = true});
}
// It has grown, or has not: whatever the disk does meanwhile.
TEST(WorldFaults, CoordinatorOfAGrowingCatalogueAtEveryWrite) {
  for (const DiskFault fault : {DiskFault::kill, DiskFault::power_cut, DiskFault::full})
    expect_at_every_write(fault, {.devices = 4, .model = &fcf_task, .grows = true});
}
TEST(WorldFaults, DiskFullAtEveryWrite) {
  expect_at_every_write(DiskFault::full, {.devices = 4, .noisy = true});
}

TEST(WorldFaults, ADeviceDiesAtEachOfItsSteps) {
  for (const bool popular : {false, true}) {
    WorldPlan plan;
    plan.rounds = 2;
    plan.devices = 4;
    plan.popular = popular;
    if (popular) plan.model = &feditemknn_task;
    World counted(plan);
    holds(counted, plan);
    for (plan.device_dies_at = 1; plan.device_dies_at <= counted.device_steps();
         plan.device_dies_at += stride())
      if (!holds(plan)) return;
  }
}

TEST(WorldFaults, EverythingAtOnceUnderSeeds) {
  const std::uint64_t only = number_from("SOTTO_FAULT_SEED", 0);
  const std::uint64_t seeds = number_from("SOTTO_FAULT_SEEDS", 10);
  if (only != 0) {
    holds(drawn_plan(only));
    return;
  }
  std::uint64_t lives = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const WorldPlan plan = drawn_plan(seed);
    World world(plan);
    if (!holds(world, plan)) return;
    lives += world.lives();
  }
  fmt::print("{} seeds, {} lives of a coordinator\n", seeds, lives);
}

}  // namespace
}  // namespace sotto::tests
