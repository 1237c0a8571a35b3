// Tables 5.1 to 5.6 and figure 5.1 of the thesis out of the runs that are there.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "lab/report/markup.h"
#include "lab/reproduce/averaging_runs.h"
#include "lab/reproduce/printed_table.h"
#include "lab/reproduce/table_parts.h"

namespace sotto::lab {

namespace {

constexpr std::size_t most_points = 120;  // of a curve
constexpr const char* by_size = "DS";     // of every experiment

// Values of several seeds as a cell. Other data or a smaller federation stands beside the print unjudged.
PaperCell cell_of(const std::vector<double>& values, std::optional<double> printed, Yardstick yardstick,
                  bool judged) {
  PaperCell cell = over_seeds(values);
  cell.printed = printed;
  cell.verdict = judged && cell.ours ? judge(printed, *cell.ours, yardstick)
                 : printed           ? Verdict::other
                                     : Verdict::no_print;
  return cell;
}

const std::map<std::uint64_t, KeptAveraging>* runs_of(const AveragingRuns& runs, std::string_view setting) {
  const auto found = runs.find(std::string(setting));
  return found == runs.end() ? nullptr : &found->second;
}

// A run and the baseline's with the same seed.
struct PairedRun {
  const KeptAveraging& baseline;
  const KeptAveraging& run;

  [[nodiscard]] std::optional<double> gain(std::uint32_t accuracy, std::size_t share) const {
    return gain_in_rounds(baseline.until.at(accuracy)[share], run.until.at(accuracy)[share], run.most_rounds);
  }
};

// By seed; seeds that one of the two lacks are left out.
std::map<std::uint64_t, PairedRun> pairs_of(const AveragingRuns& runs, std::string_view setting) {
  std::map<std::uint64_t, PairedRun> pairs;
  const auto *seeds = runs_of(runs, setting), *baselines = runs_of(runs, by_size);
  if (seeds == nullptr || baselines == nullptr) return pairs;
  for (const auto& [seed, run] : *seeds)
    if (const auto baseline = baselines->find(seed); baseline != baselines->end())
      pairs.emplace(seed, PairedRun{baseline->second, run});
  return pairs;
}

std::string seed_count(std::size_t seeds) { return fmt::format("×{}", seeds); }

// Rounds of the baseline: who never got there counts as all rounds.
std::vector<double> baseline_rounds(const AveragingRuns& runs, std::uint32_t accuracy, std::size_t share) {
  std::vector<double> values;
  const auto* seeds = runs_of(runs, by_size);
  if (seeds == nullptr) return values;
  bool any = false;
  for (const auto& [seed, run] : *seeds) {
    const auto& rounds = run.until.at(accuracy)[share];
    any = any || rounds.has_value();
    values.push_back(rounds.value_or(run.most_rounds));
  }
  if (!any) values.clear();
  return values;
}

// Gains over the baseline of the same seed.
std::vector<double> gains(const AveragingRuns& runs, std::string_view setting, std::uint32_t accuracy,
                          std::size_t share) {
  std::vector<double> values;
  for (const auto& [seed, pair] : pairs_of(runs, setting))
    if (const auto gain = pair.gain(accuracy, share)) values.push_back(*gain);
  return values;
}

// The mean over the shares of devices, one a seed; shares that neither reached are left out, and seeds
// without any.
std::map<std::uint64_t, double> average_gains(const AveragingRuns& runs, std::string_view setting,
                                              std::uint32_t accuracy) {
  std::map<std::uint64_t, double> averages;
  for (const auto& [seed, pair] : pairs_of(runs, setting)) {
    std::vector<double> shares;
    for (std::size_t share = 0; share < 9; ++share)
      if (const auto gain = pair.gain(accuracy, share)) shares.push_back(*gain);
    if (!shares.empty()) averages[seed] = spread_of(shares).mean;
  }
  return averages;
}

std::vector<double> values_of(const std::map<std::uint64_t, double>& by_seed) {
  std::vector<double> values;
  for (const auto& [seed, value] : by_seed) values.push_back(value);
  return values;
}

// The mean over the accuracies that a seed reached, one a seed.
std::vector<double> overall_gains(const AveragingRuns& runs, std::string_view setting,
                                  std::span<const std::uint32_t> accuracies) {
  std::map<std::uint64_t, std::vector<double>> reached;
  for (const std::uint32_t accuracy : accuracies)
    for (const auto& [seed, gain] : average_gains(runs, setting, accuracy)) reached[seed].push_back(gain);
  std::vector<double> values;
  for (const auto& [seed, gains_of_seed] : reached) values.push_back(spread_of(gains_of_seed).mean);
  return values;
}

bool is_judged(const Reproduction& out, const PaperData& data) {
  return out.effort == Effort::full && data.caveat.empty();
}

PaperTable rounds_table(const PaperData& data, const AveragingRuns& runs, std::uint32_t accuracy,
                        bool judged) {
  const PrintedTable& print = printed("averaging/rounds.tsv");
  PaperTable table{
      fmt::format("{}: {}% accuracy", data.shown, accuracy), "criteria", print.columns(), {}, {}};
  table.rounds = true;
  for (const std::string& setting : experiment_on(data.name).settings) {
    const bool first = setting == by_size;
    PaperRow row{first ? setting + " (rounds)" : setting, seed_count(pairs_of(runs, setting).size()), {}};
    for (std::size_t share = 0; share < print.columns().size(); ++share) {
      const bool mean = share + 1 == print.columns().size();
      const std::vector<double> values = mean && first ? std::vector<double>{}
                                         : mean        ? values_of(average_gains(runs, setting, accuracy))
                                         : first       ? baseline_rounds(runs, accuracy, share)
                                                       : gains(runs, setting, accuracy, share);
      row.cells.push_back(cell_of(
          values, print.value({data.name, setting, fmt::format("{}%", accuracy)}, print.columns()[share]),
          first && !mean ? Yardstick::at_most : Yardstick::at_least, judged));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

PaperTable mistakes_table(const PaperData& data, const AveragingRuns& runs) {
  const PrintedTable& print = printed("averaging/mistakes.tsv");
  PaperTable table{data.shown, "criteria", print.columns(), {}, {}};
  for (const std::string& setting : experiment_on(data.name).settings) {
    if (setting == by_size) continue;
    std::array<std::vector<double>, 4> counts;
    for (const auto& [seed, pair] : pairs_of(runs, setting)) {
      if (pair.baseline.best_right.size() != pair.run.best_right.size()) continue;
      const Confusion confusion = confusion_of(pair.baseline.best_right, pair.run.best_right);
      const std::array all{confusion.both_wrong, confusion.only_other, confusion.only_baseline,
                           confusion.both_right};
      for (std::size_t n = 0; n < all.size(); ++n) counts[n].push_back(static_cast<double>(all[n]));
    }
    PaperRow row{setting, seed_count(counts.front().size()), {}};
    for (std::size_t n = 0; n < counts.size(); ++n)
      row.cells.push_back(
          cell_of(counts[n], print.value({data.name, setting}, print.columns()[n]), Yardstick::same, false));
    table.rows.push_back(std::move(row));
  }
  table.rounds = true;
  table.notes.emplace_back("All test examples, each run at its best round.");
  return table;
}

ChartSeries curve_of(std::string_view setting, const std::map<std::uint64_t, KeptAveraging>& seeds) {
  ChartSeries series;
  series.name = std::string(setting);
  series.marks = false;
  series.spread = seeds.size() > 1 ? PointSpread::band : PointSpread::none;
  std::size_t looks = SIZE_MAX;
  for (const auto& [seed, run] : seeds) looks = std::min(looks, run.rounds.size());
  const std::size_t step = std::max<std::size_t>(looks / most_points, 1);
  for (std::size_t n = 0; n < looks; n += step) {
    std::vector<double> values;
    for (const auto& [seed, run] : seeds) values.push_back(run.accuracy[n]);
    ChartPoint point;
    point.x = seeds.begin()->second.rounds[n];
    point.y = spread_of(values).mean;
    if (values.size() > 1) point.range = mean_interval(values);
    series.points.push_back(std::move(point));
  }
  return series;
}

void add_curves(const PaperData& data, const AveragingRuns& runs, Reproduction& out) {
  XyChart chart =
      line_chart("accuracy-" + slug(data.shown), fmt::format("{}: accuracy over the rounds", data.shown),
                 "Mean over devices by their test examples; 95% bands over seeds.", "rounds", "accuracy");
  PaperTable table{data.shown, "criteria", {"best accuracy", "at the end"}, {}, {}};
  for (const std::string& setting : experiment_on(data.name).settings) {
    const auto* seeds = runs_of(runs, setting);
    if (seeds == nullptr) continue;
    chart.series.push_back(curve_of(setting, *seeds));
    std::vector<double> best, last;
    for (const auto& [seed, run] : *seeds) {
      if (run.accuracy.empty()) continue;
      best.push_back(*std::max_element(run.accuracy.begin(), run.accuracy.end()));
      last.push_back(run.accuracy.back());
    }
    table.rows.push_back(
        {setting,
         seed_count(best.size()),
         {cell_of(best, {}, Yardstick::at_least, false), cell_of(last, {}, Yardstick::at_least, false)},
         true});
  }
  if (!chart.series.empty()) out.figures.emplace_back(Chart{std::move(chart)});
  out.tables.push_back(std::move(table));
}

// The figures that the engine is held against: half of the devices, the baseline.
void add_baseline_finding(const PaperData& data, const AveragingRuns& runs, Reproduction& out) {
  Finding finding{"Half of the devices are served as soon as printed, by dataset size alone.", {}, {}};
  ClaimVotes votes;
  const Experiment& experiment = experiment_on(data.name);
  for (std::size_t n = 0; n < experiment.held.size(); ++n) {
    const std::uint32_t accuracy = experiment.held[n], within = experiment.within[n];
    const std::vector<double> rounds = baseline_rounds(runs, accuracy, 4);
    const auto print =
        printed("averaging/rounds.tsv").value({data.name, by_size, fmt::format("{}%", accuracy)}, "50%");
    if (rounds.empty() || !print) continue;
    const double mean = spread_of(rounds).mean;
    votes.cast(std::abs(mean - *print) <= within);
    finding.evidence.push_back(
        fmt::format("{}: {}% accuracy after {:.1f} rounds, {} seeds (print {}; our margin {})", data.shown,
                    accuracy, mean, rounds.size(), *print, within));
  }
  add_finding(std::move(finding), votes, out);
}

// Which settings gain at all: by the mean over the accuracies and shares that were reached, one value a
// seed.
void add_gain_finding(const PaperData& data, const AveragingRuns& runs, Reproduction& out) {
  const Experiment& experiment = experiment_on(data.name);
  const bool faces = !experiment.best.empty();
  Finding finding{faces
                      ? fmt::format("Class balance speeds training up, and {} most.", experiment.best)
                      : "No criterion gains much over dataset size where devices hold equally many examples "
                        "(within 3 rounds on average, or an interval that holds 0).",
                  {},
                  {}};
  ClaimVotes votes;
  std::vector<std::pair<double, std::string>> ranking;
  for (const std::string& setting : experiment.settings) {
    if (setting == by_size) continue;
    const std::vector<double> values = overall_gains(runs, setting, experiment.accuracies);
    if (values.empty()) continue;
    const double mean = spread_of(values).mean;
    const Interval range = mean_interval(values);
    ranking.emplace_back(mean, setting);
    if (!faces) votes.cast(std::abs(mean) <= 3.0 || (range.low <= 0.0 && range.high >= 0.0));
    finding.evidence.push_back(
        values.size() > 1 ? fmt::format("{}: {} {:+.2f} rounds (95% {:+.2f} to {:+.2f})", data.shown, setting,
                                        mean, range.low, range.high)
                          : fmt::format("{}: {} {:+.2f} rounds, one seed", data.shown, setting, mean));
  }
  if (faces && !ranking.empty()) {
    const auto best = *std::max_element(ranking.begin(), ranking.end());
    votes.cast(best.second == experiment.best);
    for (const auto& [mean, setting] : ranking)
      if (setting == experiment.gaining) votes.cast(mean > 0.0);
  }
  add_finding(std::move(finding), votes, out);
}

}  // namespace

void add_averaging(const Target& target, const PaperData& data, const AveragingRuns& runs,
                   Reproduction& out) {
  if (target.kind == TargetKind::mistakes) return out.tables.push_back(mistakes_table(data, runs));
  if (target.kind == TargetKind::accuracy_curves) return add_curves(data, runs, out);
  for (const std::uint32_t accuracy : experiment_on(data.name).accuracies)
    out.tables.push_back(rounds_table(data, runs, accuracy, is_judged(out, data)));
  out.tables.back().notes.emplace_back(
      "The first row: rounds until so many of the devices are at the accuracy on their own test examples. "
      "The "
      "others: rounds gained over it; who never got there counts as having needed all rounds.");
  if (out.effort == Effort::full) add_baseline_finding(data, runs, out);
  add_gain_finding(data, runs, out);
}

}  // namespace sotto::lab
