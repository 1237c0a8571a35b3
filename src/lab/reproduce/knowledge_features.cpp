// Table 6.2 and figure 6.4: what KGFlex' lists keep of the features that people care about.
#include <fmt/core.h>

#include <functional>
#include <map>

#include "engine/models/kgflex.h"
#include "engine/plan/prepare.h"
#include "engine/train/training.h"
#include "lab/report/markup.h"
#include "lab/reproduce/knowledge_analysis.h"
#include "lab/reproduce/printed_table.h"
#include "lab/reproduce/table_parts.h"
#include "model/kgflex/kgflex_recommender.h"

namespace sotto::lab {

namespace {

constexpr std::size_t list_length = 10;
constexpr std::size_t shown_features = 100;  // of a cloud
constexpr std::size_t tabled_features = 20;

// KGFlex with its lists. A results file keeps no lists, so it is trained once more; the same request and
// split give the same model.
struct ListedModel {
  std::unique_ptr<Prepared> prepared;
  Trained trained;
  TopLists lists;
  std::vector<FeatureProfile> before;  // of the training part
  FeatureProfiles kept;                // as if the lists had been the history
  std::vector<FeatureProfile> after;

  [[nodiscard]] const ItemFeatures& features() const { return *prepared->split.features; }
};

Result<ListedModel> listed_model(const TargetData& at, const PaperData& data) {
  SOTTO_TRY(const auto requests, at.measured.requests(data.name));
  const std::string& own = at.target.paper->own;
  const auto found = requests.find(own);
  if (found == requests.end())
    return fail(Code::bad_input,
                fmt::format("{} on {} failed: {}", own, data.shown, at.measured.failure(data.name, own)));
  TrainRequest request = found->second;
  request.data = data.data;
  request.data.split.seed = request.plan.seed;
  ListedModel model;
  SOTTO_TRY(Prepared prepared, prepare(request.data));
  model.prepared = std::make_unique<Prepared>(std::move(prepared));
  const Split& split = model.prepared->split;
  TrainHooks hooks;
  hooks.stop = at.stop;
  SOTTO_TRY(model.trained, train(request, split, at.executor, hooks));
  EvaluateOptions options = evaluate_options(request, split, Part::test);
  options.keep_lists = true;
  SOTTO_TRY(Evaluation evaluation, evaluate(*model.trained.model, split, options, at.executor));
  model.lists = std::move(evaluation.lists);
  const auto* kgflex = dynamic_cast<const KgflexRecommender*>(model.trained.model.get());
  SOTTO_ASSERT(kgflex != nullptr, "the plan of KGFlex trains KGFlex");
  model.kept = FeatureProfiles(lists_as_histories(model.lists, list_length, split.users.size()),
                               split.catalogue, *split.features, profile_options(request), {}, at.executor);
  for (std::uint32_t user = 0; user < split.users.size(); ++user) {
    model.before.push_back(kgflex->profile(UserIndex{user}));
    model.after.push_back(model.kept.of(UserIndex{user}));
  }
  return model;
}

PaperCell share_cell(std::optional<double> printed, double ours, bool comparable) {
  PaperCell cell;
  cell.printed = printed;
  cell.ours = ours;
  if (printed) cell.verdict = comparable ? judge(printed, ours, Yardstick::at_least) : Verdict::other;
  return cell;
}

// One way to read table 6.2: a person's shares for a k, ascending.
using SharesAt = std::function<std::vector<double>(std::size_t)>;

PaperTable quartile_table(const PaperData& data, std::string title, bool has_print,
                          const SharesAt& shares_at) {
  PaperTable table{std::move(title), "quartile", {}, {{"Q1", "", {}}, {"Q2", "", {}}, {"Q3", "", {}}}, {}};
  for (const PrintedTable::Row& print : printed("knowledge/preserved.tsv").rows()) {
    const bool all = print.keys.front() == "all";
    table.metrics.push_back("k = " + (all ? "∞" : print.keys.front()));
    const std::vector<double> shares =
        shares_at(all ? all_of_them : std::strtoul(print.keys.front().c_str(), nullptr, 10));
    for (std::size_t q = 0; q < table.rows.size(); ++q)
      table.rows[q].cells.push_back(
          shares.empty() ? PaperCell{}
                         : share_cell(has_print ? print.values[q] : std::nullopt,
                                      quantile(shares, 0.25 * static_cast<double>(q + 1)), data.hops > 1));
  }
  return table;
}

// Table 6.2 on one dataset, in both readings. The print is Yahoo!'s.
void add_preserved(const PaperData& data, const ListedModel& model, bool has_print, Reproduction& out) {
  PaperTable had =
      quartile_table(data, data.shown + ": features that the list has", false, [&](std::size_t k) {
        return preserved_shares(model.before, model.lists, list_length, model.features(), k);
      });
  had.notes.emplace_back(
      "The share of a person's k most informative features that an item of the person's list of 10 has; k = "
      "∞ is "
      "the whole profile. Quartiles over people.");
  PaperTable kept = quartile_table(
      data, data.shown + ": features that the list's own profile has", has_print,
      [&](std::size_t k) { return retained_shares(model.before, model.after, model.lists, k); });
  kept.notes.emplace_back(
      "The share that is in the profile which the list would give as a history: the list has the feature, "
      "and it is "
      "informative there.");
  if (!data.caveat.empty()) kept.notes.push_back(data.caveat);
  out.tables.push_back(std::move(had));
  out.tables.push_back(std::move(kept));
}

struct TopFeatures {
  std::vector<WeighedFeature> before, after;
};

TopFeatures top_features(const ListedModel& model) {
  return {weighed_features(model.before, model.features().features(), shown_features),
          weighed_features(model.after, model.features().features(), shown_features)};
}

PaperTable top_share_table(const PaperData& data, const ListedModel& model, const std::string& own,
                           std::optional<double> print) {
  const TopFeatures top = top_features(model);
  PaperTable table{data.shown + ": the 100 most informative features of all",
                   "share of them",
                   {"that a list has", "still among the 100"},
                   {},
                   {}};
  PaperRow row{own, "", {}};
  row.cells.push_back(share_cell(
      std::nullopt, recommended_share(top.before, model.lists, list_length, model.features()), true));
  row.cells.push_back(share_cell(print, common_share(top.before, top.after), data.hops > 1));
  table.rows.push_back(std::move(row));
  return table;
}

// The objects' names; with the predicate where one object stands in several features.
std::vector<std::string> cloud_texts(const ItemFeatures& features, const std::vector<WeighedFeature>& shown) {
  std::map<std::string, std::size_t> times;
  for (const WeighedFeature& one : shown) ++times[object_in_words(features.object(one.feature))];
  std::vector<std::string> texts;
  for (const WeighedFeature& one : shown) {
    std::string text = object_in_words(features.object(one.feature));
    if (times[text] > 1) {
      const std::string predicate = predicate_in_words(features.predicate(one.feature));
      text += fmt::format(" ({})", predicate.substr(predicate.find(':') + 1));
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

WordCloud cloud_of(const ItemFeatures& features, const std::vector<WeighedFeature>& shown,
                   const std::vector<WeighedFeature>& others, ChartHead head) {
  WordCloud cloud;
  cloud.head = std::move(head);
  cloud.weight_label = "sum of gains";
  cloud.keys = {"among the 100 before and after", "only here"};
  const std::vector<std::string> texts = cloud_texts(features, shown);
  for (std::size_t n = 0; n < shown.size(); ++n) {
    const bool common = common_share({shown[n]}, others) > 0.0;
    cloud.words.push_back({texts[n], shown[n].weight, common ? 0u : 1u,
                           fmt::format("{}. {}", n + 1, feature_in_words(features, shown[n].feature))});
  }
  return cloud;
}

// The first of the cloud as numbers.
PaperTable cloud_table(const PaperData& data, const ItemFeatures& features, const TopFeatures& top) {
  PaperTable table{data.shown, "feature", {"sum of gains before", "after"}, {}, {}};
  std::map<FeatureIndex, double> after;
  for (const WeighedFeature& one : top.after) after[one.feature] = one.weight;
  for (std::size_t n = 0; n < std::min(tabled_features, top.before.size()); ++n) {
    const WeighedFeature& one = top.before[n];
    PaperRow row{feature_in_words(features, one.feature), "", {}, true};
    row.cells.push_back(share_cell(std::nullopt, one.weight, true));
    row.cells.push_back(after.contains(one.feature) ? share_cell(std::nullopt, after[one.feature], true)
                                                    : PaperCell{});
    table.rows.push_back(std::move(row));
  }
  if (!data.caveat.empty()) table.notes.push_back(data.caveat);
  table.notes.push_back(fmt::format(
      "{:.0f} of the {} most informative features are among those of the lists.",
      common_share(top.before, top.after) * static_cast<double>(top.before.size()), top.before.size()));
  return table;
}

}  // namespace

Status add_preserved_tables(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    if (!data.there) continue;
    SOTTO_TRY(const ListedModel model, listed_model(at, data));
    const std::optional<double> print = printed("knowledge/top_share.tsv").value({data.name}, "share");
    add_preserved(data, model, print.has_value(), out);
    out.tables.push_back(top_share_table(data, model, at.target.paper->own, print));
  }
  out.notes.emplace_back(
      "The text says of 79% of the 100 that they \"are associated with items in the recommendation list\". "
      "Taken "
      "by the letter that is the first column; it stands beside the second, which is of the same size.");
  return Done{};
}

Status add_word_clouds(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    if (!data.there) continue;
    SOTTO_TRY(const ListedModel model, listed_model(at, data));
    const TopFeatures top = top_features(model);
    out.tables.push_back(cloud_table(data, model.features(), top));
    out.figures.emplace_back(
        Chart{cloud_of(model.features(), top.before, top.after,
                       {"features-before-" + slug(data.shown),
                        data.shown + ": the most informative features of what people consumed",
                        "Size: gains summed over everybody's profiles of the training part."})});
    out.figures.emplace_back(
        Chart{cloud_of(model.features(), top.after, top.before,
                       {"features-after-" + slug(data.shown),
                        data.shown + ": the most informative features of KGFlex' lists",
                        "The same of profiles made as if everybody's list of 10 had been the history."})});
  }
  return Done{};
}

}  // namespace sotto::lab
