// A split dataset: what models are trained and judged on.
//
// Laws: no pair is in two parts; users keep their index in all parts; items are numbered so that
// those of the training part come first: [0, catalogue) is what a model knows and may recommend,
// [catalogue, items.size()) occurs in test or validation only and counts in their denominators.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "data/contexts.h"
#include "data/dataset.h"
#include "data/histories.h"
#include "data/item_features.h"
#include "data/records.h"

namespace sotto::data {

struct DealtExamples;  // data/examples/dealt_examples.h

struct Split {
  IdTable users;
  IdTable items;
  std::size_t catalogue = 0;
  Histories train;
  Histories validation;  // empty rows when there is none
  Histories test;
  std::vector<std::string> item_categories;  // as in Dataset, renumbered
  std::vector<std::string> item_names;
  std::shared_ptr<const ItemFeatures> features;  // of all items; null where no knowledge was given
  std::shared_ptr<const Records> records;        // ratings and times; null where nobody asked for them
  std::shared_ptr<const Contexts> contexts;      // null likewise
  // What devices hold in place of histories; null where people have histories.
  std::shared_ptr<const DealtExamples> examples;
  std::string hash;  // of ids and all three parts

  // Users who have nothing to train on; they keep their index and an empty history.
  [[nodiscard]] std::size_t users_without_training() const;
  [[nodiscard]] std::size_t users_without_test() const;
};

struct TemporalHoldout {
  double train_share = 0.8;
};  // per user; test = newest ⌊(1 − share)·n⌋
// Per user; train = ⌊share·n⌋ at random, and at least one: the rest is test. (The other way round from the
// temporal rule, because both are as the papers that use them: chapter 6 of the thesis splits so.)
struct RandomHoldout {
  double train_share = 0.8;
};
// Per user; the newest one (at random without times). A user's only interaction stays in training.
struct LeaveOneOut {};
struct FixedTimestamp {
  std::int64_t unix_seconds = 0;
};  // test = at or after
using SplitRule = std::variant<TemporalHoldout, RandomHoldout, LeaveOneOut, FixedTimestamp>;

// "temporal:0.8", "random:0.8", "leave-one-out", "at:1609459200" (or "at:2021-01-01").
[[nodiscard]] Result<SplitRule> parse_split_rule(const std::string& text);
[[nodiscard]] std::string to_string(const SplitRule& rule);

struct SplitOptions {
  SplitRule rule = TemporalHoldout{};
  // Of each user's training part: the newest ⌊share·n⌋, at random where the rule is. With leave-one-out
  // it is one more interaction, whatever the share. 0: none.
  double validation_share = 0.0;
  std::uint64_t seed = 1;     // for the random rules
  bool keep_records = false;  // fill Split::records
  // Of each user's test part at most so many, drawn at random, are judged; the others are trained on. 0: all.
  std::uint32_t most_test = 0;
  std::optional<RatingScale> scale = {};  // of the records; none: the smallest and largest rating there is
};

// Of interactions of equal time the one with the smaller item id counts as the newer (the papers take
// the newest from a list sorted by falling time, stable by id). Ids are strings and compare so:
// "10" comes before "9".
[[nodiscard]] Result<Split> split_dataset(const Dataset& dataset, const SplitOptions& options);

// Parts given as separate files: `train` and `test` (and `validation`, which may be empty) were
// loaded one by one, each with ids of its own; users and items are joined by name. Of the options only
// those of records matter.
[[nodiscard]] Result<Split> join_given_parts(const Dataset& train, const Dataset& validation,
                                             const Dataset& test, const SplitOptions& options = {});

}  // namespace sotto::data
