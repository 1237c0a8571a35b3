// For tests: training by criteria over the wire and in the simulator.
#pragma once

#include "engine/protect/weighing.h"
#include "tests/e2e/trained_world.h"

namespace sotto::tests::e2e {

// Of `sotto train`, before the sum; null without criteria.
inline std::unique_ptr<Weighing> weighing_of(const Case& one, const Plan& plan, const Schedule& schedule,
                                             const Split& split, Executor& executor, Collector& sum) {
  TrainRequest request;
  request.criteria.order = one.criteria;
  if (!request.criteria.asked()) return nullptr;
  request.criteria.size_bound = size_bound;
  request.plan.seed = plan.seed;
  request.plan.fixed = plan.fixed;
  request.sum.assumed.crowd = 4;
  Split known = split;
  known.features = catalogue_of(split).features;
  Population people{{}, schedule};
  for (std::uint32_t user = 0; user < split.train.users(); ++user) people.users.push_back({user});
  auto weighing = make_weighing(request, known, people, small_sums(request.sum, plan.seed, executor), sum);
  EXPECT_TRUE(weighing.ok()) << weighing.error().message;
  return std::move(*weighing);
}

// Half of what people have may leave, and all of their criteria.
inline Case weighed(const char* name, const char* criteria, const TaskModel* model, std::uint32_t cohort = 0,
                    bool secure = false) {
  return {name, 0.5, MaskKind::sticky, cohort, secure, model, 0, criteria};
}

}  // namespace sotto::tests::e2e
