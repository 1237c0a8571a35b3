// What can be reproduced (papers/targets.toml): every table and figure of the FPL papers and of the thesis'
// chapters 4, 5 and 6, what the Fed-CARS paper shows, and a study of criteria for recommenders.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sotto::lab {

// How a target's tables are made; targets.cpp has their names.
enum class TargetKind : std::uint8_t {
  datasets,         // table 4.1: counts
  scores,           // tables 4.2, 4.3 and those of the papers
  costs,            // table 4.4: communication and precision for each π
  source_bias,      // table 4.5
  disparity,        // table 4.6
  f1_over_pi,       // figure 4.2
  coverage_path,    // figure 4.3
  updates,          // figure 4.4
  recommended,      // figure 4.5
  cost_front,       // figure 4.6
  knowledge,        // table 6.1
  preserved,        // table 6.2
  entropy,          // figure 6.2
  ablation,         // figure 6.3
  word_clouds,      // figure 6.4
  cars_table,       // Fed-CARS, table 1
  participation,    // Fed-CARS, figure 3
  cars_contexts,    // Fed-CARS, figure 4
  protocols,        // what people's own protocols cost
  cold_start,       // somebody new with k ratings
  reached_rounds,   // tables 5.1, 5.3, 5.5
  mistakes,         // tables 5.2, 5.4, 5.6
  accuracy_curves,  // figure 5.1
  criteria,         // devices of recommenders that count by criteria
};

// What the targets of one paper share; papers/targets.toml explains the words.
struct Paper {
  std::string name;  // of its folder in papers/
  std::string own;
  std::vector<std::string> over_pi, federated, unprinted, competing, with_features, second_hop;
  std::vector<std::vector<std::string>> in_parallel;
  std::vector<std::string> more_local;
  std::string sparse, untuned, untuned_note, given;
  std::string tested, protocol, quick, full;  // what a report says of the work
  std::uint32_t quick_seeds = 3;

  [[nodiscard]] bool is(std::string_view other) const { return name == other; }
};
[[nodiscard]] bool contains(const std::vector<std::string>& names, std::string_view name);

// Which values of π are trained beside the chosen one.
enum class PiGrid : std::uint8_t { chosen, positive, with_zero };

// How the runs of chapter 5 are made: each is long, and several processes may share them.
struct RunChoice {
  std::uint32_t rounds = 0;  // 0: as planned
  std::uint32_t part = 0;    // of `parts`: the missing runs that this process makes
  std::uint32_t parts = 1;
  std::string accelerator = "cpu";
};

struct Target {
  std::string name;
  std::string title;
  TargetKind kind = TargetKind::datasets;
  const Paper* paper = nullptr;
  std::vector<std::string> datasets;
  std::vector<std::string> models;
  std::vector<std::string> metrics;
  PiGrid pis = PiGrid::chosen;
  std::vector<std::string> extras;          // rows that nobody printed, below the table
  std::string fallback;                     // where none of the datasets is there: this one, beside the print
  std::vector<std::string> quick_datasets;  // what --quick takes of them; none: all
  std::vector<std::string> drawn;           // the models of a chart, where it does not draw all
  std::string tested;                       // how its findings were tested
  std::uint32_t seeds = 0;  // of Fed-CARS, chapter 5, criteria: how many; 0: as the effort says
  RunChoice runs = {};
};

// In the order of `sotto reproduce list`.
[[nodiscard]] const std::vector<Target>& targets();
// "thesis-4.2" and, for short, "4.2".
[[nodiscard]] Result<Target> find_target(const std::string& name);

// Whether it is trained with several π.
[[nodiscard]] bool is_fpl_label(std::string_view model);
[[nodiscard]] bool is_federated_label(std::string_view model);

}  // namespace sotto::lab
