#include "model/ratings/rating_knn.h"

#include <algorithm>

#include "model/ratings/rated_likeness.h"

namespace sotto::model {

namespace {

constexpr std::size_t rows_a_shard = 16;

RatedMatrix left_over_by(const RatingBiases& biases, RatedMatrix by_user) {
  by_user.change([&](std::size_t user, const Rated& entry) {
    return static_cast<float>(static_cast<double>(entry.value) -
                              biases.of(static_cast<std::uint32_t>(user), entry.column));
  });
  return by_user;
}

std::vector<double> lengths_of(const RatedMatrix& rows) {
  std::vector<double> lengths;
  for (std::size_t row = 0; row < rows.rows(); ++row) lengths.push_back(length_of(rows.of(row)));
  return lengths;
}

NeighborLists all_nearest(const ComparedRows& among, const KnnOptions& options, Executor& executor) {
  const std::size_t rows = among.rows->rows();
  const std::size_t keep = std::min(rows, RatingKnn::most_kept);
  NeighborLists lists(rows, keep);
  executor.run((rows + rows_a_shard - 1) / rows_a_shard, [&](std::size_t shard) {
    for (std::size_t row = shard * rows_a_shard; row < std::min((shard + 1) * rows_a_shard, rows); ++row)
      lists.set(row, nearest_rows(among.rows->of(row), row, among, options, keep));
  });
  return lists;
}

// A weighted mean in the making.
struct Correction {
  double sum = 0.0, weights = 0.0;
  std::uint32_t count = 0;

  void add(float likeness, float left_over) {
    sum += static_cast<double>(likeness) * static_cast<double>(left_over);
    weights += static_cast<double>(likeness);
    ++count;
  }
  [[nodiscard]] double value() const { return count == 0 ? 0.0 : sum / weights; }
};

}  // namespace

Result<std::unique_ptr<RatingKnn>> RatingKnn::fit(const RatingData& data, KnnRows rows,
                                                  const KnnOptions& options, Executor& executor) {
  SOTTO_TRY_DONE(check(data));
  SOTTO_TRY_DONE(check(options));
  return std::unique_ptr<RatingKnn>(new RatingKnn(data, rows, options, executor));
}

RatingKnn::RatingKnn(const RatingData& data, KnnRows rows, const KnnOptions& options, Executor& executor)
    : RatingModel(data),
      rows_(rows),
      options_(options),
      biases_(fit_biases(by_user(), {})),
      left_over_(left_over_by(biases_, by_user())),
      lines_(options.similarity == Similarity::pearson ? left_over_ : by_user()),
      columns_(lines_.transposed()),
      lengths_(),
      neighbors_(0, 0) {
  if (rows == KnnRows::items) std::swap(lines_, columns_);
  lengths_ = lengths_of(lines_);
  neighbors_ = all_nearest({&lines_, &columns_, lengths_}, options, executor);
}

void RatingKnn::estimate(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const {
  Person person{biases_.users[user.value], left_over_.of(user.value), {}};
  if (rows_ == KnnRows::users) person.neighbors = neighbors_.of(user.value);
  estimate_for(person, items, out);
}

std::vector<Rated> RatingKnn::as_row(std::span<const Rated> history, double bias) const {
  std::vector<Rated> row(history.begin(), history.end());
  for (Rated& entry : row)
    entry.value = static_cast<float>(static_cast<double>(entry.value) - biases_.mean - bias -
                                     biases_.item(entry.column));
  return row;
}

void RatingKnn::estimate_new(std::span<const Rated> history, std::span<const ItemIndex> items,
                             std::span<float> out) const {
  Person person;
  person.bias = biases_.user_with(history, BiasOptions{}.user_reg);
  const std::vector<Rated> left_over = as_row(history, person.bias);
  person.history = left_over;
  std::vector<Neighbor> near;
  if (rows_ == KnnRows::users) {
    const auto compared = options_.similarity == Similarity::pearson ? person.history : history;
    near = nearest_rows(compared, no_row, {&lines_, &columns_, lengths_}, options_,
                        std::min(lines_.rows(), most_kept));
    person.neighbors = near;
  }
  estimate_for(person, items, out);
}

void RatingKnn::estimate_for(const Person& person, std::span<const ItemIndex> items,
                             std::span<float> out) const {
  for (std::size_t n = 0; n < items.size(); ++n)
    out[n] = static_cast<float>(biases_.mean + person.bias + biases_.item(items[n].value));
  if (rows_ == KnnRows::users) {
    correct_by_people(person, items, out);
  } else {
    correct_by_items(person, items, out);
  }
}

// Neighbours come nearest first, so the first k who rated an item are the nearest who did.
void RatingKnn::correct_by_people(const Person& person, std::span<const ItemIndex> items,
                                  std::span<float> out) const {
  std::vector<Correction> corrections(catalogue());
  for (const Neighbor& neighbor : person.neighbors)
    for (const Rated& entry : left_over_.of(neighbor.index))
      if (corrections[entry.column].count < options_.neighbors)
        corrections[entry.column].add(neighbor.likeness, entry.value);
  for (std::size_t n = 0; n < items.size(); ++n)
    if (in_catalogue(items[n])) out[n] += static_cast<float>(corrections[items[n].value].value());
}

// From the person's items to those they remember: far fewer steps than from each item asked for.
void RatingKnn::correct_by_items(const Person& person, std::span<const ItemIndex> items,
                                 std::span<float> out) const {
  std::vector<std::uint32_t> ends(catalogue() + 1, 0);  // of the candidates of each item
  for (const Rated& entry : person.history)
    for (const Neighbor& neighbor : neighbors_.of(entry.column)) ++ends[neighbor.index + 1];
  for (std::size_t item = 0; item < catalogue(); ++item) ends[item + 1] += ends[item];
  std::vector<Neighbor> candidates(ends.back());  // the place in the history, and the likeness
  std::vector<std::uint32_t> next(ends.begin(), ends.end() - 1);
  for (std::uint32_t place = 0; place < person.history.size(); ++place)
    for (const Neighbor& neighbor : neighbors_.of(person.history[place].column))
      candidates[next[neighbor.index]++] = {place, neighbor.likeness};
  std::vector<Neighbor> near;
  for (std::size_t n = 0; n < items.size(); ++n) {
    if (!in_catalogue(items[n])) continue;
    const auto own = std::span(std::as_const(candidates))
                         .subspan(ends[items[n].value], ends[items[n].value + 1] - ends[items[n].value]);
    // Added up in the order of the history, so that how the nearest are found does not show.
    near.assign(own.begin(), own.end());
    cut_to_nearest(near, options_.neighbors);
    const bool cut = near.size() < own.size();
    Correction correction;
    for (const Neighbor& one : own)
      if (!cut || !nearer(near.back(), one)) correction.add(one.likeness, person.history[one.index].value);
    out[n] += static_cast<float>(correction.value());
  }
}

Status RatingKnn::similar(ItemIndex item, std::span<float> out) const {
  if (rows_ == KnnRows::users) return RatingModel::similar(item, out);
  std::fill(out.begin(), out.end(), 0.0f);
  out[item.value] = 1.0f;
  for (const Neighbor& neighbor : neighbors_.of(item.value)) out[neighbor.index] = neighbor.likeness;
  return Done{};
}

}  // namespace sotto::model
