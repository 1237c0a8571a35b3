#include "device/own_history.h"

#include <gtest/gtest.h>

#include <array>

#include "data/context_schema.h"
#include "data/loader.h"
#include "data/split.h"
#include "device/memory_device_store.h"
#include "model/fedcars/fedcars_devices.h"

namespace sotto::device::own_history_test {

Task task_of(std::size_t items, bool of_ratings = false) {
  static const TaskModel unrated{};
  static const TaskModel rated = [] {
    TaskModel model{};
    model.needs_ratings = true;
    return model;
  }();
  Task task;
  task.model = of_ratings ? &rated : &unrated;
  task.items = items;
  return task;
}

// Two people rate in circumstances; some times are equal, some cells empty.
constexpr const char* world =
    "user,item,rating,time,weather,device\n"
    "u1,i10,4,1300000000,rain,phone\n"
    "u1,i9,2,1300000000,sun,\n"
    "u1,i3,5,1300000500,NA,phone\n"
    "u1,i4,1,1299990000,rain,tv\n"
    "u2,i3,3,1300000001,fog,\n"
    "u2,i10,3.5,1310000000,sun,tv\n";

Split split_of(const char* text) {
  const TextSource source{"world.csv", text};
  const auto dataset = load_interactions(
      std::span(&source, 1),
      {.columns =
           "user=user,item=item,rating=rating,time=time,context.weather=weather,context.device=device"});
  EXPECT_TRUE(dataset.ok()) << dataset.error().message;
  auto split = split_dataset(*dataset, {.rule = FixedTimestamp{1'400'000'000}, .keep_records = true});
  EXPECT_TRUE(split.ok());
  return std::move(*split);
}

// The words of a column, in the order of the records.
std::vector<std::string> words(const Records& records, const std::string& column, std::uint64_t first,
                               std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t c = 0; c < records.columns.size(); ++c)
    for (std::size_t k = 0; records.columns[c].name == column && k < count; ++k) {
      const std::uint32_t value = records.train.columns[c][first + k];
      out.emplace_back(value == no_value ? "" : records.columns[c].values.name(value));
    }
  return out;
}

template <class T>
std::vector<T> part_of(const std::vector<T>& all, std::uint64_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

// What a file says of the two of them, and what each says of themself.
PersonAttributes people() {
  return *load_person_attributes({"people.csv", "user,job,age\nu2,cook,\nu1,pilot,20-29\n"});
}
const std::array<Attributes, 2> says{Attributes{{"age", "20-29"}, {"job", "pilot"}, {"shoe", "44"}},
                                     Attributes{{"job", "cook"}, {"age", "of no task"}}};

// What a device makes of what its person has is what the simulator's device of that index gets.
TEST(OwnHistory, IsTheSimulatorsOwn) {
  const Split split = split_of(world);
  const ContextSchema schema{
      .interval = true, .daypart = true, .columns = true, .person = true, .recency = true};
  const PersonAttributes known = people();
  const Contexts contexts = derive_contexts(split, schema, &known).value();
  Contexts vocabulary;
  vocabulary.dimensions = contexts.dimensions;
  const TaskCatalogue catalogue{.names = split.items,
                                .contexts = std::make_shared<const Contexts>(vocabulary),
                                .schema = schema,
                                .scale = RatingScale{1.0f, 5.0f}};
  const PersonalPolicy policy;
  SharedShelf shelf;
  for (std::uint32_t user = 0; user < 2; ++user) {
    const UserIndex index{user};
    const auto items = split.train.of(index);
    const std::uint64_t first = split.train.offsets()[user];
    MemoryDeviceStore store(shelf, {.items = items,
                                    .names = &split.items,
                                    .policy = &policy,
                                    .records = split.records.get(),
                                    .first = first});
    auto kept = *store.interactions();
    std::ranges::reverse(kept);  // whatever the order
    const OwnHistory own = own_history(kept, says[user], &catalogue, task_of(split.items.size()));
    EXPECT_TRUE(std::ranges::equal(own.items, items));
    EXPECT_EQ(own.known.contexts->people.of(0).size(), 2u - user);
    EXPECT_TRUE(std::ranges::equal(own.known.contexts->people.of(0), contexts.people.of(user)));
    EXPECT_TRUE(std::ranges::equal(own.ages, split.train.ages_of(index)));
    const Records& records = *own.known.records;
    EXPECT_TRUE(records.has_ratings);
    EXPECT_EQ(records.time_kind, TimeKind::unix_seconds);
    const PartRecords& theirs = split.records->train;
    EXPECT_EQ(records.train.ratings, part_of(theirs.ratings, first, items.size()));
    EXPECT_EQ(records.train.times, part_of(theirs.times, first, items.size()));
    EXPECT_EQ(records.train.previous, part_of(theirs.previous, first, items.size()));
    EXPECT_EQ(records.scale.lowest, 1.0f);
    const std::size_t width = contexts.train.width;
    EXPECT_EQ(own.known.contexts->train.values,
              part_of(contexts.train.values, first * width, items.size() * width));
    for (const char* column : {"weather", "device"})
      EXPECT_EQ(words(records, column, 0, items.size()), words(*split.records, column, first, items.size()));
  }
}

// Of each record the target, the weight and the features, as a device of Fed-CARS holds them.
std::vector<std::vector<float>> examples_of(const FedcarsDevices& devices, UserIndex user) {
  std::vector<std::vector<float>> examples;
  for (std::size_t k = 0; k < devices.records(user); ++k) {
    const FedcarsDevices::Rated rated = devices.record(user, k);
    auto& numbers = examples.emplace_back();
    numbers = {static_cast<float>(rated.item.value), rated.target, rated.weight,
               static_cast<float>(rated.timeless.size())};
    for (const FmFeature& feature : rated.features) {
      numbers.push_back(static_cast<float>(feature.row));
      numbers.push_back(feature.x);
    }
  }
  return examples;
}

// A split of one user, made of what a device has and what came with the task, is to a model of ratings in
// context what the simulator's split of everybody is.
TEST(OwnHistory, AndTheCatalogueMakeASplitOfOneUser) {
  Split split = split_of(world);
  FeatureList list;
  for (const char* item : {"i3", "i9", "i10"})
    list.facts.push_back({list.items.intern(item), list.intern_predicate("category"),
                          list.objects.intern(item == std::string("i9") ? "Crime" : "Drama")});
  list.settle();
  split.features = std::make_shared<const ItemFeatures>(list, split.items, FeatureFilter{.min_items = 1});
  const ContextSchema schema{
      .interval = true, .daypart = true, .columns = true, .item = true, .person = true, .recency = true};
  const PersonAttributes known = people();
  split.contexts = std::make_shared<const Contexts>(derive_contexts(split, schema, &known).value());
  TaskCatalogue made{.names = split.items, .features = split.features, .schema = schema};
  made.scale = split.records->scale;
  Contexts vocabulary;
  vocabulary.dimensions = split.contexts->dimensions;
  vocabulary.items = split.contexts->items;
  made.contexts = std::make_shared<const Contexts>(vocabulary);
  const auto catalogue = read_catalogue(pack_catalogue(encode_catalogue(made)), split.items.size());
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  const FedcarsOptions options{.half_life = 2.0f};
  const FedcarsDevices theirs(split, split.train, {}, options);
  const PersonalPolicy policy;
  SharedShelf shelf;
  for (std::uint32_t user = 0; user < 2; ++user) {
    const UserIndex index{user};
    MemoryDeviceStore store(shelf, {.items = split.train.of(index),
                                    .names = &split.items,
                                    .policy = &policy,
                                    .records = split.records.get(),
                                    .first = split.train.offsets()[user]});
    OwnHistory own =
        own_history(*store.interactions(), says[user], catalogue->get(), task_of(split.items.size(), true));
    Split one;
    one.catalogue = split.items.size();
    one.train = Histories({0, own.items.size()}, own.items, own.ages);
    one.records = own.known.records;
    one.contexts = own.known.contexts;
    one.features = own.known.features;
    const FedcarsDevices mine(one, one.train, {}, options);
    EXPECT_EQ(examples_of(mine, UserIndex{0}), examples_of(theirs, index)) << user;
  }
}

TEST(OwnHistory, WhatTheTaskDoesNotKnowTellsWhenThePersonWasThereBefore) {
  const std::vector<KeptInteraction> kept{{"5", {}, 1'300'000'003'000},
                                          {"x", {}, 1'300'000'002'000},
                                          {"7", {}, 1'300'000'009'000},
                                          {"2", {}, 1'300'000'001'000},
                                          {"3", {}, {}}};
  const OwnHistory own = own_history(kept, {}, nullptr, task_of(7));
  EXPECT_EQ(own.items, (std::vector<ItemIndex>{{2}, {3}, {5}}));  // not 7, of which the task has none
  EXPECT_EQ(own.ages, (std::vector<std::uint16_t>{1, Histories::most_age, 0}));
  const PartRecords& train = own.known.records->train;
  EXPECT_EQ(train.times, (std::vector<std::int64_t>{1'300'000'001, no_time, 1'300'000'003}));
  EXPECT_EQ(train.previous, (std::vector<std::int64_t>{no_time, no_time, 1'300'000'002}));
  EXPECT_FALSE(own.known.records->has_ratings);
}

TEST(OwnHistory, RanksAreNoDates) {
  const std::vector<KeptInteraction> ranks{{"1", 5.0, 2}, {"0", 4.0, 1}};
  const OwnHistory own = own_history(ranks, {}, nullptr, task_of(2));
  EXPECT_EQ(own.known.records->time_kind, TimeKind::rank);
  EXPECT_EQ(own.known.records->train.times, (std::vector<std::int64_t>{1, 2}));
  EXPECT_TRUE(own.known.records->train.previous.empty());
  EXPECT_EQ(own.ages, (std::vector<std::uint16_t>{1, 0}));
  // Without any times there is no order.
  const std::vector<KeptInteraction> alone{{"1"}, {"0"}};
  const OwnHistory bare = own_history(alone, {}, nullptr, task_of(2));
  EXPECT_TRUE(bare.ages.empty());
  EXPECT_EQ(bare.known.records->time_kind, TimeKind::none);
}

TEST(OwnHistory, AModelOfRatingsTakesWhatIsRated) {
  const std::vector<KeptInteraction> kept{{"0", 3.0}, {"1"}, {"2", 1.0}};
  const OwnHistory own = own_history(kept, {}, nullptr, task_of(3, true));
  EXPECT_EQ(own.items, (std::vector<ItemIndex>{{0}, {2}}));
  EXPECT_EQ(own.known.records->train.ratings, (std::vector<float>{3.0f, 1.0f}));
  EXPECT_EQ(own.known.records->scale.highest, 3.0f);
  // What is not on the task's scale is no rating there.
  TaskCatalogue catalogue;
  for (const char* name : {"0", "1", "2"}) catalogue.names.intern(name);
  catalogue.scale = {2.0f, 5.0f};
  EXPECT_EQ(own_history(kept, {}, &catalogue, task_of(3, true)).items, (std::vector<ItemIndex>{{0}}));
}

// A fleet whose data say no more than the order.
TEST(OwnHistory, AgesAloneAreAnOrder) {
  const std::vector<ItemIndex> items{{0}, {1}, {2}};
  const std::vector<std::uint16_t> ages{1, 2, 0};
  const PersonalPolicy policy;
  SharedShelf shelf;
  MemoryDeviceStore store(shelf, {.items = items, .policy = &policy, .ages = ages});
  EXPECT_EQ(own_history(*store.interactions(), {}, nullptr, task_of(3)).ages, ages);
}

}  // namespace sotto::device::own_history_test
