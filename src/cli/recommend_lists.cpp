#include "cli/recommend_lists.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/kg/feature_names.h"

namespace sotto::cli {

namespace {

std::uint32_t rank_in(const std::vector<ScoredItem>& items, ItemIndex item) {
  const auto found = std::ranges::find(items, item, &ScoredItem::item);
  return found == items.end() ? 0 : static_cast<std::uint32_t>(found - items.begin() + 1);
}

}  // namespace

ToldReasons told(std::vector<Reason> reasons, std::size_t most) {
  ToldReasons split;
  for (std::size_t n = most; n < reasons.size(); ++n) {
    ++split.others;
    split.others_part += reasons[n].part;
  }
  reasons.resize(std::min(most, reasons.size()));
  split.told = std::move(reasons);
  return split;
}

void compare_with(const TopList& before, TopList& list) {
  list.before.clear();
  list.changes.clear();
  for (std::uint32_t n = 0; n < list.items.size(); ++n) {
    const ItemIndex item = list.items[n].item;
    list.before.push_back(rank_in(before.items, item));
    if (list.before.back() != n + 1) list.changes.push_back({item, list.before.back(), n + 1});
  }
  for (std::uint32_t n = 0; n < before.items.size(); ++n)
    if (rank_in(list.items, before.items[n].item) == 0)
      list.changes.push_back({before.items[n].item, n + 1, 0});
}

Result<Explainer*> explainer_of(const LoadedRun& run) {
  auto* const explainer = dynamic_cast<Explainer*>(run.model.get());
  if (explainer == nullptr || run.split->features == nullptr)
    return fail(Code::usage, fmt::format("the run's model, {}, cannot give reasons: train one that uses "
                                         "features of items (--kg), such as {}",
                                         run.request.model->title, model_names([](const ModelEntry& entry) {
                                           return entry.needs_features;
                                         })));
  return explainer;
}

Result<std::vector<FeatureIndex>> find_vetoed(const ItemFeatures& features,
                                              std::span<const std::string> names,
                                              std::span<const std::string> predicates) {
  const FeatureNames known(features);
  std::vector<FeatureIndex> vetoed;
  const auto add = [&vetoed](const std::vector<FeatureIndex>& more) {
    vetoed.insert(vetoed.end(), more.begin(), more.end());
    return !more.empty();
  };
  for (const std::string& name : names)
    if (!add(known.called(name)))
      return fail(Code::not_found, fmt::format("--veto: the run has no feature '{}'{}", name,
                                               in_question(known.like_feature(name))));
  for (const std::string& name : predicates) {
    const bool through = add(known.with_predicate(name)), whole = add(known.with_chain(name));
    if (!through && !whole)
      return fail(Code::not_found, fmt::format("--veto-predicate: the run has no predicate '{}'{}", name,
                                               in_question(known.like_predicate(name))));
  }
  std::sort(vetoed.begin(), vetoed.end());
  vetoed.erase(std::unique(vetoed.begin(), vetoed.end()), vetoed.end());
  return vetoed;
}

}  // namespace sotto::cli
