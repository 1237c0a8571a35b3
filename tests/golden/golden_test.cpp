// Golden runs: seed and plan → the model's bytes and its metrics, on any machine. A change here means
// that every model trained before cannot be made again: say why in the CHANGELOG.
#include <gtest/gtest.h>

#include "data/generate.h"
#include "lab/training.h"
#include "metrics/evaluate.h"
#include "sim/thread_pool.h"

namespace sotto {
namespace {

struct Golden {
  ModelKind model;
  const char* variant;
  double pi;
  MaskKind mask;
  const char* hash;  // the first 16 digits
  double ndcg;
};

const Split& world() {
  static const Split split =
      generate_split({.users = 300, .items = 400, .mean_interactions = 25.0, .seed = 7}).value();
  return split;
}

TEST(Golden, TheWorld) { EXPECT_EQ(world().hash.substr(0, 16), "008ea7e40c533f12"); }

TEST(Golden, Runs) {
  const Golden runs[] = {
      {ModelKind::fpl, "pfpl+", 1.0, MaskKind::sticky, "7bfe27ce4ef7b01d", 0.11939806},
      {ModelKind::fpl, "pfpl", 0.5, MaskKind::sticky, "95f9331240c531c1", 0.10341333},
      {ModelKind::fpl, "sfpl", 0.5, MaskKind::redraw, "8d7e8f130fbd5341", 0.10445201},
      {ModelKind::fpl, "sfpl+", 0.1, MaskKind::redraw, "c0e0194548f03c62", 0.10032764},
      {ModelKind::bprmf, "pfpl", 1.0, MaskKind::sticky, "3c6139bf65b964e9", 0.14455388},
      {ModelKind::itemknn, "pfpl", 1.0, MaskKind::sticky, "92fc5e3bc06b18a3", 0.34369820},
  };
  ThreadPool pool(2);
  for (const Golden& golden : runs) {
    TrainRequest request;
    request.data.paths = {"generated"};
    request.model = golden.model;
    ASSERT_TRUE(set_variant(request.plan, golden.variant).ok());
    request.plan.consent = {golden.pi, golden.mask};
    request.plan.fpl.factors = 10;
    request.plan.epochs = 10;
    ASSERT_TRUE(settle(request).ok());
    TrainHooks hooks;
    const Trained trained = train(request, world(), pool, hooks).value();
    const Evaluation evaluation = evaluate(*trained.model, world(), {}, pool).value();
    EXPECT_EQ(trained.model_hash.substr(0, 16), golden.hash)
        << to_string(golden.model) << ' ' << golden.variant;
    EXPECT_NEAR(evaluation.find("nDCG@10").value(), golden.ndcg, 1e-6)
        << to_string(golden.model) << ' ' << golden.variant;
  }
}

}  // namespace
}  // namespace sotto
