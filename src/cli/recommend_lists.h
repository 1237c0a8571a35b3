// What `sotto recommend` answers: lists, perhaps with reasons, perhaps beside the lists before a veto.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/split.h"
#include "engine/train/run_dir.h"
#include "metrics/top_k.h"
#include "model/explainer.h"

namespace sotto::cli {

// The reasons that are told, and what the others add up to.
struct ToldReasons {
  std::vector<Reason> told;  // largest part first
  std::size_t others = 0;
  float others_part = 0.0f;
};
[[nodiscard]] ToldReasons told(std::vector<Reason> reasons, std::size_t most);

// An item that stands elsewhere than before. Ranks begin at 1; 0: not in the list.
struct RankChange {
  ItemIndex item;
  std::uint32_t before = 0, after = 0;
  bool operator==(const RankChange&) const = default;
};

struct TopList {
  std::string user;  // empty for somebody new
  std::vector<ScoredItem> items;
  std::vector<ToldReasons> reasons = {};   // one an item; empty: nobody asked
  std::vector<std::uint32_t> before = {};  // each item's rank before the veto; empty: there was none
  std::vector<RankChange> changes = {};    // by the veto: those of the list in its order, then those gone
};
// Says what is different in `list` from the same person's list before.
void compare_with(const TopList& before, TopList& list);

// The run's model, if it can say why; else a sentence that names those that can.
[[nodiscard]] Result<Explainer*> explainer_of(const LoadedRun& run);

// The features of these names (data/kg/feature_names.h) and all those through these predicates, ascending. A
// name that there is not is an error that offers the nearest.
[[nodiscard]] Result<std::vector<FeatureIndex>> find_vetoed(const ItemFeatures& features,
                                                            std::span<const std::string> names,
                                                            std::span<const std::string> predicates);

}  // namespace sotto::cli
