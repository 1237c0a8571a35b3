#include "lab/reproduce/cars_cold_start.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "engine/models/fedcars.h"
#include "engine/plan/prepare.h"
#include "engine/train/training.h"
#include "lab/report/markup.h"
#include "lab/reproduce/table_parts.h"
#include "model/ratings/rating_biases.h"

namespace sotto::lab {

namespace {

constexpr std::array<std::uint32_t, 7> known_counts{0, 1, 2, 3, 5, 10, 20};

// A part's record with what it was rated.
KnownRating known_record(const Histories& part, const PartRecords& records, const PartContexts* contexts,
                         std::uint64_t record) {
  KnownRating rated{{part.items()[record]}, records.ratings[record]};
  if (contexts != nullptr && contexts->width > 0) rated.occasion.values = contexts->of(record);
  return rated;
}

// A new person's ratings: those they begin with, oldest first, and those that are asked.
struct NewPerson {
  std::vector<KnownRating> first;
  std::vector<Occasion> asked;
  std::vector<float> ratings;
};

NewPerson new_person(const Split& split, UserIndex user) {
  const Records& records = *split.records;
  const Contexts* contexts = split.contexts.get();
  NewPerson person;
  const auto range = [user](const Histories& part) {
    std::vector<std::uint64_t> all(part.of(user).size());
    std::iota(all.begin(), all.end(), part.offsets()[user.value]);
    return all;
  };
  std::vector<std::uint64_t> train = range(split.train);
  if (!records.train.times.empty())
    std::stable_sort(train.begin(), train.end(), [&](std::uint64_t a, std::uint64_t b) {
      return records.train.times[a] < records.train.times[b];
    });
  for (const std::uint64_t record : train)
    person.first.push_back(
        known_record(split.train, records.train, contexts ? &contexts->train : nullptr, record));
  for (const std::uint64_t record : range(split.test)) {
    const KnownRating asked =
        known_record(split.test, records.test, contexts ? &contexts->test : nullptr, record);
    person.asked.push_back(asked.occasion);
    person.ratings.push_back(asked.rating);
  }
  return person;
}

// What is known from those who took part, without Fed-CARS.
class PlainRivals {
 public:
  PlainRivals(const TrainRequest& request, const Split& split) : scale_(split.records->scale) {
    std::vector<float> ratings;
    const Histories trained = participants(request, split.train);
    for (std::uint32_t user = 0; user < trained.users(); ++user) {
      const std::uint64_t from = split.train.offsets()[user];
      for (std::size_t n = 0; n < trained.of(UserIndex{user}).size(); ++n)
        ratings.push_back(split.records->train.ratings[from + n]);
    }
    const RatedMatrix by_user(trained, ratings, split.catalogue);
    biases_ = fit_biases(by_user, options_);
    const RatedMatrix by_item = by_user.transposed();
    for (std::size_t item = 0; item < by_item.rows(); ++item) {
      double sum = 0.0;
      for (const Rated& rated : by_item.of(item)) sum += rated.value;
      const auto count = static_cast<double>(by_item.of(item).size());
      means_.push_back(count > 0.0 ? sum / count : biases_.mean);
    }
  }

  [[nodiscard]] double item_mean(ItemIndex item) const {
    return item.value < means_.size() ? means_[item.value] : biases_.mean;
  }
  [[nodiscard]] double user_bias(std::span<const KnownRating> known) const {
    std::vector<Rated> rated;
    for (const KnownRating& one : known) rated.push_back({one.occasion.item.value, one.rating});
    return biases_.user_with(rated, options_.user_reg);
  }
  [[nodiscard]] double with_bias(double user, ItemIndex item) const {
    return std::clamp(biases_.mean + user + biases_.item(item.value), static_cast<double>(scale_.lowest),
                      static_cast<double>(scale_.highest));
  }

 private:
  BiasOptions options_;
  RatingScale scale_;
  RatingBiases biases_;
  std::vector<double> means_;
};

double absolute_errors(std::span<const float> predicted, std::span<const float> ratings) {
  double sum = 0.0;
  for (std::size_t n = 0; n < ratings.size(); ++n)
    sum += std::abs(static_cast<double>(predicted[n]) - static_cast<double>(ratings[n]));
  return sum;
}

// Sums of absolute errors, which the caller divides.
ColdStartPoint errors_with(std::uint32_t known, const std::vector<NewPerson>& people,
                           const FedcarsRecommender& model, const PlainRivals& rivals) {
  ColdStartPoint point{.known = known};
  for (const NewPerson& person : people) {
    const std::span<const KnownRating> first =
        std::span(person.first).first(std::min<std::size_t>(known, person.first.size()));
    std::vector<float> out(person.asked.size());
    model.predict_new(first, 1, person.asked, out);
    point.one_step += absolute_errors(out, person.ratings);
    model.predict_new(first, model.model().options().rating.steps, person.asked, out);
    point.all_steps += absolute_errors(out, person.ratings);
    const double bias = rivals.user_bias(first);
    for (std::size_t n = 0; n < person.asked.size(); ++n) {
      const ItemIndex item = person.asked[n].item;
      const auto rating = static_cast<double>(person.ratings[n]);
      point.item_mean += std::abs(rivals.item_mean(item) - rating);
      point.biases += std::abs(rivals.with_bias(bias, item) - rating);
    }
  }
  return point;
}

// One training a seed of the study, again: a results file keeps no models.
Result<ColdStartCurve> measured_curve(const TargetData& at, const PaperData& data, const StoredCell& cell) {
  SOTTO_TRY(TrainRequest request, from_toml(cell.result.request, "the plan of " + at.target.paper->own));
  request.data = data.data;
  SOTTO_TRY_DONE(settle(request));
  SOTTO_TRY(const Prepared prepared, prepare(request.data));
  TrainHooks hooks;
  hooks.stop = at.stop;
  SOTTO_TRY(const Trained trained, train(request, prepared.split, at.executor, hooks));
  const auto* model = dynamic_cast<const FedcarsRecommender*>(trained.model.get());
  SOTTO_ASSERT(model != nullptr, "the plan of Fed-CARS trains Fed-CARS");
  return cold_start_curve(request, prepared.split, *model, known_counts);
}

using PointValue = double ColdStartPoint::*;
struct ColdColumn {
  const char* title;
  PointValue value;
};
constexpr std::array<ColdColumn, 4> cold_columns{
    ColdColumn{"1 step", &ColdStartPoint::one_step}, ColdColumn{"all steps", &ColdStartPoint::all_steps},
    ColdColumn{"item mean", &ColdStartPoint::item_mean}, ColdColumn{"biases", &ColdStartPoint::biases}};

PaperTable cold_table(const PaperData& data, const std::vector<ColdStartCurve>& curves) {
  PaperTable table{data.shown, "ratings known", {}, {}, {}};
  for (const ColdColumn& column : cold_columns) table.metrics.emplace_back(column.title);
  for (std::size_t n = 0; n < known_counts.size(); ++n) {
    PaperRow row{fmt::format("{}", known_counts[n]), fmt::format("×{}", curves.size()), {}, true};
    for (const ColdColumn& column : cold_columns) {
      std::vector<double> values;
      for (const ColdStartCurve& curve : curves) values.push_back(curve.points[n].*column.value);
      row.cells.push_back(over_seeds(values));
    }
    table.rows.push_back(std::move(row));
  }
  std::size_t people = 0;
  for (const ColdStartCurve& curve : curves) people += curve.people;
  table.notes.push_back(fmt::format(
      "MAE on the test ratings of the people who took no part ({} a seed), with the k oldest of their "
      "training ratings known: Fed-CARS after 1 inner step and after all; the mean of the item; the mean of "
      "all with the biases of the item and of the k ratings.",
      people / curves.size()));
  return table;
}

XyChart cold_chart(const std::string& own, const PaperData& data, const PaperTable& table) {
  XyChart chart =
      line_chart("cold-start-" + slug(data.shown), data.shown + ": MAE of new people over ratings known",
                 "People who took no part in training; 95% intervals over seeds are in the table.",
                 "ratings known", "MAE");
  const std::vector<double> x(known_counts.begin(), known_counts.end());
  const std::array<std::string, 4> names{own + ", 1 step", own + ", all steps", "item mean", "biases"};
  for (std::size_t column = 0; column < names.size(); ++column) {
    chart.series.push_back(series_of(table, names[column], column, x));
    chart.series.back().spread = PointSpread::none;
  }
  return chart;
}

void add_new_people_findings(const std::vector<PaperTable>& tables, Reproduction& out) {
  Finding few{"With five ratings Fed-CARS is better for somebody new than the mean of the item.", {}, {}};
  Finding step{"One inner step is within 1% of all of them, at any number of ratings.", {}, {}};
  ClaimVotes few_votes, step_votes;
  for (const PaperTable& table : tables)
    for (const PaperRow& row : table.rows) {
      const double one = *row.cells[0].ours, all = *row.cells[1].ours, mean = *row.cells[2].ours;
      if (row.label == "5") {
        few_votes.cast(all < mean);
        few.evidence.push_back(fmt::format("{}: MAE {:.4f}, item mean {:.4f}, biases {:.4f}", table.title,
                                           all, mean, *row.cells[3].ours));
      }
      if (row.label == "0") continue;
      step_votes.cast(one <= 1.01 * all);
      step.evidence.push_back(fmt::format("{}, {} known: {:.4f} after one step, {:.4f} after all",
                                          table.title, row.label, one, all));
    }
  add_finding(std::move(few), few_votes, out);
  add_finding(std::move(step), step_votes, out);
}

}  // namespace

Result<ColdStartCurve> cold_start_curve(const TrainRequest& request, const Split& split,
                                        const FedcarsRecommender& model,
                                        std::span<const std::uint32_t> known) {
  std::vector<NewPerson> people;
  double asked = 0.0;
  for (std::uint32_t user = 0; user < split.users.size(); ++user) {
    if (answers_at(request.model.own<FedcarsSettings>().participation, request.plan.seed, UserIndex{user}))
      continue;
    NewPerson person = new_person(split, UserIndex{user});
    if (person.asked.empty()) continue;
    asked += static_cast<double>(person.asked.size());
    people.push_back(std::move(person));
  }
  if (people.empty())
    return fail(Code::bad_input, "everybody took part in training: there is nobody new to look at");
  const PlainRivals rivals(request, split);
  ColdStartCurve curve{people.size(), {}};
  for (const std::uint32_t count : known) {
    ColdStartPoint point = errors_with(count, people, model, rivals);
    for (const ColdColumn& column : cold_columns) point.*column.value /= asked;
    curve.points.push_back(point);
  }
  return curve;
}

Status add_cold_start(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    if (!data.there) continue;
    const std::string& model = at.target.models.front();
    const MeasuredPoint* point = at.measured.chosen(data.name, model);
    if (point == nullptr)
      return fail(Code::bad_input, fmt::format("{} on {} failed: {}", at.target.paper->own, data.shown,
                                               at.measured.failure(data.name, model)));
    std::vector<ColdStartCurve> curves;
    for (const StoredCell& cell : point->cells) {
      SOTTO_TRY(ColdStartCurve curve, measured_curve(at, data, cell));
      curves.push_back(std::move(curve));
    }
    PaperTable table = cold_table(data, curves);
    out.figures.emplace_back(Chart{cold_chart(at.target.paper->own, data, table)});
    out.tables.push_back(std::move(table));
  }
  add_new_people_findings(out.tables, out);
  return Done{};
}

}  // namespace sotto::lab
