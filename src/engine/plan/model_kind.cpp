#include "engine/plan/model_kind.h"

#include <fmt/core.h>

#include <array>

#include "base/assert.h"

namespace sotto {

namespace {

constexpr std::array models{
    ModelFacts{ModelKind::fpl, "fpl", "FPL", ModelFamily::factors, true},
    ModelFacts{ModelKind::bprmf, "bprmf", "BPR-MF", ModelFamily::factors, false},
    ModelFacts{ModelKind::ials, "ials", "iALS", ModelFamily::factors, false},
    ModelFacts{ModelKind::fedals, "fedals", "Federated ALS", ModelFamily::factors, true},
    ModelFacts{ModelKind::fcf, "fcf", "FCF", ModelFamily::factors, true},
    ModelFacts{ModelKind::warp, "warp", "WARP", ModelFamily::factors, false},
    ModelFacts{ModelKind::mf, "mf", "MF", ModelFamily::factors, false},
    ModelFacts{ModelKind::toppop, "toppop", "Top-Pop", ModelFamily::direct, false},
    ModelFacts{ModelKind::random, "random", "Random", ModelFamily::direct, false},
    ModelFacts{ModelKind::userknn, "userknn", "User-kNN", ModelFamily::direct, false},
    ModelFacts{ModelKind::itemknn, "itemknn", "Item-kNN", ModelFamily::direct, false},
    ModelFacts{ModelKind::ease, "ease", "EASE", ModelFamily::direct, false},
    ModelFacts{ModelKind::slim, "slim", "SLIM", ModelFamily::direct, false},
    ModelFacts{ModelKind::rp3beta, "rp3beta", "RP3β", ModelFamily::direct, false},
    ModelFacts{ModelKind::fedease, "fedease", "Federated EASE", ModelFamily::direct, true},
    ModelFacts{ModelKind::feditemknn, "feditemknn", "Federated Item-kNN", ModelFamily::direct, true},
    ModelFacts{ModelKind::fedrp3beta, "fedrp3beta", "Federated RP3β", ModelFamily::direct, true},
    ModelFacts{ModelKind::multvae, "multvae", "MultVAE", ModelFamily::network, false},
    ModelFacts{ModelKind::neumf, "neumf", "NeuMF", ModelFamily::network, false},
    ModelFacts{ModelKind::fedmultvae, "fedmultvae", "Federated MultVAE", ModelFamily::network, true},
    ModelFacts{ModelKind::fedneumf, "fedneumf", "Federated NeuMF", ModelFamily::network, true},
    ModelFacts{ModelKind::kgflex, "kgflex", "KGFlex", ModelFamily::factors, true},
    ModelFacts{ModelKind::kgflex_central, "kgflex-central", "KGFlex, central", ModelFamily::factors, false},
    ModelFacts{ModelKind::vsm, "vsm", "VSM", ModelFamily::direct, false},
    ModelFacts{ModelKind::kahfm, "kahfm", "kaHFM", ModelFamily::factors, false},
    ModelFacts{ModelKind::fedcars, "fedcars", "Fed-CARS", ModelFamily::factors, true},
    ModelFacts{ModelKind::globalmean, "globalmean", "Global mean", ModelFamily::direct, false},
    ModelFacts{ModelKind::usermean, "usermean", "User mean", ModelFamily::direct, false},
    ModelFacts{ModelKind::itemmean, "itemmean", "Item mean", ModelFamily::direct, false},
    ModelFacts{ModelKind::toppop_ratings, "toppop-ratings", "Top-Pop, item means", ModelFamily::direct,
               false},
    ModelFacts{ModelKind::baseline, "baseline", "Biases", ModelFamily::direct, false},
    ModelFacts{ModelKind::uknn_ratings, "uknn-ratings", "User-kNN, ratings", ModelFamily::direct, false},
    ModelFacts{ModelKind::iknn_ratings, "iknn-ratings", "Item-kNN, ratings", ModelFamily::direct, false},
    ModelFacts{ModelKind::biasedmf, "biasedmf", "Biased MF", ModelFamily::direct, false},
    ModelFacts{ModelKind::nmf, "nmf", "NMF", ModelFamily::direct, false},
    ModelFacts{ModelKind::svdpp, "svdpp", "SVD++", ModelFamily::direct, false},
    ModelFacts{ModelKind::paco, "paco", "PaCo", ModelFamily::direct, false},
};

}  // namespace

const ModelFacts& facts_of(ModelKind model) {
  for (const ModelFacts& facts : models)
    if (facts.kind == model) return facts;
  SOTTO_ASSERT(false, "every model stands in the table");
  return models.front();
}

Result<ModelKind> parse_model(const std::string& text) {
  for (const ModelFacts& facts : models)
    if (text == facts.name) return facts.kind;
  return fail(Code::usage, fmt::format("unknown model '{}': choose one of {}", text, model_names()));
}

const char* to_string(ModelKind model) { return facts_of(model).name; }

bool needs_features(ModelKind model) {
  return model == ModelKind::kgflex || model == ModelKind::kgflex_central || model == ModelKind::vsm ||
         model == ModelKind::kahfm;
}

bool needs_ratings(ModelKind model) {
  switch (model) {
    case ModelKind::fedcars:
    case ModelKind::globalmean:
    case ModelKind::usermean:
    case ModelKind::itemmean:
    case ModelKind::toppop_ratings:
    case ModelKind::baseline:
    case ModelKind::uknn_ratings:
    case ModelKind::iknn_ratings:
    case ModelKind::biasedmf:
    case ModelKind::nmf:
    case ModelKind::svdpp:
      return true;
    default:
      return false;
  }
}

std::string model_names() {
  std::string names;
  for (const ModelFacts& facts : models) names += (names.empty() ? "" : ", ") + std::string(facts.name);
  return names;
}

std::string feature_model_names() {
  std::string names;
  for (const ModelFacts& facts : models)
    if (needs_features(facts.kind)) names += (names.empty() ? "" : ", ") + std::string(facts.name);
  return names;
}

}  // namespace sotto
