// Versions of a task: an earlier one is released again, and training goes on from it.
#include <gtest/gtest.h>
#include <sodium.h>

#include "fed/models/task_models.h"
#include "fed/models/testing/usual_spec.h"
#include "fed/wire/catalogue.h"
#include "server/testing/coordinator_world.h"

namespace sotto::server::coordinator_versions_test {
namespace {

using Json = nlohmann::json;

// One whose server carries moments along, and whose devices have no state: the same round upon the same
// version gives the same model.
TaskConfig fcf_config(std::uint32_t goal) {
  TaskConfig config = world_config(goal);
  v1::TaskSpec& spec = config.spec;
  spec = usual_spec(fcf_task, 30);
  spec.set_name("small");
  spec.set_fixed_bits(20);
  spec.set_seed(7);
  spec.set_reproducible(true);
  return config;
}

void play_round(World& world, std::uint32_t devices = 2) {
  for (std::uint32_t n = 0; n < devices; ++n) world.exchange(n);
}

Result<std::string> release(World& world, std::uint32_t number) {
  return world.own->ask("release", Json{{"version", number}}.dump(), world.now);
}

std::vector<VersionRecord> versions(World& world) {
  auto all = *world.store.versions("small", 100);
  std::reverse(all.begin(), all.end());
  return all;
}

TEST(CoordinatorVersions, AnEarlierOneIsReleasedAgainUnderTheNextNumber) {
  World world(world_config(2), 2);
  for (int round = 0; round < 3; ++round) play_round(world);
  const VersionRecord first = versions(world)[1];
  const auto answer = release(world, 1);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(Json::parse(*answer)["version"], 4);
  EXPECT_EQ(Json::parse(*answer)["again"], 1);
  EXPECT_EQ(world.newest().number, 4u);
  EXPECT_EQ(world.newest().again, 1u);
  EXPECT_EQ(world.newest().model_hash, first.model_hash);
  // Devices are given it, also after a restart, by a delta from what they hold.
  world.restart();
  const v1::Assignment assignment = world.assigned(0);
  EXPECT_TRUE(assignment.has_delta());
  EXPECT_EQ(hash_rows(world.model(0, assignment)), first.model_hash);
  // One that is an earlier one again leads back to the first.
  ASSERT_TRUE(release(world, 4).error().message.find("is the newest") != std::string::npos);
  ASSERT_TRUE(release(world, 2).ok());
  ASSERT_TRUE(release(world, 4).ok());
  EXPECT_EQ(world.newest().number, 6u);
  EXPECT_EQ(world.newest().again, 1u);
}

TEST(CoordinatorVersions, TrainingGoesOnFromWhatWasReleasedAgain) {
  World world(fcf_config(2), 2);
  play_round(world);
  play_round(world);
  play_round(world);
  const auto before = versions(world);
  ASSERT_TRUE(release(world, 1).ok());
  world.restart();  // the moments and the number of steps are those of version 1
  play_round(world);
  play_round(world);
  const auto after = versions(world);
  ASSERT_EQ(after.size(), 7u);
  EXPECT_EQ(after[4].model_hash, before[1].model_hash);
  EXPECT_EQ(after[5].model_hash, before[2].model_hash);
  EXPECT_EQ(after[6].model_hash, before[3].model_hash);
  EXPECT_EQ(after[6].again, std::nullopt);
}

TEST(CoordinatorVersions, ARoundThatIsOpenIsGivenUp) {
  World world(world_config(2), 2);
  play_round(world);
  const v1::Assignment open = world.assigned(0);
  const std::string message = world.devices[0].contribution(open.round(), world.model(0, open));
  ASSERT_TRUE(release(world, 0).ok());
  EXPECT_EQ(world.last_round().state, RoundState::abandoned);
  EXPECT_EQ(world.last_round().why, "version 0 was released again");
  EXPECT_EQ(world.give(0, open, message).refusal(), v1::REFUSAL_ROUND_FAILED);
  EXPECT_EQ(world.newest().number, 2u);
  play_round(world);
  EXPECT_EQ(world.newest().number, 3u);
}

TEST(CoordinatorVersions, WhatCannotBeReleasedChangesNothing) {
  World world(world_config(2), 2);
  play_round(world);
  const v1::Assignment open = world.assigned(0);
  EXPECT_NE(release(world, 9).error().message.find("has no version 9: the newest is 1"), std::string::npos);
  EXPECT_FALSE(world.own->ask("release", "", world.now).ok());
  EXPECT_FALSE(world.own->ask("release", R"({"version":-1})", world.now).ok());
  world.store.writes_left = 0;  // the disk is full
  EXPECT_FALSE(release(world, 0).ok());
  world.store.writes_left = -1;
  EXPECT_EQ(world.newest().number, 1u);
  const std::string message = world.devices[0].contribution(open.round(), world.model(0, open));
  EXPECT_EQ(world.give(0, open, message).refusal(), v1::REFUSAL_NONE);
}

TEST(CoordinatorVersions, TheLimitOfATaskCountsRounds) {
  World world(world_config(2, 2), 2);
  play_round(world);
  ASSERT_TRUE(release(world, 0).ok());
  ASSERT_TRUE(release(world, 1).ok());
  world.restart();
  EXPECT_EQ(world.status("state"), "running");
  play_round(world);
  EXPECT_EQ(world.status("state"), "finished");
  EXPECT_EQ(world.newest().number, 4u);
}

// A run is made with the items' names, whatever else a catalogue says of them.
TEST(CoordinatorVersions, ACataloguesNamesAreOneALineInEitherForm) {
  TaskCatalogue known;
  std::string names;
  for (std::uint32_t item = 0; item < 30; ++item) {
    known.names.intern("thing " + std::to_string(item));
    known.titles.push_back("Title " + std::to_string(item));
    names += "thing " + std::to_string(item) + "\n";
  }
  for (const std::string& catalogue : {names, encode_catalogue(known)}) {
    TaskConfig config = world_config(2);
    config.catalogue = catalogue;
    World world(config, 1);
    const auto answer = world.own->ask("catalogue", "", world.now);
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(Json::parse(*answer)["total"], names.size());
    const auto encoded = Json::parse(*answer)["encoded"].get<std::string>();
    std::string decoded(encoded.size(), '\0');
    std::size_t size = 0;
    EXPECT_EQ(
        sodium_base642bin(reinterpret_cast<unsigned char*>(decoded.data()), decoded.size(), encoded.data(),
                          encoded.size(), nullptr, &size, nullptr, sodium_base64_VARIANT_ORIGINAL),
        0);
    EXPECT_EQ(decoded.substr(0, size), names);
  }
}

}  // namespace
}  // namespace sotto::server::coordinator_versions_test
