#include "engine/averaging/averaging_world.h"

#include "engine/train/neural_module.h"

namespace sotto::engine {

Result<std::unique_ptr<AveragingWorld>> AveragingWorld::make(const ClassifierOptions& classifier,
                                                             std::shared_ptr<const DealtExamples> examples) {
  SOTTO_TRY_DONE(check(classifier, *examples->examples));
  SOTTO_TRY(const NeuralModule* module, open_neural_module());
  std::unique_ptr<AveragingWorld> world(new AveragingWorld(std::move(examples)));
  SOTTO_TRY(world->task_, module->start_classifier(world->examples(), world->dealt(), classifier));
  return world;
}

Status check_accelerator(Accelerator accelerator) {
  if (accelerator == Accelerator::cpu) return Done{};
  SOTTO_TRY(const NeuralModule* module, open_neural_module());
  // The smallest classifier there is, started for nothing else.
  Examples two;
  two.height = two.width = 1;
  two.classes = 2;
  two.values = {0, 255};
  two.labels = {0, 1};
  two.for_training = 2;
  const Dealt hands({{.train = {0, 1}, .validation = {}, .test = {}}});
  ClassifierOptions options;
  options.kind = ClassifierKind::dense;
  options.hidden.clear();
  options.accelerator = accelerator;
  if (const auto task = module->start_classifier(two, hands, options); !task.ok()) return task.error();
  return Done{};
}

AveragingParts AveragingWorld::parts(std::string plan_hash, std::uint32_t size_bound) {
  facts_ = std::make_unique<ExampleFacts>(examples(), dealt(), size_bound);
  return {.task = *task_,
          .facts = *facts_,
          .note_round = [facts = facts_.get()](
                            std::uint32_t round,
                            std::span<const UserIndex> cohort) { facts->note_round(round, cohort); },
          .plan_hash = std::move(plan_hash)};
}

}  // namespace sotto::engine
