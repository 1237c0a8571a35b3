// A criterion: what of a device is measured, as a number in [0, 1], to decide how much it counts in the sum
// (thesis 5.4.1). Each is a file beside this one and a line in all_criteria().
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "fed/criteria/device_facts.h"

namespace sotto::fed {

struct CriterionKind {
  const char* name;
  const char* short_name;  // the thesis', e.g. DS
  const char* about;
  const char* reveals;  // what the number says about the person, for who is asked to let it out
  bool of_update;       // it looks at what the device is about to send, so it is measured after training
  double (*measure)(const DeviceFacts& facts);
};
using Criterion = const CriterionKind*;

[[nodiscard]] std::span<const Criterion> all_criteria();
// By either name, in any case. What is none is answered with those that are `offered`.
[[nodiscard]] Result<Criterion> parse_criterion(const std::string& text,
                                                std::span<const Criterion> offered = all_criteria());

// An order of priority: "DS>LD>MW", or one criterion. None twice.
using CriteriaOrder = std::vector<Criterion>;
[[nodiscard]] Result<CriteriaOrder> parse_order(const std::string& text,
                                                std::span<const Criterion> offered = all_criteria());
[[nodiscard]] std::string to_string(const CriteriaOrder& order);
// All orders of these, in the order of their names' places: 3 give 6.
[[nodiscard]] std::vector<CriteriaOrder> permutations(const CriteriaOrder& order);

// The measured value; fails where it is not a number in [0, 1].
[[nodiscard]] Result<double> measured(Criterion criterion, const DeviceFacts& facts);

}  // namespace sotto::fed
