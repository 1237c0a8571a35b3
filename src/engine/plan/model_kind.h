// The models by name: one table says what each is called and of what kind it is.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sotto {

enum class ModelKind : std::uint8_t {
  fpl,
  bprmf,
  toppop,
  random,
  userknn,
  itemknn,
  ease,
  slim,
  rp3beta,
  fedease,
  feditemknn,
  fedrp3beta,
  ials,
  fedals,
  fcf,
  warp,
  mf,
  multvae,
  neumf,
  fedmultvae,
  fedneumf,
  kgflex,
  kgflex_central,
  vsm,
  kahfm,
  fedcars,
  globalmean,
  usermean,
  itemmean,
  toppop_ratings,
  baseline,
  uknn_ratings,
  iknn_ratings,
  biasedmf,
  nmf,
  svdpp,
  paco,
};

// How a model comes to be, and what a run directory keeps of it.
enum class ModelFamily : std::uint8_t {
  factors,  // trained step by step over two matrices, which are kept (engine/train/factor_training.h)
  network,  // the same with the layers of a network beside them (engine/models/neural_training.h)
  direct,   // made in one go from the split, and made again when a run is opened
            // (engine/models/direct_models.h)
};

struct ModelFacts {
  ModelKind kind;
  const char* name;   // in flags and plans
  const char* title;  // in tables
  ModelFamily family;
  bool federated;
};

[[nodiscard]] const ModelFacts& facts_of(ModelKind model);

[[nodiscard]] Result<ModelKind> parse_model(const std::string& text);
[[nodiscard]] const char* to_string(ModelKind model);
// Whether it looks at the items' features (--kg).
[[nodiscard]] bool needs_features(ModelKind model);
// Whether it learns from ratings, which the interaction files then have to hold.
[[nodiscard]] bool needs_ratings(ModelKind model);
// The two networks, trained in one place or by federated averaging.
[[nodiscard]] inline bool is_multvae(ModelKind model) {
  return model == ModelKind::multvae || model == ModelKind::fedmultvae;
}
[[nodiscard]] inline bool is_neumf(ModelKind model) {
  return model == ModelKind::neumf || model == ModelKind::fedneumf;
}
// Whether whole networks are averaged.
[[nodiscard]] inline bool is_averaged(ModelKind model) {
  return model == ModelKind::fedmultvae || model == ModelKind::fedneumf;
}
// "fpl, bprmf, …", for messages and help.
[[nodiscard]] std::string model_names();
// Those that look at features and can therefore say why: "kgflex, …".
[[nodiscard]] std::string feature_model_names();

}  // namespace sotto
