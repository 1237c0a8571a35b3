// For tests: a small task, devices that take part in it, and its training by hand.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/row_hash.h"
#include "fed/aggregator.h"
#include "fed/wire/device_fit.h"
#include "fed/wire/packed_contribution.h"
#include "fed/wire/published_model.h"
#include "model/fpl.h"
#include "server/log_sink.h"
#include "server/task_config.h"

namespace sotto::server {

inline v1::TaskSpec world_spec(std::uint32_t items = 30) {
  v1::TaskSpec spec;
  spec.set_name("small");
  spec.set_model("fpl");
  spec.set_factors(4);
  spec.set_learning_rate(0.05f);
  spec.set_user_reg(0.0025f);
  spec.set_positive_reg(0.0025f);
  spec.set_negative_reg(0.00025f);
  spec.set_init_sd(0.1f);
  spec.set_triples(5);
  spec.set_fixed_bits(20);
  spec.set_seed(7);
  spec.set_reproducible(true);
  spec.set_items(items);
  return spec;
}

inline TaskConfig world_config(std::uint32_t goal, std::uint64_t rounds = 0) {
  TaskConfig config;
  config.spec = world_spec();
  config.rules.goal = goal;
  config.rules.quorum = std::min(goal, 2u);
  config.rules.over_selection = 1.0;
  config.rules.rounds = rounds;
  config.rules.gather_ms = 1'000;
  config.rules.round_ms = 10'000;
  config.rules.phase_ms = 1'000;
  return config;
}

struct LogLines final : LogSink {
  void line(const LogLine& one) override { lines.push_back(one); }
  [[nodiscard]] bool has(const std::string& text) const {
    return std::any_of(lines.begin(), lines.end(), [&](const LogLine& one) {
      return one.message.find(text) != std::string::npos ||
             std::any_of(one.fields.begin(), one.fields.end(),
                         [&](const auto& field) { return field.second.find(text) != std::string::npos; });
    });
  }
  std::vector<LogLine> lines;
};

// A device as its person's phone would be: key, history, private row.
struct WorldDevice {
  WorldDevice(std::uint32_t its_number, const v1::TaskSpec& spec)
      : number(its_number),
        identity(Secret(simulated_key(1, "world", its_number))),
        sum_identity(Secret(simulated_key(2, "world", its_number))),
        task(*read_task(spec)),
        fit(task, {task.plan.seed, UserIndex{its_number}}, history(its_number, spec.items()), ConsentTerms{}),
        own(fit.start().on_device()) {}

  static std::vector<ItemIndex> history(std::uint32_t number, std::uint32_t items) {
    std::vector<ItemIndex> all;
    for (std::uint32_t item = 0; item < items; ++item)
      if ((item * 7 + number * 13) % 5 == 0) all.push_back(ItemIndex{item});
    return all;
  }
  // For another round of several parts.
  void forget_totals() {
    std::destroy_at(&fit);
    std::construct_at(&fit, task, DeviceStreams{task.plan.seed, UserIndex{number}},
                      history(number, static_cast<std::uint32_t>(task.items)), ConsentTerms{});
  }
  // The encoded contribution to a round.
  std::string contribution(std::uint32_t round, const RowMatrix& shared) {
    auto made = fit.fit(round, shared, own);
    EXPECT_TRUE(made.ok());
    last = **made;
    if (task.secure) return {};  // what is masked is no message of its own
    return pack_contribution({.round = round, .contribution = **made}, fit.task().part().sent.alike);
  }

  std::uint32_t number;
  Identity identity;
  Identity sum_identity;
  Task task;
  DeviceFit fit;
  RowMatrix own;
  Contribution last{1};
  std::uint64_t nonce = 0;
  std::string version, encoded;  // the model it holds
};

// The training by hand: so many rounds with the devices given, as plain sums.
inline std::string by_hand(const v1::TaskSpec& spec, const std::vector<std::vector<std::uint32_t>>& rounds,
                           std::uint32_t first_round = 0) {
  const Task task = *read_task(spec);
  const Fpl model(options_of<FplOptions>(task), task.items, task.plan.seed);
  RowMatrix shared = model.start_shared();
  std::map<std::uint32_t, WorldDevice> devices;
  SumSpace space(task.items, shared.width());
  for (std::uint32_t round = 0; round < rounds.size(); ++round) {
    Aggregator sum(space);
    const RowMatrix sent = as_published(shared, task.down);
    for (const std::uint32_t number : rounds[round]) {
      WorldDevice& device = devices.try_emplace(number, number, spec).first->second;
      EXPECT_TRUE(sum.accept(**device.fit.fit(first_round + round, sent, device.own)).ok());
    }
    std::move(sum).release([&](std::uint32_t row, const auto* values) {
      model.apply(values, task.plan.fixed, shared.row(row));
    });
  }
  return hash_rows(shared);
}

}  // namespace sotto::server
