// Golden runs: seed and plan → the model's bytes and its metrics, on any machine. A change here means
// that every model trained before cannot be made again: say why in the CHANGELOG.
#include <gtest/gtest.h>

#include <string_view>

#include "data/generate.h"
#include "engine/train/training.h"
#include "metrics/evaluate.h"
#include "sim/thread_pool.h"

namespace sotto::tests {
namespace {

struct Golden {
  std::string_view model;
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

TEST(Golden, TheWorld) { EXPECT_EQ(world().hash.substr(0, 16), "61af4b44e723a57a"); }

TEST(Golden, Runs) {
  const Golden runs[] = {
      {"fpl", "pfpl+", 1.0, MaskKind::sticky, "92ba86813169810f", 0.10976446},
      {"fpl", "pfpl", 0.5, MaskKind::sticky, "7ad3bb51fe923a5d", 0.10445304},
      {"fpl", "sfpl", 0.5, MaskKind::redraw, "9eefe09611f6f7c3", 0.11501838},
      {"fpl", "sfpl+", 0.1, MaskKind::redraw, "3e199c7844ee3bac", 0.09572542},
      {"bprmf", "pfpl", 1.0, MaskKind::sticky, "4558e16ef9b69589", 0.15137123},
      {"itemknn", "pfpl", 1.0, MaskKind::sticky, "7ece5bf1cfab8ba4", 0.34369820},
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
    EXPECT_EQ(trained.model_hash.substr(0, 16), golden.hash) << golden.model << ' ' << golden.variant;
    EXPECT_NEAR(evaluation.find("nDCG@10").value(), golden.ndcg, 1e-6)
        << golden.model << ' ' << golden.variant;
  }
}

}  // namespace
}  // namespace sotto::tests
