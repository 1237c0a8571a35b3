// A person's protocol from the words of a policy to the bytes of the model: what is kept out changes none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/train/training.h"
#include "model/fedcars/testing/small_rated_world.h"
#include "sim/thread_pool.h"

namespace sotto::tests {
namespace {

// Ages by time, as a split of files has them.
Histories with_ages(const Split& split) {
  std::vector<std::uint16_t> ages;
  for (std::uint32_t user = 0; user < split.train.users(); ++user) {
    const std::uint64_t first = split.train.offsets()[user], end = split.train.offsets()[user + 1];
    const auto& times = split.records->train.times;
    for (std::uint64_t at = first; at < end; ++at)
      ages.push_back(
          static_cast<std::uint16_t>(std::count_if(times.begin() + static_cast<std::ptrdiff_t>(first),
                                                   times.begin() + static_cast<std::ptrdiff_t>(end),
                                                   [&](std::int64_t time) { return time > times[at]; })));
  }
  return {{split.train.offsets().begin(), split.train.offsets().end()},
          {split.train.items().begin(), split.train.items().end()},
          std::move(ages)};
}

Split rated_world() {
  Split split = small_rated_world(4, {.users = 40, .items = 30, .history = 12});
  split.train = with_ages(split);
  return split;
}

TrainRequest with_policy(const std::string& policy) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.model = "fedcars";
  request.plan.fpl.factors = 4;
  request.plan.epochs = 4;
  request.consent.policy = policy;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

Trained trained(const TrainRequest& request, const Split& split) {
  ThreadPool threads(1);
  TrainHooks hooks;
  auto made = train(request, split, threads, hooks);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  return std::move(made).value();
}

// The world with other values in one place.
template <class Change>
Split changed(const Split& split, const Change& change) {
  Split other = split;
  Records records = *split.records;
  Contexts contexts = *split.contexts;
  change(records, contexts);
  other.records = std::make_shared<const Records>(std::move(records));
  other.contexts = std::make_shared<const Contexts>(std::move(contexts));
  return other;
}

TEST(Udcp, WhatADimensionHidesChangesNoByteOfTheModel) {
  const Split split = rated_world();
  const Split weather = changed(split, [](Records&, Contexts& contexts) {
    for (std::uint32_t& value : contexts.train.values) value = (value + 1) % 3;
  });
  const Split age = changed(split, [](Records&, Contexts& contexts) {
    for (std::uint32_t& value : contexts.people.values) value = 15 - value;  // 7 and 8
  });
  const TrainRequest all = with_policy("pi = 1\n[contexts]\n\"*\" = \"full\"\n");
  const TrainRequest part = with_policy("pi = 1\n[contexts]\nweather = 0.5\n\"*\" = \"off\"\n");
  const TrainRequest none = with_policy("pi = 1\n[contexts]\n\"*\" = \"off\"\n");
  const TrainRequest no_weather = with_policy("pi = 1\n[contexts]\nweather = \"off\"\n\"*\" = \"full\"\n");
  EXPECT_EQ(trained(none, split).model_hash, trained(none, weather).model_hash);
  EXPECT_EQ(trained(none, split).model_hash, trained(none, age).model_hash);
  EXPECT_EQ(trained(no_weather, split).model_hash, trained(no_weather, weather).model_hash);
  EXPECT_NE(trained(no_weather, split).model_hash, trained(no_weather, age).model_hash);
  EXPECT_NE(trained(all, split).model_hash, trained(all, weather).model_hash);
  EXPECT_NE(trained(part, split).model_hash, trained(part, weather).model_hash);
  EXPECT_EQ(trained(part, split).model_hash, trained(part, age).model_hash);
}

TEST(Udcp, WhatIsOlderThanTheShareChangesNoByteOfTheModel) {
  const Split split = rated_world();
  const auto change = [&](bool old) {
    return changed(split, [&](Records& records, Contexts& contexts) {
      for (std::uint32_t user = 0; user < split.train.users(); ++user) {
        const auto ages = split.train.ages_of({user});
        for (std::size_t k = 0; k < ages.size(); ++k) {
          const std::uint64_t at = split.train.offsets()[user] + k;
          if ((2u * ages[k] >= ages.size()) != old) continue;
          records.train.ratings[at] = 6.0f - records.train.ratings[at];
          if (old) records.train.times[at] -= 1'000;
          contexts.train.values[at] = (contexts.train.values[at] + 1) % 3;
        }
      }
    });
  };
  const TrainRequest newest = with_policy("pi = 1\nhistory = \"partial\"\n");
  EXPECT_EQ(trained(newest, split).model_hash, trained(newest, change(true)).model_hash);
  EXPECT_NE(trained(newest, split).model_hash, trained(newest, change(false)).model_hash);
  const TrainRequest whole = with_policy("pi = 1\n");
  EXPECT_NE(trained(whole, split).model_hash, trained(whole, change(true)).model_hash);
}

std::vector<float> scores(const Trained& made, UserIndex user) {
  std::vector<float> out(made.model->catalogue());
  made.model->score(std::span(&user, 1), {0, static_cast<std::uint32_t>(out.size())}, out);
  return out;
}

TEST(Udcp, WithAllOffRatingsAloneStillMakeAListOfOnesOwn) {
  const Split split = rated_world();
  const Trained made = trained(with_policy("pi = 1\n[contexts]\n\"*\" = \"off\"\n"), split);
  const auto one = scores(made, {3}), other = scores(made, {4});
  EXPECT_TRUE(std::ranges::all_of(one, [](float score) { return std::isfinite(score); }));
  EXPECT_NE(one, other);
}

TEST(Udcp, WithoutHistoryOneTakesNoPartAndGetsWhatEverybodyGets) {
  const Split split = rated_world();
  TrainRequest request = with_policy("");
  std::vector<ConsentTerms> kinds(2);
  kinds[1].contexts = {.shares = {0.0f, 0.0f, 0.0f}, .history = 0.0f};
  std::vector<std::uint16_t> kind_of(40, 0);
  kind_of[3] = kind_of[4] = 1;
  request.plan.consent.people = std::make_shared<const ConsentBook>(kinds, kind_of);
  const Trained made = trained(request, split);
  EXPECT_EQ(scores(made, {3}), scores(made, {4}));
  EXPECT_NE(scores(made, {3}), scores(made, {5}));
  const Split other = changed(split, [&](Records& records, Contexts&) {
    for (std::uint64_t at = split.train.offsets()[3]; at < split.train.offsets()[5]; ++at)
      records.train.ratings[at] = 6.0f - records.train.ratings[at];
  });
  EXPECT_EQ(trained(request, other).model_hash, made.model_hash);
}

}  // namespace
}  // namespace sotto::tests
