#include "model/central/ease.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/panel_sums.h"
#include "base/score_kernels.h"
#include "model/central/co_counts.h"

namespace sotto::model {

namespace {

constexpr std::size_t wide = kernels::panel_items;

// The most popular items, as many as there may be, ascending; those as popular as the first one left out are
// left out too, so that the choice does not hang on their numbers.
std::vector<std::uint32_t> most_popular(std::span<const std::uint32_t> popularity, std::size_t most) {
  std::vector<std::uint32_t> all(popularity.size());
  std::iota(all.begin(), all.end(), 0u);
  if (all.size() <= most) return all;
  std::vector<std::uint32_t> sorted(popularity.begin(), popularity.end());
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(most), sorted.end(),
                   std::greater<>());
  std::erase_if(all, [&](std::uint32_t item) { return popularity[item] <= sorted[most]; });
  return all;
}

SymmetricMatrix matrix_of(const PairCounts& pairs, std::span<const std::uint32_t> items, Executor& executor) {
  constexpr auto left_out = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> places(pairs.items(), left_out);
  for (std::uint32_t n = 0; n < items.size(); ++n) places[items[n]] = n;
  SymmetricMatrix matrix(items.size());
  const std::size_t shards = std::min(items.size(), executor.threads() * 8);
  executor.run(shards, [&](std::size_t shard) {
    PairRow row;
    for (std::size_t n = items.size() * shard / shards; n < items.size() * (shard + 1) / shards; ++n) {
      pairs.row(items[n], row);
      for (std::size_t k = 0; k < row.items.size() && row.items[k] <= items[n]; ++k)
        if (places[row.items[k]] != left_out)
          matrix.at(n, places[row.items[k]]) = static_cast<double>(row.sums[k]) / pairs.unit();
    }
  });
  return matrix;
}

}  // namespace

Status check(const EaseOptions& options) {
  SOTTO_TRY_DONE(Recency::check(options.recency));
  if (options.lambda > 0.0f && std::isfinite(options.lambda)) return Done{};
  return fail(Code::usage, fmt::format("lambda is {}, but EASE needs a number above 0", options.lambda));
}

SymmetricMatrix count_all_pairs(const Histories& histories, const Audiences& audiences, Executor& executor) {
  const std::size_t items = audiences.items();
  SymmetricMatrix gram = SymmetricMatrix::unset(items);
  const CommonColumns common(items, histories.users(),
                             [&](std::uint32_t user) { return histories.of(UserIndex{user}); });
  const std::size_t padded = (items + kernels::bit_rows - 1) / kernels::bit_rows * kernels::bit_rows;
  constexpr std::size_t rows_a_shard = 64;  // later rows have more to count
  executor.run((items + rows_a_shard - 1) / rows_a_shard, [&](std::size_t shard) {
    std::vector<std::uint32_t> own, counts(padded, 0);
    for (std::size_t item = shard * rows_a_shard; item < std::min(items, (shard + 1) * rows_a_shard);
         ++item) {
      if (common.any()) common.count(item, item + 1, own, counts.data());
      for (const UserIndex user : audiences.of(ItemIndex{static_cast<std::uint32_t>(item)})) {
        if (common.contains(user.value)) continue;
        for (const ItemIndex other : histories.of(user)) {
          if (other.value > item) break;
          ++counts[other.value];
        }
      }
      std::copy_n(counts.begin(), item + 1, gram.row(item).begin());
      std::fill(counts.begin(), counts.end(), 0u);
    }
  });
  return gram;
}

Ease::Ease(const Histories& train, std::size_t catalogue, std::vector<std::uint32_t> solved, float recency)
    : train_(train),
      catalogue_(catalogue),
      solved_(std::move(solved)),
      recency_(recency),
      panels_((solved_.size() + wide - 1) / wide * wide * solved_.size()) {}

Result<std::unique_ptr<Ease>> Ease::solve(const PairCounts& pairs, const Histories& train,
                                          const EaseOptions& options, Executor& executor) {
  SOTTO_TRY_DONE(check(options));
  auto solved = most_popular(pairs.popularity(), options.most_items);
  if (solved.empty())
    return fail(Code::bad_input,
                fmt::format("of {} items no {} are more popular than the rest, so none would be solved: "
                            "raise --dense-items",
                            pairs.items(), options.most_items));
  SymmetricMatrix gram = matrix_of(pairs, solved, executor);
  return solve({std::move(gram), std::move(solved)}, pairs.items(), train, options, executor);
}

Result<std::unique_ptr<Ease>> Ease::fit(const Histories& train, std::size_t catalogue,
                                        const EaseOptions& options, Executor& executor) {
  SOTTO_ASSERT(catalogue <= options.most_items, "a catalogue that fits one matrix");
  const Audiences audiences(train, catalogue);
  std::vector<std::uint32_t> all(catalogue);
  std::iota(all.begin(), all.end(), 0u);
  return solve({count_all_pairs(train, audiences, executor), std::move(all)}, catalogue, train, options,
               executor);
}

Result<std::unique_ptr<Ease>> Ease::solve(ItemGram released, std::size_t catalogue, const Histories& train,
                                          const EaseOptions& options, Executor& executor) {
  SOTTO_TRY_DONE(check(options));
  SOTTO_ASSERT(released.gram.size() == released.items.size() && released.items.size() <= catalogue,
               "a row for each item");
  std::unique_ptr<Ease> model(new Ease(train, catalogue, std::move(released.items), options.recency));
  model->statistics_ =
      released.statistics.empty() ? hash_lower(released.gram, executor) : std::move(released.statistics);
  model->statistics_ += fmt::format(" and {}", options.lambda);
  SOTTO_TRY_DONE(model->solve_from(std::move(released.gram), options.lambda, executor));
  return model;
}

std::unique_ptr<Ease> Ease::of_rows(const RowMatrix& rows, std::vector<std::uint32_t> items,
                                    std::size_t catalogue, const Histories& train, float recency) {
  const std::size_t size = items.size();
  SOTTO_ASSERT(rows.rows() >= size && rows.width() >= size, "a weight for every two items");
  const std::size_t front = rows.width() - rows.rows();
  std::unique_ptr<Ease> model(new Ease(train, catalogue, std::move(items), recency));
  for (std::size_t first = 0; first < size; first += wide)
    for (std::size_t row = 0; row < size; ++row) {
      float* lanes = model->panels_.data() + first * size + row * wide;
      std::fill_n(lanes, wide, 0.0f);
      std::copy_n(rows.row(row) + front + first, std::min(wide, size - first), lanes);
    }
  return model;
}

Status Ease::solve_from(SymmetricMatrix gram, float lambda, Executor& executor) {
  const std::size_t size = gram.size();
  for (std::size_t n = 0; n < size; ++n) gram.at(n, n) += static_cast<double>(lambda);
  SOTTO_TRY_DONE(invert_lower(gram, executor));
  std::vector<double> scale(size);
  for (std::size_t n = 0; n < size; ++n) scale[n] = -1.0 / gram.at(n, n);
  executor.run((size + wide - 1) / wide, [&](std::size_t shard) { take_rows(gram, scale, shard); });
  return Done{};
}

// The inverse is symmetric, so 64 of its rows up to the diagonal are both: rows of all panels before, and,
// turned, what their own panel has at the others' places.
void Ease::take_rows(const SymmetricMatrix& inverse, std::span<const double> scale, std::size_t shard) {
  const std::size_t size = inverse.size(), first = shard * wide, last = std::min(size, first + wide);
  float* own = panels_.data() + first * size;
  alignas(64) float turned[wide][wide] = {};
  for (std::size_t column = 0; column < first; column += wide) {
    float* panel = panels_.data() + column * size;
    for (std::size_t row = first; row < last; ++row) {
      const double* from = inverse.row(row).data() + column;
      for (std::size_t c = 0; c < wide; ++c) {
        panel[row * wide + c] = static_cast<float>(from[c] * scale[column + c]);
        turned[c][row - first] = static_cast<float>(from[c] * scale[row]);
      }
    }
    std::copy_n(turned[0], wide * wide, own + column * wide);
  }
  for (std::size_t row = first; row < last; ++row) {
    std::fill_n(own + row * wide, wide, 0.0f);  // nothing speaks for itself
    for (std::size_t other = first; other < row; ++other) {
      own[row * wide + (other - first)] = static_cast<float>(inverse.at(row, other) * scale[other]);
      own[other * wide + (row - first)] = static_cast<float>(inverse.at(row, other) * scale[row]);
    }
  }
}

const float* Ease::panel(std::size_t n) const { return panels_.data() + n * wide * solved_.size(); }

void Ease::add_rows(std::span<const ItemIndex> history, std::span<const std::uint16_t> ages,
                    Rows& rows) const {
  std::vector<float> weights;
  recency_.weigh(ages, weights);
  const bool all = solved_.size() == catalogue_;
  for (std::size_t k = 0; k < history.size(); ++k) {
    const std::uint32_t item = history[k].value;
    const auto at = all ? solved_.begin() + item : std::lower_bound(solved_.begin(), solved_.end(), item);
    if (at == solved_.end() || *at != item) continue;
    rows.places.push_back(static_cast<std::uint32_t>(at - solved_.begin()));
    if (!weights.empty()) rows.weights.push_back(weights[k]);
  }
}

void Ease::sum_panel(std::size_t number, const Rows& rows, std::size_t begin, std::size_t end,
                     float* sums) const {
  const auto places = std::span(rows.places).subspan(begin, end - begin);
  if (rows.weights.empty()) return kernels::sum_rows(panel(number), places, sums);
  kernels::sum_rows(panel(number), places, std::span(rows.weights).subspan(begin, end - begin), sums);
}

void Ease::score_rows(const Rows& rows, ItemRange items, float* out) const {
  std::fill(out, out + items.size(), 0.0f);
  const auto place = [&](std::uint32_t item) {
    return static_cast<std::size_t>(std::lower_bound(solved_.begin(), solved_.end(), item) - solved_.begin());
  };
  const std::size_t begin = place(items.begin), end = place(items.end);
  alignas(64) float sums[wide];
  for (std::size_t n = begin; n < end;) {
    sum_panel(n / wide, rows, 0, rows.places.size(), sums);
    for (const std::size_t stop = std::min(end, (n / wide + 1) * wide); n < stop; ++n)
      out[solved_[n] - items.begin] = sums[n % wide];
  }
}

void Ease::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  for (std::size_t k = 0; k < users.size(); ++k) {
    Rows rows;
    add_rows(train_.of(users[k]), train_.ages_of(users[k]), rows);
    score_rows(rows, items, out.data() + k * items.size());
  }
}

bool Ease::sweep(std::span<const UserIndex> users, ItemRange items, ScoreSink& sink) const {
  // Panels are tiles where all items are in the matrix.
  if (solved_.size() != catalogue_ || items.begin % wide != 0) return Recommender::sweep(users, items, sink);
  Rows all;
  std::vector<std::size_t> ends{0};
  for (const UserIndex user : users) {
    add_rows(train_.of(user), train_.ages_of(user), all);
    ends.push_back(all.places.size());
  }
  alignas(64) float sums[wide];
  bool finite = true;
  // A panel stays in the near cache while everybody passes by.
  for (std::uint32_t begin = items.begin; begin < items.end; begin += static_cast<std::uint32_t>(wide)) {
    const std::uint32_t end = std::min<std::uint32_t>(items.end, begin + static_cast<std::uint32_t>(wide));
    for (std::size_t k = 0; k < users.size(); ++k) {
      sum_panel(begin / wide, all, ends[k], ends[k + 1], sums);
      for (std::size_t n = 0; n < end - begin; ++n) finite &= sums[n] - sums[n] == 0.0f;
      std::fill(sums + (end - begin), sums + wide, -std::numeric_limits<float>::infinity());
      const std::uint64_t above = kernels::lanes_above(sums, sink.thresholds()[k]);
      sink.take({k, 1, {begin, end}, sums, &above});
    }
  }
  return finite;
}

void Ease::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue(), "one place for each score");
  Rows rows;
  add_rows(history, {}, rows);
  score_rows(rows, {0, static_cast<std::uint32_t>(out.size())}, out.data());
}

Status Ease::similar(ItemIndex item, std::span<float> out) const {
  score_history(std::span(&item, 1), out);
  return Done{};
}

void Ease::add_numbers(Hasher& hasher) const {
  std::vector<double> sums((solved_.size() + wide - 1) / wide * wide, 0.0);
  for (std::size_t first = 0; first < solved_.size(); first += wide)
    for (std::size_t row = 0; row < solved_.size(); ++row)
      for (std::size_t lane = 0; lane < wide; ++lane)
        sums[first + lane] += trial_weight(row) * static_cast<double>(panel(first / wide)[row * wide + lane]);
  hasher.text(statistics_).array(std::span(solved_));
  add_rounded(sums, hasher);
}

}  // namespace sotto::model
