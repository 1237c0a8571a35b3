// A task whose catalogue grows: the model keeps its rows and gets new ones, and training goes on.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "fed/models/task_answers.h"
#include "fed/models/task_models.h"
#include "fed/models/testing/usual_spec.h"
#include "fed/wire/catalogue.h"
#include "server/testing/coordinator_world.h"
#include "server/testing/plain_member.h"
#include "server/testing/secure_world.h"

namespace sotto::server::coordinator_growth_test {
namespace {

using Json = nlohmann::json;

std::string things(std::uint32_t items, std::uint32_t other = UINT32_MAX) {
  std::string names;
  for (std::uint32_t item = 0; item < items; ++item)
    names += (item == other ? "another " : "thing ") + std::to_string(item) + "\n";
  return names;
}

TaskConfig with_items(TaskConfig config, std::uint32_t items) {
  config.spec.set_items(items);
  config.catalogue = things(items);
  return config;
}

class AGrowingTask : public testing::Test {
 protected:
  // Both ways in which an operator's file is read again.
  void grow(std::uint32_t items, bool by_restart) {
    config = with_items(config, items);
    world.configure(config);
    if (by_restart) return world.restart();
    const Status taken = world.own->reload({}, {config});
    ASSERT_TRUE(taken.ok()) << taken.error().message;
  }
  void play_round() {
    for (std::uint32_t n = 0; n < 2; ++n) world.exchange(n);
  }
  // The newest version's rows, from the store.
  RowMatrix master() {
    const auto blob = world.store.blob(world.newest().master);
    return *read_published(*blob, *published_shape(*blob));
  }
  // What a device that holds the version before makes of an assignment.
  RowMatrix by_delta(std::uint32_t n, const v1::Assignment& assignment) {
    const Task task = *read_task(assignment.task());
    const ModelShape shape{task.shape().rows, task.shape().width, task.down};
    EXPECT_TRUE(assignment.has_delta());
    EXPECT_LT(assignment.delta().bytes(), assignment.full().bytes());
    const std::string to =
        *apply_delta(with_rows(world.devices[n].encoded, shape), world.fetch(n, assignment.delta()), shape);
    EXPECT_EQ(blob_hash(to), assignment.version());
    return *read_published(to, shape);
  }

  TaskConfig config = with_items(world_config(2), 30);
  World world{config, 2};
};

class AGrowingTaskReadAgain : public AGrowingTask, public testing::WithParamInterface<bool> {};

TEST_P(AGrowingTaskReadAgain, KeepsItsRowsAndGetsNewOnes) {
  play_round();
  const VersionRecord newest = world.newest();
  const RowMatrix before = master();
  const auto items = static_cast<std::uint32_t>(before.rows());
  grow(items + 10, GetParam());
  EXPECT_EQ(world.newest().number, newest.number + 1);
  EXPECT_EQ(world.newest().again, newest.number);
  EXPECT_TRUE(world.log.has("catalogue grew"));
  const Task task = *read_task(config.spec);
  const RowMatrix after = master(), fresh = task.model->server(task)->start().shared;
  ASSERT_EQ(after.rows(), items + 10);
  for (std::size_t row = 0; row < after.rows(); ++row) {
    const auto expected = row < items ? before.values(row) : fresh.values(row);
    EXPECT_TRUE(std::ranges::equal(after.values(row), expected)) << row;
  }
  // Devices of before get a delta, and a round of the grown task is the plain sum upon these rows.
  const std::uint32_t next = world.last_round().round + 1;
  RowMatrix expected = after;
  SumSpace space(after.rows(), after.width());
  Aggregator sum(space);
  for (std::uint32_t n = 0; n < 2; ++n) {
    const v1::Assignment assignment = world.assigned(n);
    EXPECT_EQ(assignment.round(), next);
    const RowMatrix model = by_delta(n, assignment);
    EXPECT_EQ(hash_rows(model), hash_rows(after));
    WorldDevice grown(n, config.spec);
    grown.own = world.devices[n].own;
    const std::string message = grown.contribution(assignment.round(), model);
    EXPECT_TRUE(sum.accept(grown.last).ok());
    EXPECT_EQ(world.give(n, assignment, message).refusal(), v1::REFUSAL_NONE);
  }
  const Fpl model(options_of<FplOptions>(task), task.items, task.plan.seed);
  std::move(sum).release([&](std::uint32_t row, const auto* values) {
    model.apply(values, task.plan.fixed, expected.row(row));
  });
  EXPECT_EQ(hash_rows(master()), hash_rows(expected));
  // The old ones are there, and can be exported with as many items as they had.
  const auto old = world.own->ask("export", Json{{"version", newest.number}}.dump(), world.now);
  ASSERT_TRUE(old.ok()) << old.error().message;
  EXPECT_EQ(Json::parse(*old)["items"], items);
  EXPECT_EQ(Json::parse(*old)["model_hash"], newest.model_hash);
}

INSTANTIATE_TEST_SUITE_P(InEitherWay, AGrowingTaskReadAgain, testing::Bool(),
                         [](const auto& each) { return each.param ? "ByARestart" : "ByAReload"; });

TEST_F(AGrowingTask, SendsWhatIsNewBehindWhatDevicesHave) {
  const v1::Assignment before = world.assigned(0);
  const std::string first = world.fetch(0, before.task().catalogue());
  grow(35, false);
  grow(60, true);
  const v1::Assignment after = world.assigned(0);
  EXPECT_EQ(after.task().items(), 60u);
  const std::string second = world.fetch(0, after.task().catalogue());
  EXPECT_TRUE(second.starts_with(first));
  const auto read = read_catalogue(second, 60);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(encode_catalogue(**read), things(60));
  // It is what the store has: the next start finds it unchanged.
  const std::uint32_t version = world.newest().number;
  world.restart();
  EXPECT_EQ(world.newest().number, version);
}

TEST_F(AGrowingTask, GivesUpAnOpenRoundCleanly) {
  const v1::Assignment open = world.assigned(0);
  const std::string message = world.devices[0].contribution(open.round(), world.model(0, open));
  grow(40, false);
  EXPECT_EQ(world.last_round().state, RoundState::abandoned);
  EXPECT_EQ(world.last_round().why, "the catalogue grew");
  EXPECT_EQ(world.give(0, open, message).refusal(), v1::REFUSAL_NOT_ASSIGNED);
  EXPECT_EQ(world.assigned(0).round(), open.round() + 1);
}

TEST(AGrowingSecureTask, GivesUpAnOpenSumAndMakesTheNextOneWider) {
  TaskConfig config = with_items(secure_config(6), 30);
  World world(config, 6);
  const v1::Assignment open = world.assigned(0);
  EXPECT_EQ(world.give(0, open, "").refusal(), v1::REFUSAL_OUT_OF_ORDER);
  config = with_items(config, 40);
  ASSERT_TRUE(world.own->reload({}, {config}).ok());
  EXPECT_EQ(world.last_round().state, RoundState::abandoned);
  std::deque<SecureDevice> members;
  for (std::uint32_t n = 0; n < 6; ++n) {
    const v1::Assignment assignment = world.assigned(n);
    EXPECT_EQ(assignment.round(), open.round() + 1);
    const TaskShape shape = read_task(assignment.task())->shape();
    members.emplace_back(world, n, assignment, std::vector<std::int32_t>(shape.sum_numbers(), 1));
  }
  play(world, members);
  EXPECT_EQ(world.last_round().state, RoundState::committed);
  EXPECT_EQ(world.newest().number, 2u);
}

TEST_F(AGrowingTask, SaysWhichRowChanged) {
  const auto why = [&](const TaskConfig& other) {
    const Status taken = world.own->reload({}, {other});
    EXPECT_FALSE(taken.ok());
    const std::string told = taken.ok() ? "" : taken.error().message;
    auto opened = Coordinator::open(world.store, {}, {other}, world.log, world.now);
    SOTTO_ASSERT(!opened.ok(), "nor does it start");
    EXPECT_NE(opened.error().message.find("item"), std::string::npos);
    return told;
  };
  TaskConfig other = with_items(config, 40);
  other.catalogue = things(40, 7);
  EXPECT_NE(why(other).find("task 'small': a catalogue that grows keeps the rows it has, and item 8 (counted "
                            "from 1) had the name 'thing 7' and now has 'another 7'"),
            std::string::npos)
      << why(other);
  EXPECT_NE(why(with_items(config, 29)).find("has 29 items and had 30"), std::string::npos);
  EXPECT_EQ(world.newest().number, 0u);
  world.assigned(0);  // it goes on
}

TEST_F(AGrowingTask, OfAFullDiskStaysAsItWas) {
  play_round();
  for (int writes = 0; writes < 3; ++writes) {
    world.store.writes_left = writes;
    EXPECT_FALSE(world.own->reload({}, {with_items(config, 40)}).ok()) << writes;
    world.store.writes_left = -1;
    EXPECT_EQ(world.newest().number, 1u);
  }
  play_round();
  EXPECT_EQ(world.newest().number, 2u);
  grow(40, false);
  EXPECT_EQ(world.newest().number, 3u);
}

// Wherever the store fails while items grow, and whether or not what it says has failed was done.
class AGrowingTaskOfAStoreThatFails : public testing::TestWithParam<bool> {
 protected:
  // The task goes on as the store has it, with the next version.
  static void expect_agreement(World& world) {
    v1::TaskSpec stored;
    ASSERT_TRUE(stored.ParseFromString(world.store.tasks()->front().spec));
    const std::uint32_t version = world.newest().number;
    const Json task = Json::parse(*world.own->ask("tasks", "", world.now))[0];
    EXPECT_EQ(task["newest"]["version"], version);
    EXPECT_EQ(task["items"], stored.items());
    for (std::uint32_t n = 0; n < 2; ++n) {
      const v1::Assignment assignment = world.assigned(n);
      EXPECT_EQ(assignment.task().items(), stored.items());
      WorldDevice device(n, assignment.task());
      device.own = world.devices[n].own;
      const ModelShape shape{device.task.shape().rows, device.task.shape().width, device.task.down};
      const RowMatrix model = *read_published(*unpack_model(world.fetch(n, assignment.full()), shape), shape);
      const v1::Reply given = world.give(n, assignment, device.contribution(assignment.round(), model));
      EXPECT_EQ(given.refusal(), v1::REFUSAL_NONE) << given.why();
    }
    EXPECT_EQ(world.newest().number, version + 1);
    EXPECT_EQ(world.last_round().state, RoundState::committed);
  }
};

TEST_P(AGrowingTaskOfAStoreThatFails, AgreesWithTheStore) {
  const TaskConfig before = with_items(world_config(2), 30), after = with_items(before, 40);
  bool is_over = false;
  for (int calls = 0; !is_over && !HasFailure(); ++calls) {
    SCOPED_TRACE(fmt::format("after {} calls", calls));
    World world(before, 2);
    for (std::uint32_t n = 0; n < 2; ++n) world.exchange(n);
    world.assigned(0);
    world.configure(after);
    int& left = GetParam() ? world.store.answers_left : world.store.calls_left;
    left = calls;
    const bool taken = world.own->reload({}, {after}).ok();
    is_over = taken && left != 0;
    left = -1;
    const auto status = [&] { return Json::parse(*world.own->ask("status", "", world.now)); };
    if (status().contains("unread")) {
      EXPECT_TRUE(world.log.has("the task goes on when the store can be read"));
      EXPECT_FALSE(world.check_in(1).has_assignment());
      EXPECT_NE(world.own->ask("versions", R"({"task":"small"})", world.now).error().message.find("waits"),
                std::string::npos);
      world.own->tick(world.now += 10'000);
      EXPECT_FALSE(status().contains("unread"));
    } else if (!taken) {
      EXPECT_TRUE(world.log.has("goes on with the items it has"));
    }
    expect_agreement(world);
    const Status again = world.own->reload({}, {after});
    EXPECT_TRUE(again.ok()) << again.error().message;
    expect_agreement(world);
    world.restart();
    expect_agreement(world);
  }
}
INSTANTIATE_TEST_SUITE_P(Failing, AGrowingTaskOfAStoreThatFails, testing::Bool(),
                         [](const auto& each) { return each.param ? "AfterTheChange" : "BeforeIt"; });

TEST_F(AGrowingTask, ReleasesAVersionOfBeforeWithTheNewItems) {
  play_round();
  const RowMatrix first = master();
  play_round();
  grow(40, false);
  const std::string grown = world.newest().model_hash;
  ASSERT_TRUE(world.own->ask("release", R"({"version":1})", world.now).ok());
  EXPECT_EQ(world.newest().again, 1u);
  const RowMatrix again = master();
  ASSERT_EQ(again.rows(), 40u);
  for (std::size_t row = 0; row < 30; ++row)
    EXPECT_TRUE(std::ranges::equal(again.values(row), first.values(row))) << row;
  // One that is there because the catalogue grew can be released again as any other.
  ASSERT_TRUE(world.own->ask("release", R"({"version":3})", world.now).ok());
  EXPECT_EQ(world.newest().model_hash, grown);
  world.restart();
  EXPECT_EQ(world.newest().number, 5u);
}

TEST(ATaskThatCannotGrow, IsRefusedByItsModelsName) {
  TaskConfig config = world_config(2);
  config.spec = usual_spec(fedmultvae_task, 30);
  config.spec.set_name("small");
  World world(config);
  config.spec = usual_spec(fedmultvae_task, 31);
  config.spec.set_name("small");
  world.configure(config);
  for (const bool by_restart : {false, true}) {
    const Status taken =
        by_restart ? Status(Coordinator::open(world.store, {}, {config}, world.log, world.now).error())
                   : world.own->reload({}, {config});
    ASSERT_FALSE(taken.ok());
    EXPECT_NE(taken.error().message.find("trains fedmultvae, whose numbers are no rows of items"),
              std::string::npos)
        << taken.error().message;
  }
}

// A file with a mistake is refused as a whole: what is open goes on, and nothing of it begins.
class AFileWithAMistake : public testing::Test {
 protected:
  static void refuse(World& world, const TaskConfig& wrong, const std::string& why) {
    const v1::Assignment open = world.assigned(0);
    TaskConfig other = world_config(2);
    other.spec.set_name("other");
    const Status taken = world.own->reload({}, {other, wrong});
    ASSERT_FALSE(taken.ok());
    EXPECT_NE(taken.error().message.find(why), std::string::npos) << taken.error().message;
    EXPECT_EQ(world.store.tasks()->size(), 1u);
    EXPECT_EQ(world.last_round().state, RoundState::open);
    EXPECT_EQ(world.assigned(0).token(), open.token());
  }
};

TEST_F(AFileWithAMistake, OfATaskThatCannotGrowGivesNoRoundUp) {
  TaskConfig config = world_config(2);
  config.spec = usual_spec(fedmultvae_task, 30);
  config.spec.set_name("small");
  World world(config);
  world.configure(world_config(2));  // of what its devices are made; none of them trains
  world.add_device();
  config.spec.set_items(31);
  refuse(world, config, "trains fedmultvae, whose numbers are no rows of items");
}

TEST_F(AFileWithAMistake, OfMoreItemsThanNamesGivesNoRoundUp) {
  TaskConfig config = with_items(world_config(2), 30);
  World world(config, 2);
  config.spec.set_items(31);
  refuse(world, config, "has 31 items and a catalogue of 30 names");
  for (std::uint32_t n = 0; n < 2; ++n) world.exchange(n);
  EXPECT_EQ(world.newest().number, 1u);
}

// Weights of all pairs become those of the popular items when there are more items than these; weights of
// popular items stay what they are.
class AGrowingTaskOfPairs : public testing::TestWithParam<std::uint32_t> {};

TEST_P(AGrowingTaskOfPairs, SaysWhatItSaid) {
  TaskConfig config = world_config(2);
  config.spec = popular_spec(fedease_task, GetParam(), 30);
  config.spec.set_name("small");
  World world(config, 2);
  const auto scores = [&](const VersionRecord& version) {
    const Task task = *read_task(config.spec);
    const auto blob = world.store.blob(version.master);
    const RowMatrix rows = *read_published(*blob, *published_shape(*blob));
    const Histories history({0, 3}, {{2}, {5}, {29}});
    const auto answers = task.model->answers({task, rows, history, nullptr});
    EXPECT_TRUE(answers.ok()) << answers.error().message;
    std::vector<float> all(task.items);
    if (answers.ok()) (*answers)->score(all);
    return all;
  };
  std::deque<PlainMember> members;
  for (std::uint32_t n = 0; n < 2; ++n) members.emplace_back(world, n);
  for (const PlainMember& one : members) (void)one.give(0);
  if (read_task(config.spec)->parts() == 2) {
    for (PlainMember& one : members) one.hear(0);
    for (const PlainMember& one : members) (void)one.give(1);
  }
  ASSERT_EQ(world.newest().number, 1u);
  const auto exported = [&] { return *world.own->ask("export", R"({"version":1})", world.now); };
  const std::string as_it_was = exported();
  std::vector<float> wanted = scores(world.newest());
  wanted.resize(40);
  config.spec.set_items(40);
  world.configure(config);
  ASSERT_TRUE(world.own->reload({}, {config}).ok());
  EXPECT_EQ(world.newest().again, 1u);
  EXPECT_EQ(scores(world.newest()), wanted);
  world.restart();
  const std::string grown = world.newest().model_hash;
  ASSERT_TRUE(world.own->ask("release", R"({"version":1})", world.now).ok());
  EXPECT_EQ(world.newest().model_hash, grown);
  if (GetParam() < 30) return;  // nothing changed, and it is a model of all items too
  EXPECT_EQ(exported(), as_it_was) << "of the items that it is of";
}

TEST_P(AGrowingTaskOfPairs, IsNotMadeBeforeItsFirstRound) {
  TaskConfig config = world_config(2);
  config.spec = popular_spec(fedease_task, GetParam(), 30);
  config.spec.set_name("small");
  World world(config);
  config.spec.set_items(40);
  world.configure(config);
  world.restart();
  const auto blob = world.store.blob(world.newest().master);
  const RowMatrix rows = *read_published(*blob, *published_shape(*blob));
  for (std::size_t row = 0; row < rows.rows(); ++row)
    for (const float value : rows.values(row)) EXPECT_EQ(value, 0.0f);
}

INSTANTIATE_TEST_SUITE_P(WithSoManyPopularOnes, AGrowingTaskOfPairs, testing::Values(25u, 30u, 35u, 39u));

}  // namespace
}  // namespace sotto::server::coordinator_growth_test
