// From a DataRequest to a Split: read, filter, split, and what is known about the items beside it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/filter.h"
#include "data/loader.h"
#include "data/split.h"
#include "engine/plan/knowledge.h"
#include "engine/plan/request.h"

namespace sotto::engine {

struct Prepared {
  Split split;
  std::vector<FilterStep> filtered;
  std::uint64_t repeated = 0;  // records that collapsed into another
  double seconds = 0.0;
  std::shared_ptr<const Knowledge> knowledge;  // null: none was asked for
  std::optional<FeatureReport> features;       // of attaching it to the split
};

// The interactions in files and folders alone.
[[nodiscard]] Result<Dataset> load_interaction_files(const std::vector<std::string>& paths,
                                                     const LoadOptions& options,
                                                     std::vector<std::string>* files_read = nullptr);

// The interaction files as one dataset, with item names attached, filtered.
struct LoadedData {
  Dataset dataset;
  std::vector<FilterStep> filtered;
  std::vector<std::string> files;
  std::shared_ptr<const Knowledge> knowledge;  // null: none was asked for
};
[[nodiscard]] Result<LoadedData> load_data(const DataRequest& request);

// What the files say of a split's items: names and categories, and features, which are not attached yet; null
// where none were asked for.
[[nodiscard]] Result<std::shared_ptr<const Knowledge>> know_items(const std::vector<std::string>& names,
                                                                  const KnowledgeRequest& kg, Split& split);

// The request is settled (engine/plan/request.h) where it asks for ratings or contexts.
[[nodiscard]] Result<Prepared> prepare(const DataRequest& request);

}  // namespace sotto::engine
