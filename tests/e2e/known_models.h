// For tests: models that learn from what a catalogue says of items, in the simulator.
#pragma once

#include "base/row_hash.h"
#include "fed/models/testing/usual_knowledge.h"
#include "fed/wire/catalogue.h"
#include "privacy/context_consent.h"
#include "sim/history_federation.h"
#include "sim/thread_pool.h"

namespace sotto::tests::e2e {

// What an operator knows of the items, and the contexts that there are.
inline TaskCatalogue catalogue_of(const Split& split) {
  TaskCatalogue catalogue;
  for (std::uint32_t item = 0; item < split.catalogue; ++item) catalogue.names.intern(split.items.name(item));
  catalogue.features = usual_knowledge(split.catalogue).features;
  if (split.contexts == nullptr) return catalogue;
  Contexts vocabulary;
  vocabulary.dimensions = split.contexts->dimensions;
  catalogue.contexts = std::make_shared<const Contexts>(std::move(vocabulary));
  catalogue.schema = {.interval = true, .daypart = true, .person = true};
  catalogue.scale = split.records->scale;
  return catalogue;
}

template <class Model>
std::string simulated_history(const Model& model, const Plan& plan, const Schedule& schedule,
                              const Split& split, Executor& executor, Collector* collector = nullptr) {
  HistoryFederation<Model> federation(model, plan, schedule, split.train, executor);
  if (collector != nullptr) federation.collect_with(*collector);
  EXPECT_TRUE(federation.run(static_cast<std::uint32_t>(schedule.rounds)).ok());
  return hash_rows(federation.state().shared);
}

// As the tests' tasks have them: eight factors, what else there is as it usually is.
inline std::string simulated_kgflex(const Task& task, const Plan& plan, const Schedule& schedule,
                                    const Split& split, Collector* collector = nullptr) {
  ThreadPool pool(1);
  const KgflexOptions options{.factors = 8, .seed = plan.seed};
  const Kgflex model(
      options, std::make_shared<const KgflexDevices>(catalogue_of(split).features, split.train, task.items,
                                                     ProfileOptions{.seed = plan.seed}, KeepsBack(), pool));
  return simulated_history(model, plan, schedule, split, pool, collector);
}

inline std::string simulated_fedcars(const Task& task, Plan plan, const Schedule& schedule,
                                     const Split& split, const PersonalPolicy& policy,
                                     Collector* collector = nullptr) {
  ThreadPool pool(1);
  FedcarsOptions options;
  options.factors = 8;
  options.seed = task.plan.seed;
  const ConsentTerms terms{.pi = policy.pi,
                           .mask = policy.mask,
                           .rules = {},
                           .contexts = context_terms(policy, split.contexts.get())};
  plan.consent.people = std::make_shared<const ConsentBook>(
      std::vector{terms}, std::vector<std::uint16_t>(split.train.users(), 0), plan.seed);
  const Fedcars model(options, std::make_shared<const FedcarsDevices>(split, split.train,
                                                                      context_terms(plan.consent), options));
  return simulated_history(model, plan, schedule, split, pool, collector);
}

}  // namespace sotto::tests::e2e
