#include "fed/models/pair_task.h"

#include <fmt/core.h>

#include <algorithm>

#ifndef SOTTO_NO_SERVER
#include "fed/secure/pair_cost.h"
#endif
#include "privacy/weighted_pairs.h"

namespace sotto::fed {

namespace {

// Those that everybody was told after the first part of a round.
KeptItems popular_items(const Task& task) {
  const auto& told = task.totals.at(0).numbers;
  return {std::vector<std::uint32_t>(told.begin(), told.end()), task.items};
}

// Its contribution in the open is the set of items, one number 1 a row: of popular items by their places. In
// the first part of two it is the same set as counts.
class PairDevice final : public DeviceModel {
 public:
  PairDevice(const Task& task, const DeviceStreams& streams, const DeviceHistory& history)
      : task_(task), streams_(streams), history_(history), sent_(1), counts_(numbers_a_row) {}

  bool can_answer() const override { return history_.shareable.interactions() > 0; }
  RowMatrix start() const override { return {1, 1}; }
  Result<Contribution*> contribute(std::uint32_t /*round*/, const RowMatrix& /*shared*/,
                                   RowMatrix& /*own*/) override {
    // The same answer in all rounds: what is drawn anew adds up.
    const ItemSet all = ItemSet::consented(history_.shareable.items(),
                                           {task_.plan.consent, task_.plan.seed, 0, streams_.index});
    let_out_.clear();
    for (const std::uint32_t item : all.items()) let_out_.push_back(ItemIndex{item});
    if (!task_.in_last_part()) return give_items(all, 1, counts_), &counts_;
    if (task_.totals.empty()) return send(all);
    const KeptItems kept = popular_items(task_);
    std::erase_if(let_out_, [&](ItemIndex item) { return kept.place(item.value) == KeptItems::nowhere; });
    return send(all.among(kept));
  }
  std::vector<ItemIndex> let_out() const override { return let_out_; }

 private:
  Contribution* send(const ItemSet& set) {
    sent_.clear();
    ContributionPipeline out(ConsentGate({.pi = 1.0}, 0, 0, UserIndex{}), task_.plan.fixed, sent_);
    for (const std::uint32_t item : set.items()) out.open_row(item)[0] = 1;
    return &sent_;
  }

  const Task& task_;
  DeviceStreams streams_;
  DeviceHistory history_;
  Contribution sent_, counts_;
  std::vector<ItemIndex> let_out_;
};

// `each(item, place in the history, weight)` for all that the person's items say, in their order.
class PairAnswers : public TaskAnswers {
 public:
  PairAnswers(const PersonView& view, float half_life) : items_(view.task.items), history_(view.history) {
    Recency(half_life).weigh(history_.ages_of(UserIndex{0}), recency_);
  }

  void score(std::span<float> out) const override {
    SOTTO_ASSERT(out.size() == items_, "one place for each score");
    std::fill(out.begin(), out.end(), 0.0f);
    for (std::size_t k = 0; k < history_.interactions(); ++k) add_row(history_.items()[k], counts(k), out);
  }

  ScoreReasons reasons(ItemIndex item) const override {
    ScoreReasons made;
    std::vector<float> row(items_);
    for (std::size_t k = 0; k < history_.interactions(); ++k) {
      std::fill(row.begin(), row.end(), 0.0f);
      add_row(history_.items()[k], 1.0f, row);
      const float likeness = row[item.value], weight = counts(k) * likeness;
      made.score += weight;
      if (weight > 0.0f)
        made.because.push_back({.item = history_.items()[k], .likeness = likeness, .weight = weight});
    }
    return made;
  }

 private:
  [[nodiscard]] float counts(std::size_t place) const { return recency_.empty() ? 1.0f : recency_[place]; }
  virtual void add_row(ItemIndex had, float weight, std::span<float> out) const = 0;

  std::size_t items_;
  const Histories& history_;
  std::vector<float> recency_;
};

class MatrixAnswers final : public PairAnswers {
 public:
  MatrixAnswers(const PersonView& view, float half_life)
      : PairAnswers(view, half_life), shared_(view.shared) {}

 private:
  void add_row(ItemIndex had, float weight, std::span<float> out) const override {
    const float* row = shared_.row(had.value);
    for (std::size_t item = 0; item < out.size(); ++item) out[item] += weight * row[item];
  }
  const RowMatrix& shared_;
};

class PopularAnswers final : public PairAnswers {
 public:
  PopularAnswers(const PersonView& view, KeptItems kept, float half_life)
      : PairAnswers(view, half_life), shared_(view.shared), kept_(std::move(kept)) {}

 private:
  void add_row(ItemIndex had, float weight, std::span<float> out) const override {
    const std::uint32_t place = kept_.place(had.value);
    if (place == KeptItems::nowhere) return;
    const float* row = shared_.row(place) + 1;
    for (std::size_t k = 0; k < kept_.items().size(); ++k) out[kept_.items()[k]] += weight * row[k];
  }
  const RowMatrix& shared_;
  KeptItems kept_;
};

class WeightAnswers final : public PairAnswers {
 public:
  WeightAnswers(const PersonView& view, ItemWeights weights, float half_life)
      : PairAnswers(view, half_life), weights_(std::move(weights)) {}

 private:
  void add_row(ItemIndex had, float weight, std::span<float> out) const override {
    for (const Neighbor& one : weights_.of(had.value)) out[one.index] += weight * one.likeness;
  }
  ItemWeights weights_;
};

Error refuse_set(const char* why) {
  return fail(Code::bad_input, std::string("contribution refused: ") + why);
}

bool is_made(const RowMatrix& rows) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    for (const float value : rows.values(row))
      if (value != 0.0f) return true;
  return false;
}

// Where there are no items, or no model yet, there is nothing to answer with.
Status check_view(const PersonView& view) {
  if (view.history.interactions() == 0) return nothing_to_answer_from();
  if (is_made(view.shared)) return Done{};
  return fail(Code::not_found, fmt::format("the model of the task '{}' is not made yet: run an exchange "
                                           "later",
                                           view.task.name));
}

}  // namespace

void visit_pairs(TaskOptions& keys, PairTaskOptions& options) {
  keys.whole_if_any("pair_items", options.items);
  keys.whole_if_any("pair_bytes", options.bytes);
}

std::size_t summed_items(const Task& task, PairTaskOptions options) {
  return options.items == 0 ? task.items : std::min<std::size_t>(options.items, task.items);
}

TaskShape shape_of_pairs(const Task& task, PairTaskOptions options, std::size_t rows, std::size_t width,
                         PersonWeight weight) {
  const std::size_t items = summed_items(task, options);
  const PairLayout layout(items);
  TaskShape shape{.rows = rows,
                  .width = width,
                  .sum_rows = layout.rows(),
                  .sum_width = PairLayout::width,
                  .sent = {.rows = items, .width = 1, .most_rows = items, .alike = true},
                  .limit = static_cast<std::int32_t>(weight.of(1)),  // longer histories weigh less
                  .blind = true,
                  .solved = true};
  if (items == task.items) return shape;
  shape.tells = "pairs of popular items";
  const std::size_t counts = rows_for(task.items);
  shape.before.push_back({.sum_rows = counts,
                          .sum_width = numbers_a_row,
                          .sent = {.rows = counts, .width = numbers_a_row, .most_rows = counts},
                          .limit = 1,
                          .tells = "how many people have each item",
                          .counts = true,
                          .told_again = true,
                          .largest = {items, task.items}});
  return shape;
}

Status check_pair_spec(const v1::TaskSpec& spec) {
  if (spec.clip() > 0.0 || spec.row_clip() > 0.0)
    return fail(Code::usage,
                "counts of pairs bear no noise on each of them: leave epsilon, clip and row_clip out");
  return Done{};
}

Status check_kept_weights(const v1::TaskSpec& spec) {
  SOTTO_TRY_DONE(check_pair_spec(spec));
  if (spec.down() != v1::PRECISION_F32)
    return fail(Code::bad_input, "the model names items, and is sent in f32: leave down out");
  return Done{};
}

std::unique_ptr<DeviceModel> pair_device(const Task& task, const DeviceStreams& streams,
                                         const DeviceHistory& history) {
  return std::make_unique<PairDevice>(task, streams, history);
}

void add_all_pairs(const Task& task, PersonWeight weight, const Contribution& sent, Contribution& out) {
  give_pairs(ItemSet::in(sent), weight, PairLayout(task.shape().sent.rows), out);
}

#ifndef SOTTO_NO_SERVER
Status check_pair_cost(const Task& task, PairTaskOptions options, PersonWeight weight,
                       std::uint32_t devices) {
  constexpr std::uint32_t usual_bytes = 32'000'000;
  SumOptions sum;
  sum.kind = SumKind::secure;
  sum.assumed = task.assumed;
  const PairSumPlan plan{sum_of_pairs(sum, weight), devices, task.items, weight};
  return check_pair_bytes(plan, summed_items(task, options), options.bytes == 0 ? usual_bytes : options.bytes,
                          {.items = "pair_items = ", .bytes = "pair_bytes"});
}
#endif

PairServer::PairServer(const Task& task, PersonWeight weight)
    : shape_(task.shape()), items_(task.items), counts_(!task.in_last_part()), weight_(weight) {
  if (!task.totals.empty()) kept_ = popular_items(task);
}

Status PairServer::check_counts(const Contribution& contribution) const {
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    if (n > 0 && contribution.row(n) == contribution.row(n - 1)) return refuse_set("it names an item twice");
    for (std::size_t k = 0; k < contribution.width(); ++k) {
      const std::int32_t times = contribution.values(n)[k];
      if (times == 0) continue;
      if (times != 1) return refuse_set("it counts an item other than once");
      if (contribution.row(n) * contribution.width() + k >= items_)
        return refuse_set("it counts an item that the task does not have");
    }
  }
  return Done{};
}

Status PairServer::check(const Contribution& contribution) const {
  if (counts_) return check_counts(contribution);
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    if (contribution.values(n)[0] != 1) return refuse_set("it counts an item other than once");
    if (n > 0 && contribution.row(n) == contribution.row(n - 1)) return refuse_set("it names an item twice");
  }
  return Done{};
}

Result<ServerState> PairServer::release(std::uint32_t /*releases*/, const ServerState& /*state*/,
                                        Aggregator&& sum) const {
  std::vector<std::int64_t> numbers(shape_.sum_numbers(), 0);
  std::move(sum).release([&](std::uint32_t row, const auto* values) {
    std::copy_n(values, shape_.sum_width, numbers.data() + std::size_t{row} * shape_.sum_width);
  });
  SOTTO_TRY(PairSum pairs, counted_pairs(PairLayout(shape_.sent.rows), std::move(numbers), weight_));
  ServerState made = start();
  SOTTO_TRY_DONE(solve(kept_ ? pairs.renumbered(kept_->items(), items_) : std::move(pairs), made.shared));
  return made;
}

void put_weights(const ItemWeights& weights, WeightsBy by, RowMatrix& rows) {
  const std::size_t most = rows.width() / 2;
  std::vector<std::size_t> filled(rows.rows(), 0);
  for (std::uint32_t item = 0; item < weights.items(); ++item)
    for (const Neighbor& one : weights.of(item)) {
      const std::uint32_t row = by == WeightsBy::source ? item : one.index;
      const std::uint32_t other = by == WeightsBy::source ? one.index : item;
      SOTTO_ASSERT(filled[row] < most, "an item keeps no more weights than it may");
      rows.row(row)[filled[row]] = static_cast<float>(other);
      rows.row(row)[most + filled[row]++] = one.likeness;
    }
}

#ifndef SOTTO_NO_SERVER
ServerState grown_weights(const Task& task, const ServerState& state) {
  ServerState grown = task.model->server(task)->start();
  const std::size_t before = state.shared.width() / 2, most = grown.shared.width() / 2;
  for (std::size_t row = 0; row < state.shared.rows(); ++row) {
    std::copy_n(state.shared.row(row), before, grown.shared.row(row));
    std::copy_n(state.shared.row(row) + before, before, grown.shared.row(row) + most);
  }
  return grown;
}
#endif

Result<ItemWeights> weights_in(const RowMatrix& rows, WeightsBy by) {
  const std::size_t most = rows.width() / 2;
  NeighborLists lists(rows.rows(), most);
  std::vector<Neighbor> kept;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    kept.clear();
    const auto values = rows.values(row);
    for (std::size_t k = 0; k < most; ++k) {
      const float named = values[k], weight = values[most + k];
      if (weight == 0.0f) continue;
      if (!(named >= 0.0f && named < static_cast<float>(rows.rows())))
        return fail(Code::bad_input, "the model names items that its task does not have: run an exchange");
      kept.push_back({static_cast<std::uint32_t>(named), weight});
    }
    lists.set(row, kept);
  }
  return by == WeightsBy::target ? ItemWeights::by_target(lists) : ItemWeights::by_source(lists);
}

Result<KeptItems> kept_in(const RowMatrix& rows, std::size_t items) {
  std::vector<std::uint32_t> kept;
  const std::size_t made = is_made(rows) ? rows.rows() : 0;
  for (std::size_t row = 0; row < made; ++row) {
    const float named = rows.row(row)[0];
    const float least = kept.empty() ? 0.0f : static_cast<float>(kept.back() + 1);
    if (!(named >= least && named < static_cast<float>(items)))
      return fail(Code::bad_input, "the model names items that its task does not have: run an exchange");
    kept.push_back(static_cast<std::uint32_t>(named));
  }
  return KeptItems(std::move(kept), items);
}

Result<std::unique_ptr<TaskAnswers>> matrix_answers(const PersonView& view, float half_life) {
  SOTTO_TRY_DONE(check_view(view));
  if (view.task.parts() == 1)
    return std::unique_ptr<TaskAnswers>(std::make_unique<MatrixAnswers>(view, half_life));
  SOTTO_TRY(KeptItems kept, kept_in(view.shared, view.task.items));
  return std::unique_ptr<TaskAnswers>(std::make_unique<PopularAnswers>(view, std::move(kept), half_life));
}

Result<std::unique_ptr<TaskAnswers>> weight_answers(const PersonView& view, WeightsBy by, float half_life) {
  SOTTO_TRY_DONE(check_view(view));
  SOTTO_TRY(ItemWeights weights, weights_in(view.shared, by));
  return std::unique_ptr<TaskAnswers>(std::make_unique<WeightAnswers>(view, std::move(weights), half_life));
}

}  // namespace sotto::fed
