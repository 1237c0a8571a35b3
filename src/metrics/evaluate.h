// Judging a trained model on the held-out part of a split, over all items a user has not rated yet.
//
// Candidates of a user are the whole catalogue without the user's training items (and, when the test
// part is judged, without the validation items). Users without items in the judged part are skipped and
// counted. Held-out items outside the catalogue cannot be recommended but count in the denominators.
//
// Laws: the same bytes for any number of threads and any memory limit; the ranking works within
// memory_bytes (rank_users.h; never users × items floats), the answer takes a few hundred bytes a user.
//
// The metrics are those of metrics/metric_name.h; they are computed by accuracy.h, diversity.h, bias.h
// (PopREO and PopRSP are not a number where a group has nothing to be shown) and, of a model that is a
// RatingPredictor on a part with ratings, rating_judgement.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "data/given_lists.h"
#include "data/split.h"
#include "metrics/bias.h"
#include "metrics/top_lists.h"
#include "model/recommender.h"

namespace sotto::metrics {

enum class Part : std::uint8_t { validation, test };

struct EvaluateOptions {
  std::vector<std::uint32_t> cutoffs{10};
  std::size_t memory_bytes = std::size_t{64} << 20;
  std::vector<UserIndex> users;  // empty: all
  Part part = Part::test;
  bool keep_lists = false;
};

struct Metric {
  std::string name;
  double value = 0.0;
};

// One row a judged user, one column a name.
struct PerUser {
  std::vector<UserIndex> users;
  std::vector<std::string> names;
  std::vector<double> values;  // row-major

  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return values[row * names.size() + column];
  }
  // The values of one metric in the order of `users`; empty for an unknown name.
  [[nodiscard]] std::vector<double> column(std::string_view name) const;
};

struct CategoryBiasAt {
  std::uint32_t cutoff = 0;
  std::vector<CategoryBias> categories;
};

struct Evaluation {
  std::vector<Metric> metrics;
  std::uint64_t users = 0;
  std::uint64_t users_without_test = 0;      // of those asked for: no items in the judged part
  std::uint64_t users_without_training = 0;  // items to be judged on, but none to learn from: not judged
  std::vector<std::uint32_t> cutoffs;        // ascending, each once
  std::vector<std::uint64_t> short_lists;    // for each cut-off: users whose list is shorter than that
  std::vector<std::uint64_t> recommended;    // of each item: in how many lists of the deepest cut-off
  // P, R, F1, HR, nDCG, MRR, MAP at each cut-off, AUC of a model, F1means (each user's part in it) and
  // nDCGhits at each cut-off, MAE and RMSE where there are ratings.
  PerUser per_user;
  std::vector<CategoryBiasAt> category_bias;  // empty where the items have no categories
  TopLists lists;                             // empty unless keep_lists

  [[nodiscard]] std::optional<double> find(std::string_view name) const;
};

// `count` users with items in the judged part, drawn from the seed, ascending; all of them if there are
// no more. For judging a sample where everybody would take too long.
[[nodiscard]] std::vector<UserIndex> sample_users(const Histories& judged_part, std::size_t count,
                                                  std::uint64_t seed);

[[nodiscard]] Result<Evaluation> evaluate(const Recommender& model, const Split& split,
                                          const EvaluateOptions& options, Executor& executor);

// The parts whose items are no candidates when `part` is judged.
[[nodiscard]] std::vector<const Histories*> masked_parts(const Split& split, Part part);

// What happens to given lists with fewer items than the longest cut-off although there were candidates
// enough.
enum class ShortLists : std::uint8_t {
  refuse,
  allow,  // the places that are missing are misses
};

// The same for lists from elsewhere: all metrics but AUC, which needs the whole ranking, and those of
// predictions. Lists that a model gave here have that model's metrics, bit for bit.
[[nodiscard]] Result<Evaluation> evaluate_lists(const GivenLists& lists, const Split& split,
                                                const EvaluateOptions& options, ShortLists short_lists);

}  // namespace sotto::metrics
