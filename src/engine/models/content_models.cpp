#include "engine/models/content_models.h"

#include <fmt/core.h>

#include "engine/models/factor_options.h"
#include "model/central/vsm.h"

namespace sotto {

namespace {

Status check_features(const TrainRequest& request, const Split& split) {
  if (split.features != nullptr) return Done{};
  return fail(Code::usage, fmt::format("{} needs what is known about the items: give a knowledge graph or a "
                                       "list of features with --kg",
                                       facts_of(request.model).title));
}

}  // namespace

Result<std::unique_ptr<Recommender>> make_vsm(const TrainRequest& request, const Split& split) {
  SOTTO_TRY_DONE(check_features(request, split));
  return std::unique_ptr<Recommender>(
      std::make_unique<Vsm>(split.train, split.catalogue, split.features, request.content));
}

Result<std::unique_ptr<BprMf>> start_kahfm(const TrainRequest& request, const Split& split) {
  SOTTO_TRY_DONE(check_features(request, split));
  return start_kahfm(split.train, split.catalogue, split.features, request.content.profile,
                     bpr_options(request));
}

std::string vsm_settings(const TrainRequest& request, const Split& split) {
  const VsmOptions& content = request.content;
  return fmt::format("{} {} {} {}", to_string(content.users), to_string(content.items),
                     to_string(content.profile), split.features == nullptr ? "" : split.features->hash());
}

std::size_t kahfm_row_width(const Split& split) {
  return split.features == nullptr ? 0 : split.features->features() + 1;
}

}  // namespace sotto
