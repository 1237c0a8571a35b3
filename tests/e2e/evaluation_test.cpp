// What devices say of the lists that they make of a version is, in the mean, what a central evaluation says
// of it, for people who trained on all but what their devices held out.
#include <gtest/gtest.h>

#include "fed/models/testing/known_scores.h"
#include "model/fedcars/fedcars_recommender.h"
#include "model/kgflex/kgflex_recommender.h"
#include "sim/thread_pool.h"
#include "tests/e2e/held_out.h"
#include "tests/e2e/trained_world.h"

namespace sotto::tests::e2e {
namespace {

class EvaluationOverTheWire : public testing::TestWithParam<Case> {};

// A model that has no private rows, or solves them, answers from what was released.
std::unique_ptr<Recommender> from_rows(const Task& task, const Split& judging, const RowMatrix& rows) {
  std::vector<std::vector<float>> scores;
  for (std::uint32_t user = 0; user < judging.train.users(); ++user) {
    const auto items = judging.train.of(UserIndex{user});
    const auto ages = judging.train.ages_of(UserIndex{user});
    scores.push_back(
        answered_scores(task, rows, {items.begin(), items.end()}, nullptr, {ages.begin(), ages.end()}));
  }
  return std::make_unique<KnownScores>(scores);
}

std::unique_ptr<Recommender> of_fedcars(const Task& task, const Split& judging, const RowMatrix& rows) {
  FedcarsOptions options;
  options.factors = 8;
  options.seed = task.plan.seed;
  return std::make_unique<FedcarsRecommender>(
      Fedcars(options,
              std::make_shared<const FedcarsDevices>(judging, judging.train, context_terms({}), options)),
      rows);
}

// Private rows are the simulator's, whose shared ones are those that were released.
std::unique_ptr<Recommender> of_kgflex(const Task& task, const Split& judging, const RowMatrix& rows,
                                       Executor& executor) {
  const Plan plan = task.plan;
  const auto users = static_cast<std::uint32_t>(judging.train.users());
  const Kgflex model(
      {.factors = 8, .seed = plan.seed},
      std::make_shared<const KgflexDevices>(catalogue_of(judging).features, judging.train, task.items,
                                            ProfileOptions{.seed = plan.seed}, KeepsBack(), executor));
  const Schedule schedule{.cohort = users, .triples = 0, .rounds_per_epoch = 1, .rounds = rounds};
  HistoryFederation<Kgflex> federation(model, plan, schedule, judging.train, executor);
  EXPECT_TRUE(federation.run(rounds).ok());
  EXPECT_EQ(hash_rows(federation.state().shared), hash_rows(rows));
  return std::make_unique<KgflexRecommender>(model, federation.state().devices.on_device(), rows);
}

TEST_P(EvaluationOverTheWire, GivesTheFiguresOfACentralEvaluation) {
  const Case& one = GetParam();
  const Prepared prepared = world(one.model);
  const Split& split = prepared.split;
  TaskConfig config = task_for(one, split);
  hold_out(config, split);
  Loopback loopback(config);
  FleetOptions options;
  options.workers = 8;
  const nlohmann::json judged = judged_over_the_wire(loopback, config, split, options);
  const Task task = *read_task(config.spec);
  const RowMatrix rows = released_rows(loopback, task);
  const Split judging = without_held_out(task, split);
  ThreadPool pool(1);
  const auto central = one.model == &fedcars_task  ? of_fedcars(task, judging, rows)
                       : one.model == &kgflex_task ? of_kgflex(task, judging, rows, pool)
                                                   : from_rows(task, judging, rows);
  expect_equal(judged, *central, judging, pool);
}

INSTANTIATE_TEST_SUITE_P(InEveryWay, EvaluationOverTheWire,
                         testing::Values(Case{"Als", 1.0, MaskKind::sticky, 0, false, &fedals_task},
                                         Case{"Ease", 1.0, MaskKind::sticky, 0, false, &fedease_task},
                                         Case{"Knn", 1.0, MaskKind::sticky, 0, false, &feditemknn_task},
                                         Case{"Rp3", 1.0, MaskKind::sticky, 0, false, &fedrp3beta_task},
                                         Case{"Kgflex", 1.0, MaskKind::sticky, 0, false, &kgflex_task},
                                         Case{"Fedcars", 1.0, MaskKind::sticky, 0, false, &fedcars_task},
                                         Case{"FedcarsSecure", 1.0, MaskKind::sticky, 0, true, &fedcars_task},
                                         Case{"FcfSecure", 1.0, MaskKind::sticky, 0, true, &fcf_task}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace sotto::tests::e2e
