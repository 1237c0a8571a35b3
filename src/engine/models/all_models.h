// The entries of the models, one function each. The list that everybody asks is all_models()
// (engine/plan/model_entry.h); adding a model adds its file, a line here and a line there.
#pragma once

#include "engine/plan/model_entry.h"

namespace sotto::engine {

[[nodiscard]] ModelEntry fpl_entry();
[[nodiscard]] ModelEntry bprmf_entry();
[[nodiscard]] ModelEntry ials_entry();
[[nodiscard]] ModelEntry fedals_entry();
[[nodiscard]] ModelEntry fcf_entry();
[[nodiscard]] ModelEntry warp_entry();
[[nodiscard]] ModelEntry mf_entry();
[[nodiscard]] ModelEntry toppop_entry();
[[nodiscard]] ModelEntry random_entry();
[[nodiscard]] ModelEntry userknn_entry();
[[nodiscard]] ModelEntry itemknn_entry();
[[nodiscard]] ModelEntry ease_entry();
[[nodiscard]] ModelEntry slim_entry();
[[nodiscard]] ModelEntry rp3beta_entry();
[[nodiscard]] ModelEntry fedease_entry();
[[nodiscard]] ModelEntry feditemknn_entry();
[[nodiscard]] ModelEntry fedrp3beta_entry();
[[nodiscard]] ModelEntry multvae_entry();
[[nodiscard]] ModelEntry neumf_entry();
[[nodiscard]] ModelEntry fedmultvae_entry();
[[nodiscard]] ModelEntry fedneumf_entry();
[[nodiscard]] ModelEntry kgflex_entry();
[[nodiscard]] ModelEntry kgflex_central_entry();
[[nodiscard]] ModelEntry vsm_entry();
[[nodiscard]] ModelEntry kahfm_entry();
[[nodiscard]] ModelEntry fedcars_entry();
[[nodiscard]] ModelEntry globalmean_entry();
[[nodiscard]] ModelEntry usermean_entry();
[[nodiscard]] ModelEntry itemmean_entry();
[[nodiscard]] ModelEntry toppop_ratings_entry();
[[nodiscard]] ModelEntry baseline_entry();
[[nodiscard]] ModelEntry uknn_ratings_entry();
[[nodiscard]] ModelEntry iknn_ratings_entry();
[[nodiscard]] ModelEntry biasedmf_entry();
[[nodiscard]] ModelEntry nmf_entry();
[[nodiscard]] ModelEntry svdpp_entry();
[[nodiscard]] ModelEntry paco_entry();
[[nodiscard]] ModelEntry fedavg_entry();

}  // namespace sotto::engine
