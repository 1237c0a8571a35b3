// AveragingRequest: everything that a training by federated averaging is asked for, from flags or a plan.
//
// Laws: every setting is one line in averaging_fields(), which is the flag, the plan's key and what is
// written back; to_toml() and averaging_from_toml() are each other's inverse, so that a kept plan makes the
// run again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/examples/deal.h"
#include "fed/criteria/weighing_collector.h"
#include "fed/secure/secure_collector.h"
#include "metrics/device_accuracy.h"
#include "model/averaging/classifier_options.h"
#include "sim/averaging_federation.h"

namespace sotto {

enum class DealKind : std::uint8_t { iid, shards, people };
[[nodiscard]] Result<DealKind> parse_deal_kind(const std::string& text);
[[nodiscard]] const char* to_string(DealKind kind);

struct AveragingRequest {
  std::string data;                // a folder with MNIST's or CelebA's files
  bool generate = false;           // examples are made up instead
  std::uint32_t examples = 12000;  // of those: so many
  DealKind deal = DealKind::iid;
  std::uint32_t devices = 0;        // that examples are dealt to; 0: 100, or all people
  std::uint32_t most_devices = 0;   // of those: so many are in the federation; 0: all
  std::uint32_t most_examples = 0;  // of a device, for training; 0: all it was dealt
  double validation = 0.0;          // share of a device's training examples
  OwnerDeal people;
  ClassifierOptions classifier;
  AveragingPlan plan;
  std::uint32_t rounds = 100;
  std::uint32_t evaluate_every = 1;
  CriteriaOptions criteria;
  bool choose_order = false;
  std::optional<AccuracyGoal> until;  // stop when it is reached
  SumOptions sum;
};

// What can be said without the data. A field that says nothing beside the others is refused where it was set
// to something, or stands in `given`: the names of those that somebody wrote down, whatever they wrote.
[[nodiscard]] Status check(const AveragingRequest& request, std::span<const std::string> given = {});
// How many devices iid and shards deal to.
[[nodiscard]] std::uint32_t dealt_devices(const AveragingRequest& request);
// What can be said of a federation of so many devices.
[[nodiscard]] Status check_cohort(const AveragingRequest& request, std::size_t devices);

// "50%@95%": half of the devices at 95% accuracy.
[[nodiscard]] Result<AccuracyGoal> parse_goal(const std::string& text);
[[nodiscard]] std::string to_string(const AccuracyGoal& goal);

struct AveragingField {
  std::string name;   // the flag's, "local-epochs"; a plan writes local_epochs
  std::string type;   // what help calls the value; empty: a switch, "true" or "false"
  std::string group;  // in help
  std::string about;
  std::function<std::string(const AveragingRequest&)> show;  // empty: not set
  std::function<Status(AveragingRequest&, const std::string&)> set;
  // Where the others make it say nothing: why, and what to do; null where it counts. Empty: it always does.
  std::function<const char*(const AveragingRequest&)> idle = {};
};
[[nodiscard]] std::vector<AveragingField> averaging_fields();

[[nodiscard]] std::string to_toml(const AveragingRequest& request);
// An unknown key or an impossible value names the line.
[[nodiscard]] Result<AveragingRequest> averaging_from_toml(const std::string& text, const std::string& name,
                                                           AveragingRequest base = {});

}  // namespace sotto
