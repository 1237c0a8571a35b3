// What can be reproduced: every table and figure of the FPL papers and of the thesis' chapters 4, 5 and 6,
// what the Fed-CARS paper shows, and a study of criteria for recommenders.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sotto {

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
[[nodiscard]] bool is_knowledge_kind(TargetKind kind);
[[nodiscard]] bool is_cars_kind(TargetKind kind);
[[nodiscard]] bool is_averaging_kind(TargetKind kind);

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
  std::string_view name;
  std::string_view title;
  TargetKind kind;
  std::vector<std::string_view> datasets;
  std::vector<std::string_view> models;
  std::vector<std::string_view> metrics;
  PiGrid pis = PiGrid::chosen;
  bool extras = false;             // rows that nobody printed, below the table
  std::string_view fallback = {};  // where none of the datasets is there: this one, beside the print
  std::vector<std::string_view> quick_datasets = {};  // what --quick takes of them; none: all
  std::uint32_t seeds = 0;  // of Fed-CARS, chapter 5, criteria: how many; 0: as the effort says
  RunChoice runs = {};
};

// In the order of `sotto reproduce list`.
[[nodiscard]] std::vector<Target> targets();
// "thesis-4.2" and, for short, "4.2".
[[nodiscard]] Result<Target> find_target(const std::string& name);

// Models that no table prints: what a federation could do beside FPL, and the central ones they equal.
[[nodiscard]] std::span<const std::string_view> extra_models();
[[nodiscard]] bool is_federated_label(std::string_view model);
[[nodiscard]] bool is_fpl_label(std::string_view model);

}  // namespace sotto
