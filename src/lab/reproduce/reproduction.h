// Reproduction: a target's tables, findings and figures, ready to be shown in whatever way.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "lab/report/page.h"
#include "lab/reproduce/measurements.h"
#include "lab/reproduce/studies.h"
#include "lab/reproduce/targets.h"
#include "lab/reproduce/verdict.h"

namespace sotto::lab {

struct PaperCell {
  std::optional<double> printed;
  std::optional<double> ours;
  std::optional<Interval> interval;
  Verdict verdict = Verdict::no_print;
  RankMark standing = RankMark::plain;  // ours, among those it is compared with
};

struct PaperRow {
  std::string label;
  std::string setting;  // "π 0.5 ×3": three seeds
  std::vector<PaperCell> cells;
  bool extra = false;  // nobody printed it
};

struct PaperTable {
  std::string title;
  std::string row_title;
  std::vector<std::string> metrics;
  std::vector<PaperRow> rows;
  std::vector<std::string> notes;
  bool rounds = false;  // its numbers are rounds or examples: few decimals
  std::optional<std::size_t> ranged =
      std::nullopt;  // the metric whose intervals stand beside it in text, too
};

enum class ClaimOutcome : std::uint8_t { holds, mixed, fails, untested };
[[nodiscard]] const char* to_string(ClaimOutcome outcome);

// One of the papers' findings, and what our numbers say to it.
struct Finding {
  std::string claim;
  ClaimOutcome outcome = ClaimOutcome::untested;
  std::vector<std::string> evidence;  // a line each
};

struct Reproduction {
  Target target;
  Effort effort = Effort::quick;
  std::vector<PaperTable> tables;
  std::vector<Finding> findings;
  std::vector<PageBlock> figures;
  std::vector<std::string> notes;
  std::vector<std::string> absent;  // a dataset and its remedy each
  std::uint64_t computed = 0;       // cells; the others were in the results file
};

using VerdictCounts = std::array<std::size_t, verdict_count>;
[[nodiscard]] VerdictCounts count_verdicts(const Reproduction& reproduction);

// What a target's builders get: the data that was looked for, and what was measured on it.
struct TargetData {
  const Target& target;
  const std::vector<PaperData>& data;
  const Measurements& measured;
  Effort effort;
  // For what is trained again because its lists are needed.
  Executor& executor;
  const std::atomic<bool>* stop = nullptr;
};

// score_tables.cpp: tables 4.2 and 4.3 and the papers', a table per dataset, and who is best.
[[nodiscard]] Status add_score_tables(const TargetData& at, Reproduction& out);
// other_tables.cpp
[[nodiscard]] Status add_dataset_table(const std::vector<PaperData>& data, Reproduction& out);
[[nodiscard]] Status add_cost_tables(const TargetData& at, Reproduction& out);
// bias_tables.cpp
[[nodiscard]] Status add_source_bias(const TargetData& at, Reproduction& out);
[[nodiscard]] Status add_disparity(const TargetData& at, Reproduction& out);
// knowledge_tables.cpp: table 6.1, and the numbers behind figures 6.2 and 6.3.
[[nodiscard]] Status add_knowledge_tables(const TargetData& at, Reproduction& out);
[[nodiscard]] Status add_knowledge_figure(const TargetData& at, Reproduction& out);
// knowledge_features.cpp: table 6.2 and figure 6.4.
[[nodiscard]] Status add_preserved_tables(const TargetData& at, Reproduction& out);
[[nodiscard]] Status add_word_clouds(const TargetData& at, Reproduction& out);
// knowledge_findings.cpp: what chapter 6 claims, and what the tables say to it.
void add_knowledge_findings(const TargetData& at, Reproduction& out);
// cars_tables.cpp: table 1 of Fed-CARS.
[[nodiscard]] Status add_cars_table(const TargetData& at, Reproduction& out);
// cars_curves.cpp: figures 3 and 4.
[[nodiscard]] Status add_participation(const TargetData& at, Reproduction& out);
[[nodiscard]] Status add_context_curves(const TargetData& at, Reproduction& out);
// cars_protocols.cpp
[[nodiscard]] Status add_protocol_costs(const TargetData& at, Reproduction& out);
// cars_cold_start.cpp
[[nodiscard]] Status add_cold_start(const TargetData& at, Reproduction& out);
// findings.cpp
[[nodiscard]] Status add_findings(const TargetData& at, Reproduction& out);
// figures.cpp: what is behind the lines over π, and the figures of a target's kind.
[[nodiscard]] Status add_pi_tables(const TargetData& at, Reproduction& out);
[[nodiscard]] Status add_figures(const TargetData& at, const std::string& results_path, Reproduction& out);

}  // namespace sotto::lab
