#include "fed/models/live_evaluation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace sotto::fed {

namespace {

constexpr std::uint32_t most_holdout = 1'000;
constexpr std::uint32_t most_cutoff = 1'000;
constexpr int figure_bits = 16;
constexpr std::int32_t full_mark = 1 << figure_bits;
// Row 0: a one for the person, then the metrics. Where ratings are predicted row 1: a one for each, their
// errors and these squared, as parts of the range. The rows after them count items, so many in each. Of a
// classifier there is one row: a one for the person, the examples, and those of them that it is right about.
constexpr std::size_t figures_width = 1 + figure_names.size();
constexpr std::size_t hit_rate = 3;
constexpr std::uint32_t ratings_row = 1;

bool rates(const EvaluationTerms& terms) { return terms.rating_range > 0.0f; }

std::uint32_t first_items_row(const EvaluationTerms& terms) { return rates(terms) ? ratings_row + 1 : 1; }

std::size_t rows_of(const EvaluationTerms& terms, std::size_t items) {
  if (terms.classifies) return 1;
  return first_items_row(terms) + (terms.coverage ? (items + figures_width - 1) / figures_width : 0);
}

Error no_list(const char* why) {
  return fail(Code::bad_input, std::string("figures that no list has: ") + why);
}

Error no_count(const char* why) {
  return fail(Code::bad_input, std::string("counts that no examples have: ") + why);
}

Status check_metrics(const std::int32_t* values) {
  if (values[0] != full_mark) return no_list("they count as one person");
  for (std::size_t n = 1; n < figures_width; ++n)
    if (values[n] < 0 || values[n] > full_mark) return no_list("a metric lies between 0 and 1");
  if (values[hit_rate] != 0 && values[hit_rate] != full_mark) return no_list("a list has a hit or has none");
  for (std::size_t n = 1; n < figures_width; ++n)
    if ((values[n] != 0) != (values[hit_rate] != 0)) return no_list("every metric tells a hit from none");
  return Done{};
}

// Whether at most so many ratings, of one person or of many, can have these errors.
bool can_be_errors(const auto* values, std::uint64_t most) {
  const std::int64_t count = values[0], sum = values[1], squares = values[2];
  return count >= 0 && count % full_mark == 0 && static_cast<std::uint64_t>(count / full_mark) <= most &&
         sum >= 0 && sum <= count && squares >= 0 && squares <= sum + count / full_mark;
}

Status check_errors(const std::int32_t* values, const EvaluationTerms& terms) {
  if (!can_be_errors(values, most_judged(terms)))
    return no_list("errors of ratings lie within their range, and are of what is held out");
  for (std::size_t n = 1 + error_names.size(); n < figures_width; ++n)
    if (values[n] != 0) return no_list("ratings have two errors");
  return Done{};
}

// Whether at least and at most so many examples can be in it; whole ones alone.
bool can_be_counts(const auto* values, std::uint64_t least, std::uint64_t most) {
  const std::int64_t count = values[1], right = values[2];
  return count >= 0 && count % full_mark == 0 && static_cast<std::uint64_t>(count / full_mark) >= least &&
         static_cast<std::uint64_t>(count / full_mark) <= most && right >= 0 && right % full_mark == 0 &&
         right <= count;
}

Status check_count(const Contribution& contribution, const EvaluationTerms& terms) {
  if (contribution.size() != 1 || contribution.row(0) != 0) return no_count("they are one row");
  const std::int32_t* values = contribution.values(0);
  if (values[0] != full_mark) return no_count("they count as one person");
  if (!can_be_counts(values, 1, most_judged(terms)))
    return no_count("whole examples are right, at most those that are held out");
  for (std::size_t n = 3; n < figures_width; ++n)
    if (values[n] != 0) return no_count("there is nothing behind them");
  return Done{};
}

Result<LiveFigures> read_counts(const EvaluationTerms& terms, std::uint64_t people, bool noisy,
                                Aggregator&& sum) {
  LiveFigures figures;
  figures.people = people;
  bool possible = false;
  std::move(sum).release([&](std::uint32_t, const auto* values) {
    possible =
        noisy || (static_cast<std::int64_t>(values[0]) == static_cast<std::int64_t>(people) * full_mark &&
                  can_be_counts(values, people, people * most_judged(terms)));
    if (!possible || values[1] <= 0) return;
    const auto examples = static_cast<double>(values[1]) / full_mark,
               right = static_cast<double>(values[2]) / full_mark;
    figures.answers = RightAnswers{examples, std::clamp(right / examples, 0.0, 1.0)};
  });
  if (!possible || people == 0)
    return no_count("a device lied in a secure sum, and nothing of it is released");
  return figures;
}

RatingErrors errors_in(const auto* values, double range) {
  const auto count = static_cast<double>(values[0]);
  const double mean = static_cast<double>(values[1]) / count,
               squared = static_cast<double>(values[2]) / count;
  return {.ratings = count / full_mark,
          .errors = {range * std::clamp(mean, 0.0, 1.0), range * std::sqrt(std::clamp(squared, 0.0, 1.0))}};
}

}  // namespace

Result<std::optional<EvaluationTerms>> read_terms(const v1::TaskSpec& spec, const TaskModel& model) {
  if (!spec.has_evaluation()) return std::optional<EvaluationTerms>();
  const v1::Evaluation& asked = spec.evaluation();
  const bool by_share = asked.share() != 0.0f;
  if (by_share ? asked.holdout() != 0 || !(asked.share() > 0.0f && asked.share() <= 0.5f)
               : asked.holdout() < 1 || asked.holdout() > most_holdout)
    return fail(
        Code::bad_input,
        fmt::format("an evaluation holds out 1 to {} items per person, or a share of them above 0 and "
                    "at most 0.5",
                    most_holdout));
  const bool classifies = model.examples != nullptr;
  if (classifies && (asked.cutoff() != 0 || asked.coverage() || asked.rating_range() != 0.0f))
    return fail(Code::usage,
                "a classifier makes no lists that could be judged, and what is counted is where it is right: "
                "leave evaluate_cutoff and evaluate_coverage out");
  if (!classifies && (asked.cutoff() < 1 || asked.cutoff() > std::min(most_cutoff, spec.items())))
    return fail(Code::bad_input, fmt::format("an evaluation judges lists of 1 to {} items",
                                             std::min(most_cutoff, spec.items())));
  if (!(asked.rating_range() >= 0.0f && std::isfinite(asked.rating_range())))
    return fail(Code::bad_input, "an evaluation judges ratings of a range above 0, or none");
  return std::optional(EvaluationTerms{.holdout = asked.holdout(),
                                       .share = asked.share(),
                                       .cutoff = asked.cutoff(),
                                       .coverage = asked.coverage(),
                                       .rating_range = asked.rating_range(),
                                       .classifies = classifies});
}

std::vector<ItemIndex> held_out(const EvaluationTerms& terms, std::span<const ItemIndex> items,
                                std::span<const std::uint16_t> ages, const DeviceStreams& streams) {
  std::vector<std::pair<std::uint64_t, ItemIndex>> order;
  for (std::size_t n = 0; n < items.size(); ++n)
    order.emplace_back(
        ages.empty() ? Stream(streams.seed, Purpose::hold_out, items[n].value, streams.index.value).next_u64()
                     : ages[n],
        items[n]);
  std::sort(order.begin(), order.end());
  const auto share = static_cast<std::size_t>(double{terms.share} * static_cast<double>(items.size()));
  order.resize(terms.holdout == 0 ? share : std::min<std::size_t>(terms.holdout, items.size() / 2));
  std::vector<ItemIndex> held;
  for (const auto& [key, item] : order) held.push_back(item);
  std::sort(held.begin(), held.end());
  return held;
}

Task evaluation_task(const Task& task) {
  const EvaluationTerms& terms = *task.evaluation;
  Task evaluation = task;
  const std::size_t rows = rows_of(terms, task.items);
  evaluation.other_sum = TaskShape{
      .rows = task.shape().rows,
      .width = task.shape().width,
      .sum_rows = rows,
      .sum_width = figures_width,
      .sent = {.rows = rows,
               .width = figures_width,
               .most_rows = std::min<std::size_t>(rows, std::size_t{first_items_row(terms)} + terms.cutoff)},
      .limit = rates(terms) || terms.classifies ? full_mark * static_cast<std::int32_t>(most_judged(terms))
                                                : full_mark};
  evaluation.plan.fixed.bits = figure_bits;
  evaluation.clip = {};
  return evaluation;
}

std::uint32_t most_judged(const EvaluationTerms& terms) {
  return terms.holdout == 0 ? most_holdout : terms.holdout;
}

double longest_figures(const EvaluationTerms& terms) {
  const double most = most_judged(terms);
  if (terms.classifies) return std::sqrt(1.0 + 2.0 * most * most);
  const double ratings = rates(terms) ? most : 0.0;
  return std::sqrt(static_cast<double>(figures_width + (terms.coverage ? terms.cutoff : 0)) +
                   (1.0 + error_names.size()) * ratings * ratings);
}

Contribution figures_of(const Task& evaluation, metrics::ItemList list, metrics::ItemList relevant,
                        std::span<const float> errors) {
  const EvaluationTerms& terms = *evaluation.evaluation;
  SOTTO_ASSERT(!relevant.empty(), "a list is judged by something");
  metrics::JudgedList judged;
  judged.judge(list, relevant);
  const std::size_t k = terms.cutoff;
  const std::array<double, figure_names.size()> values{
      metrics::precision_at(judged, k), metrics::recall_at(judged, k), metrics::hit_rate_at(judged, k),
      metrics::ndcg_at(judged, k), metrics::reciprocal_rank_at(judged, k)};
  Contribution out(figures_width);
  ContributionPipeline pipeline({}, evaluation.plan.fixed, out);
  std::int32_t* row = pipeline.open_row(0);
  row[0] = full_mark;
  for (std::size_t n = 0; n < values.size(); ++n) {
    row[n + 1] = static_cast<std::int32_t>(std::lround(values[n] * full_mark));
    if (values[n] > 0.0) row[n + 1] = std::max(row[n + 1], 1);  // a hit shows in each
  }
  if (rates(terms) && !errors.empty()) {
    row = pipeline.open_row(ratings_row);
    for (const float error : errors.first(std::min<std::size_t>(errors.size(), most_judged(terms)))) {
      const double part = std::min(std::abs(double{error}) / double{terms.rating_range}, 1.0);
      row[0] += full_mark;
      row[1] += static_cast<std::int32_t>(std::lround(part * full_mark));
      row[2] += static_cast<std::int32_t>(std::lround(part * part * full_mark));
    }
  }
  constexpr auto width = static_cast<std::uint32_t>(figures_width);
  if (terms.coverage)
    for (const ItemIndex item : list.first(std::min(list.size(), k)))
      pipeline.open_row(first_items_row(terms) + item.value / width)[item.value % width] = full_mark;
  out.make_canonical();
  return out;
}

Contribution count_of(const Task& evaluation, const LocalScore& score) {
  SOTTO_ASSERT(score.examples > 0 && score.examples <= most_judged(*evaluation.evaluation),
               "what is held out is judged, as far as the terms go");
  Contribution out(figures_width);
  ContributionPipeline pipeline({}, evaluation.plan.fixed, out);
  std::int32_t* row = pipeline.open_row(0);
  row[0] = full_mark;
  row[1] = full_mark * static_cast<std::int32_t>(score.examples);
  row[2] = full_mark * static_cast<std::int32_t>(score.right);
  return out;
}

Status FiguresCheck::check(const Contribution& contribution) const {
  if (terms_.classifies) return check_count(contribution, terms_);
  if (contribution.size() == 0 || contribution.row(0) != 0) return no_list("the metrics are missing");
  SOTTO_TRY_DONE(check_metrics(contribution.values(0)));
  std::size_t listed = 0;
  for (std::size_t n = 1; n < contribution.size(); ++n) {
    if (contribution.row(n) <= contribution.row(n - 1)) return no_list("a row stands there twice");
    if (contribution.row(n) < first_items_row(terms_)) {
      SOTTO_TRY_DONE(check_errors(contribution.values(n), terms_));
      continue;
    }
    const std::size_t first = (contribution.row(n) - first_items_row(terms_)) * figures_width;
    for (std::size_t k = 0; k < figures_width; ++k) {
      const std::int32_t value = contribution.values(n)[k];
      if (value == 0) continue;
      if (value != full_mark || first + k >= items_)
        return no_list("an item of the catalogue stands in it once or not at all");
      ++listed;
    }
  }
  if (listed > terms_.cutoff) return no_list("it has more items than the cutoff");
  return Done{};
}

Result<LiveFigures> read_figures(const Task& evaluation, std::uint64_t people, bool noisy, Aggregator&& sum) {
  const EvaluationTerms& terms = *evaluation.evaluation;
  if (terms.classifies) return read_counts(terms, people, noisy, std::move(sum));
  LiveFigures figures;
  figures.people = people;
  if (terms.coverage) figures.lists.assign(evaluation.items, 0);
  bool possible = people > 0, counted = false;
  std::uint64_t listed = 0;
  std::move(sum).release([&](std::uint32_t row, const auto* values) {
    if (row == 0) {
      counted = true;
      possible = possible && (noisy || static_cast<std::int64_t>(values[0]) ==
                                           static_cast<std::int64_t>(people) * full_mark);
      for (std::size_t n = 0; n < figures.means.size(); ++n) {
        const double mean = static_cast<double>(values[n + 1]) / full_mark / static_cast<double>(people);
        possible = possible && (noisy || (mean >= 0.0 && mean <= 1.0));
        figures.means[n] = std::clamp(mean, 0.0, 1.0);
      }
      return;
    }
    if (row < first_items_row(terms)) {
      possible = possible && (noisy || can_be_errors(values, people * most_judged(terms)));
      if (possible && values[0] > 0) figures.ratings = errors_in(values, double{terms.rating_range});
      return;
    }
    for (std::size_t k = 0; k < figures_width; ++k) {
      const auto value = static_cast<std::int64_t>(values[k]);
      const std::size_t item = (row - first_items_row(terms)) * figures_width + k;
      const bool in_range =
          value >= 0 && value % full_mark == 0 && static_cast<std::uint64_t>(value / full_mark) <= people;
      possible = possible && in_range && (value == 0 || item < evaluation.items);
      if (!possible || item >= figures.lists.size()) continue;
      figures.lists[item] = static_cast<std::uint64_t>(value / full_mark);
      listed += figures.lists[item];
    }
  });
  if (!possible || !counted || listed > people * terms.cutoff)
    return no_list("a device lied in a secure sum, and nothing of it is released");
  return figures;
}

}  // namespace sotto::fed
