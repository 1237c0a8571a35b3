// For tests: live evaluation over the wire, and the central evaluation that it must equal.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "fed/models/live_evaluation.h"
#include "host/fleet/fleet.h"
#include "metrics/evaluate.h"
#include "tests/e2e/loopback.h"

namespace sotto::tests::e2e {

// A part of a split while it is put together.
struct PartInMaking {
  std::vector<ItemIndex> items;
  std::vector<std::uint16_t> ages;
  std::vector<std::uint64_t> ends{0};

  void take(const Split& split, std::uint64_t place, std::uint16_t age, PartRecords& records,
            PartContexts& contexts) {
    items.push_back(split.train.items()[place]);
    ages.push_back(age);
    if (split.records != nullptr && split.records->has_ratings)
      records.ratings.push_back(split.records->train.ratings[place]);
    if (split.contexts == nullptr) return;
    contexts.width = split.contexts->train.width;
    const auto values = split.contexts->train.of(place);
    contexts.values.insert(contexts.values.end(), values.begin(), values.end());
  }
  [[nodiscard]] Histories histories() { return Histories(ends, items, ages); }
};

// Everybody trains on all but what their device holds out, the newest, and is judged by that.
inline Split without_held_out(const Task& task, const Split& split) {
  PartInMaking trained, held;
  Records records = split.records == nullptr ? Records() : *split.records;
  Contexts contexts = split.contexts == nullptr ? Contexts() : *split.contexts;
  records.train = records.validation = records.test = {};
  contexts.train = contexts.validation = contexts.test = {};
  for (std::uint32_t user = 0; user < split.train.users(); ++user) {
    const auto all = split.train.of(UserIndex{user});
    const auto ages = split.train.ages_of(UserIndex{user});
    const auto kept = held_out(*task.evaluation, all, ages, {});
    for (std::size_t n = 0; n < all.size(); ++n) {
      const std::uint64_t place = split.train.offsets()[user] + n;
      if (std::ranges::binary_search(kept, all[n]))
        held.take(split, place, ages[n], records.test, contexts.test);
      else
        trained.take(split, place, static_cast<std::uint16_t>(ages[n] - kept.size()), records.train,
                     contexts.train);
    }
    trained.ends.push_back(trained.items.size());
    held.ends.push_back(held.items.size());
  }
  Split judging;
  judging.users = split.users;
  judging.items = split.items;
  judging.catalogue = split.catalogue;
  judging.train = trained.histories();
  judging.validation = Histories(split.train.users());
  judging.test = held.histories();
  if (split.records != nullptr) judging.records = std::make_shared<const Records>(std::move(records));
  if (split.contexts != nullptr) judging.contexts = std::make_shared<const Contexts>(std::move(contexts));
  return judging;
}

inline void hold_out(TaskConfig& config, const Split& split) {
  v1::Evaluation& asked = *config.spec.mutable_evaluation();
  asked.set_holdout(2);
  asked.set_cutoff(10);
  asked.set_coverage(true);
  if (split.records != nullptr)
    asked.set_rating_range(split.records->scale.highest - split.records->scale.lowest);
}

// All rounds of a task, and what everybody says of its last version.
inline nlohmann::json judged_over_the_wire(Loopback& loopback, const TaskConfig& config, const Split& split,
                                           FleetOptions options) {
  const auto users = static_cast<std::uint32_t>(split.train.users());
  options.devices = users;
  options.exchanges = 0;  // until it is judged
  options.reproducible = true;
  options.policy.evaluation = true;
  options.seconds = 120.0;
  const auto devices = enrol_fleet(options, loopback.tokens(users), loopback.connect());
  EXPECT_TRUE(devices.ok());
  const std::atomic<bool> stop = false;
  const auto judged = [&] { return loopback.ask("versions")[0].value("evaluation", nlohmann::json()); };
  const auto report = run_fleet(
      split, options, *devices, loopback.connect(),
      {.stop = stop,
       .finished = [&] { return loopback.versions() == config.rules.rounds + 1 && !judged().is_null(); }});
  EXPECT_TRUE(report.ok());
  EXPECT_TRUE(report->refusals.empty());
  EXPECT_TRUE(report->objections.empty());
  EXPECT_EQ(judged().value("people", 0u), users);
  return judged();
}

inline RowMatrix released_rows(Loopback& loopback, const Task& task) {
  const nlohmann::json exported = loopback.ask("export");
  return *read_published(loopback.blob(exported["encoded"].get<std::string>()),
                         {task.shape().rows, task.shape().width, v1::PRECISION_F32});
}

// What devices say is, in the mean, what an evaluation of the recommender says.
inline void expect_equal(const nlohmann::json& judged, const Recommender& central, const Split& judging,
                         Executor& executor) {
  const auto evaluation = evaluate(central, judging, {}, executor);
  ASSERT_TRUE(evaluation.ok()) << evaluation.error().message;
  const nlohmann::json& metrics = judged["metrics"];
  EXPECT_GT(metrics["nDCG@10"].get<double>(), 0.0);
  for (const auto& [name, value] : metrics.items()) {
    ASSERT_TRUE(evaluation->find(name)) << name;
    EXPECT_NEAR(value.get<double>(), *evaluation->find(name), 1e-4) << name;
  }
  const bool rated = judging.records != nullptr;
  EXPECT_EQ(metrics.size(), rated ? 7u : 5u);
  EXPECT_EQ(judged.value("ratings", std::uint64_t{0}), rated ? judging.test.interactions() : 0u);
  const auto shown = std::ranges::count_if(evaluation->recommended, [](std::uint64_t n) { return n > 0; });
  EXPECT_EQ(judged["coverage"]["items"], shown);
}

}  // namespace sotto::tests::e2e
