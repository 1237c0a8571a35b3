#include "metrics/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rng.h"
#include "metrics/accuracy.h"
#include "metrics/diversity.h"
#include "metrics/rank_users.h"
#include "metrics/rating_judgement.h"

namespace sotto::metrics {

namespace {

using UserMetric = double (*)(const JudgedList& list, std::size_t k);

struct NamedUserMetric {
  const char* name;
  UserMetric metric;
};
constexpr NamedUserMetric user_metrics[] = {
    {"P", precision_at},           {"R", recall_at},  {"F1", f1_at},
    {"HR", hit_rate_at},           {"nDCG", ndcg_at}, {"MRR", reciprocal_rank_at},
    {"MAP", average_precision_at},
};
constexpr const char* ndcg_of_hits = "nDCGhits";
constexpr const char* f1_of_means = "F1means";

// What is known of the judged users beside their lists.
struct BesideLists {
  std::span<const double> auc = {};  // empty where it is not known
  std::optional<RatingJudgement> ratings = {};
};

std::string at(std::string_view name, std::uint32_t cutoff) { return fmt::format("{}@{}", name, cutoff); }

Result<std::vector<std::uint32_t>> checked_cutoffs(std::vector<std::uint32_t> cutoffs) {
  std::sort(cutoffs.begin(), cutoffs.end());
  cutoffs.erase(std::unique(cutoffs.begin(), cutoffs.end()), cutoffs.end());
  if (cutoffs.empty()) return fail(Code::usage, "no cut-off is given: name at least one list length, as 10");
  if (cutoffs.front() == 0) return fail(Code::usage, "a cut-off is 0: a list has at least one place");
  return cutoffs;
}

Status check_match(const Recommender& model, const Split& split) {
  if (model.catalogue() != split.catalogue)
    return fail(
        Code::incompatible,
        fmt::format("the model knows {} items and the split trains on {}: they do not belong together; "
                    "evaluate with the split the model was trained on",
                    model.catalogue(), split.catalogue));
  if (split.catalogue == 0)
    return fail(Code::bad_input, "the split has no training items: there is nothing to recommend");
  return Done{};
}

// The users asked for that have items to learn from and items to be judged on; the rest is counted.
Result<std::vector<UserIndex>> judged_users(const EvaluateOptions& options, const Histories& train,
                                            const Histories& judged, Evaluation& result) {
  std::vector<UserIndex> users;
  const auto consider = [&](UserIndex user) {
    if (judged.of(user).empty()) {
      ++result.users_without_test;
    } else if (train.of(user).empty()) {
      ++result.users_without_training;
    } else {
      users.push_back(user);
    }
  };
  for (const UserIndex user : options.users) {
    if (user.value >= judged.users())
      return fail(Code::usage,
                  fmt::format("a user to be judged is not in the split, which has {} users", judged.users()));
    consider(user);
  }
  if (options.users.empty())
    for (std::uint32_t user = 0; user < judged.users(); ++user) consider(UserIndex{user});
  if (users.empty())
    return fail(
        Code::bad_input,
        fmt::format("no user has items in the {} part: there is nothing to judge; split the data with "
                    "such a part",
                    options.part == Part::test ? "test" : "validation"));
  return users;
}

// Sums in the order of users, so that the last bit does not depend on who computed what.
double mean_of_column(const PerUser& table, std::size_t column) {
  double sum = 0.0;
  for (std::size_t row = 0; row < table.users.size(); ++row) sum += table.at(row, column);
  return sum / static_cast<double>(table.users.size());
}

// A user's part in the harmonic mean 2PR / (P + R) of the means P and R: linear in the user's own two values,
// so that the mean of the parts is that number, and their spread gives its interval (the delta method).
void set_parts_in_f1(std::span<const std::uint32_t> cutoffs, PerUser& table) {
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(table.names, name) - table.names.begin());
  };
  for (const std::uint32_t cutoff : cutoffs) {
    const std::size_t p = column(at("P", cutoff)), r = column(at("R", cutoff));
    const std::size_t part = column(at(f1_of_means, cutoff));
    const double precision = mean_of_column(table, p), recall = mean_of_column(table, r);
    if (precision + recall == 0.0) continue;
    const double of_p = recall / (precision + recall), of_r = precision / (precision + recall);
    for (std::size_t row = 0; row < table.users.size(); ++row)
      table.values[row * table.names.size() + part] =
          2.0 * (of_p * of_p * table.at(row, p) + of_r * of_r * table.at(row, r));
  }
}

PerUser judge_users(const TopLists& lists, const BesideLists& beside, const Histories& judged,
                    std::span<const std::uint32_t> cutoffs) {
  PerUser table;
  table.users = lists.users;
  for (const std::uint32_t cutoff : cutoffs)
    for (const auto& [name, metric] : user_metrics) table.names.push_back(at(name, cutoff));
  if (!beside.auc.empty()) table.names.emplace_back("AUC");
  for (const std::uint32_t cutoff : cutoffs)
    table.names.insert(table.names.end(), {at(f1_of_means, cutoff), at(ndcg_of_hits, cutoff)});
  if (beside.ratings) table.names.insert(table.names.end(), {"MAE", "RMSE"});
  table.values.reserve(table.users.size() * table.names.size());
  JudgedList list;
  for (std::size_t row = 0; row < table.users.size(); ++row) {
    list.judge(lists.of(row, lists.depth), judged.of(table.users[row]));
    for (const std::uint32_t cutoff : cutoffs)
      for (const auto& [name, metric] : user_metrics) table.values.push_back(metric(list, cutoff));
    if (!beside.auc.empty()) table.values.push_back(beside.auc[row]);
    for (const std::uint32_t cutoff : cutoffs)
      table.values.insert(table.values.end(), {0.0, ndcg_of_hits_at(list, cutoff)});
    if (!beside.ratings) continue;
    table.values.push_back(beside.ratings->user_mae[row]);
    table.values.push_back(beside.ratings->user_rmse[row]);
  }
  set_parts_in_f1(cutoffs, table);
  return table;
}

const Histories& judged_part(const Split& split, Part part) {
  return part == Part::test ? split.test : split.validation;
}

// What needs all lists together. Returns in how many of them each item stands.
std::vector<std::uint64_t> judge_lists(const TopLists& lists, const Split& split, const Histories& judged,
                                       std::span<const Histories* const> masked, std::uint32_t cutoff,
                                       std::vector<Metric>& metrics) {
  auto counts = recommendation_counts(lists, cutoff, split.catalogue);
  metrics.push_back({at("IC", cutoff), static_cast<double>(item_coverage(counts))});
  metrics.push_back({at("Gini", cutoff), gini(counts)});
  metrics.push_back({at("GiniRec", cutoff), gini_recommended(counts)});
  metrics.push_back({at("SE", cutoff), shannon_entropy(counts)});

  const auto popularity = split.train.popularity(split.catalogue);
  const auto head = popular_head(popularity);
  const auto items_of = [](const Histories& part) -> ItemsOf {
    return [&part](UserIndex user) { return part.of(user); };
  };
  std::vector<ItemsOf> masked_items;
  for (const Histories* part : masked) masked_items.push_back(items_of(*part));
  metrics.push_back({at("ARP", cutoff), average_popularity(lists, cutoff, popularity)});
  metrics.push_back({at("APLT", cutoff), long_tail_share(lists, cutoff, head)});
  metrics.push_back({at("ACLT", cutoff), long_tail_count(lists, cutoff, head)});
  metrics.push_back({at("PopREO", cutoff), popularity_opportunity(lists, cutoff, head, items_of(judged))});
  metrics.push_back({at("PopRSP", cutoff), popularity_parity(lists, cutoff, head, masked_items)});
  return counts;
}

// What came later than AUC stands after it, so that files keep their order.
void judge_the_rest(const BesideLists& beside, const Split& split, std::size_t column, Evaluation& result) {
  if (!beside.auc.empty()) result.metrics.push_back({"AUC", mean_of_column(result.per_user, column++)});
  for (const std::uint32_t cutoff : result.cutoffs) {
    for (const char* name : {f1_of_means, ndcg_of_hits})
      result.metrics.push_back({at(name, cutoff), mean_of_column(result.per_user, column++)});
    result.metrics.push_back(
        {at("Coverage", cutoff), *result.find(at("IC", cutoff)) / static_cast<double>(split.catalogue)});
  }
  if (!beside.ratings) return;
  result.metrics.push_back({"MAE", beside.ratings->mae});
  result.metrics.push_back({"RMSE", beside.ratings->rmse});
  result.metrics.push_back({"RatedShare", beside.ratings->rated_share});
}

void judge_all(const TopLists& lists, const BesideLists& beside, const Split& split, Part part,
               Evaluation& result) {
  const Histories& judged = judged_part(split, part);
  const std::vector<const Histories*> masked = masked_parts(split, part);
  result.users = lists.users.size();
  result.per_user = judge_users(lists, beside, judged, result.cutoffs);
  std::size_t column = 0;
  for (const std::uint32_t cutoff : result.cutoffs) {
    for (std::size_t n = 0; n < std::size(user_metrics); ++n, ++column)
      result.metrics.push_back({result.per_user.names[column], mean_of_column(result.per_user, column)});
    result.recommended = judge_lists(lists, split, judged, masked, cutoff, result.metrics);
    result.short_lists.push_back(static_cast<std::uint64_t>(std::count_if(
        lists.lengths.begin(), lists.lengths.end(), [&](std::uint32_t length) { return length < cutoff; })));
    if (!split.item_categories.empty())
      result.category_bias.push_back(
          {cutoff, bias_disparity(lists, cutoff, split.item_categories, split.train, split.catalogue)});
  }
  judge_the_rest(beside, split, column, result);
}

// Nothing where the model predicts no ratings, or nobody's are known.
Result<std::optional<RatingJudgement>> judge_predictions(const Recommender& model, const Split& split,
                                                         Part part, std::span<const UserIndex> users,
                                                         Executor& executor) {
  const auto* predictor = dynamic_cast<const RatingPredictor*>(&model);
  if (predictor == nullptr || split.records == nullptr || !split.records->has_ratings)
    return std::optional<RatingJudgement>();
  const bool test = part == Part::test;
  const PartRecords& records = test ? split.records->test : split.records->validation;
  const PartContexts* contexts = nullptr;
  if (split.contexts != nullptr) contexts = test ? &split.contexts->test : &split.contexts->validation;
  const RatedPart rated{&judged_part(split, part), records.ratings, contexts};
  SOTTO_TRY(RatingJudgement judgement, judge_ratings(*predictor, rated, users, executor));
  return std::optional(std::move(judgement));
}

// A list may be short only where no more candidates are left.
Status check_lengths(const TopLists& lists, const Split& split, Part part) {
  const std::vector<const Histories*> masked = masked_parts(split, part);
  const ItemIndex end{static_cast<std::uint32_t>(split.catalogue)};
  std::uint64_t shorter = 0, missing = 0;
  for (std::size_t row = 0; row < lists.users.size(); ++row) {
    std::size_t candidates = split.catalogue;
    for (const Histories* seen : masked) {
      const auto items = seen->of(lists.users[row]);
      candidates -=
          static_cast<std::size_t>(std::lower_bound(items.begin(), items.end(), end) - items.begin());
    }
    if (lists.lengths[row] >= std::min(lists.depth, candidates)) continue;
    ++shorter;
    if (lists.lengths[row] == 0) ++missing;
  }
  if (shorter == 0) return Done{};
  return fail(
      Code::bad_input,
      fmt::format("{} of {} judged users have fewer than {} items in their lists ({} have none): give "
                  "longer lists, judge shorter ones with --cutoffs, or count the missing places as misses "
                  "with --short-lists allow",
                  shorter, lists.users.size(), lists.depth, missing));
}

}  // namespace

std::vector<const Histories*> masked_parts(const Split& split, Part part) {
  std::vector<const Histories*> parts{&split.train};
  if (part == Part::test && split.validation.interactions() > 0) parts.push_back(&split.validation);
  return parts;
}

std::vector<double> PerUser::column(std::string_view name) const {
  std::vector<double> result;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return result;
  for (std::size_t row = 0; row < users.size(); ++row)
    result.push_back(at(row, static_cast<std::size_t>(found - names.begin())));
  return result;
}

std::optional<double> Evaluation::find(std::string_view name) const {
  for (const Metric& metric : metrics)
    if (metric.name == name) return metric.value;
  return std::nullopt;
}

Result<Evaluation> evaluate(const Recommender& model, const Split& split, const EvaluateOptions& options,
                            Executor& executor) {
  Evaluation result;
  SOTTO_TRY_DONE(check_match(model, split));
  SOTTO_TRY(result.cutoffs, checked_cutoffs(options.cutoffs));
  const Histories& judged = judged_part(split, options.part);
  SOTTO_TRY(auto users, judged_users(options, split.train, judged, result));

  const std::size_t depth = std::min<std::size_t>(result.cutoffs.back(), split.catalogue);
  const RankTask task{&model, masked_parts(split, options.part), &judged, depth, options.memory_bytes};
  SOTTO_TRY(Ranking ranking, rank_users(task, std::move(users), executor));
  BesideLists beside{.auc = ranking.auc};
  SOTTO_TRY(beside.ratings, judge_predictions(model, split, options.part, ranking.lists.users, executor));
  judge_all(ranking.lists, beside, split, options.part, result);
  if (options.keep_lists) result.lists = std::move(ranking.lists);
  return result;
}

Result<Evaluation> evaluate_lists(const GivenLists& given, const Split& split, const EvaluateOptions& options,
                                  ShortLists short_lists) {
  Evaluation result;
  SOTTO_TRY(result.cutoffs, checked_cutoffs(options.cutoffs));
  const Histories& judged = judged_part(split, options.part);
  SOTTO_ASSERT(given.offsets.size() == judged.users() + 1, "a list a user of the split");
  TopLists lists;
  SOTTO_TRY(lists.users, judged_users(options, split.train, judged, result));
  lists.depth = std::min<std::size_t>(result.cutoffs.back(), split.catalogue);
  lists.items.resize(lists.users.size() * lists.depth);
  for (std::size_t row = 0; row < lists.users.size(); ++row) {
    const auto list = given.of(lists.users[row]);
    const std::size_t length = std::min(list.size(), lists.depth);
    std::copy_n(list.begin(), length, lists.items.begin() + static_cast<std::ptrdiff_t>(row * lists.depth));
    lists.lengths.push_back(static_cast<std::uint32_t>(length));
  }
  if (short_lists == ShortLists::refuse) SOTTO_TRY_DONE(check_lengths(lists, split, options.part));
  judge_all(lists, {}, split, options.part, result);
  if (options.keep_lists) result.lists = std::move(lists);
  return result;
}

std::vector<UserIndex> sample_users(const Histories& judged_part, std::size_t count, std::uint64_t seed) {
  std::vector<UserIndex> users;
  for (std::uint32_t user = 0; user < judged_part.users(); ++user)
    if (!judged_part.of(UserIndex{user}).empty()) users.push_back(UserIndex{user});
  if (users.size() <= count) return users;
  Stream draws(seed, Purpose::sample_users);
  for (std::size_t n = 0; n < count; ++n)
    std::swap(users[n], users[n + draws.below(static_cast<std::uint32_t>(users.size() - n))]);
  users.resize(count);
  std::sort(users.begin(), users.end());
  return users;
}

}  // namespace sotto::metrics
