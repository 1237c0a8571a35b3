#include "lab/averaging/averaging_world.h"

#include <fmt/core.h>

#include <algorithm>

#include "data/examples/generate_examples.h"
#include "engine/files/files.h"
#include "engine/models/neural_module.h"
#include "lab/examples/examples_files.h"

namespace sotto {

namespace {

Result<OwnedExamples> made_up(const AveragingRequest& request) {
  if (request.deal == DealKind::people) {
    PortraitOptions options;
    options.people = std::max<std::uint32_t>(
        static_cast<std::uint32_t>(static_cast<double>(request.examples) / options.mean_pictures), 1);
    options.seed = request.plan.seed;
    return generate_portraits(options);
  }
  PictureOptions options;
  options.test = request.examples / 6;
  options.training = request.examples - options.test;
  options.seed = request.plan.seed;
  OwnedExamples made;
  SOTTO_TRY(made.examples, generate_pictures(options));
  return made;
}

Result<Dealt> deal_examples(const AveragingRequest& request, const OwnedExamples& source) {
  SOTTO_TRY_DONE(check_measurable(request.criteria.order, source.examples));
  const DealOptions options{.seed = request.plan.seed,
                            .validation_share = request.validation,
                            .most_devices = request.most_devices,
                            .most_examples = request.most_examples};
  switch (request.deal) {
    case DealKind::iid:
      return deal_evenly(source.examples, dealt_devices(request), options);
    case DealKind::shards:
      return deal_shards(source.examples, dealt_devices(request), 2, options);
    case DealKind::people:
      break;
  }
  if (source.owners.empty())
    return fail(Code::usage,
                "these examples belong to nobody, so they cannot be dealt to people: choose --deal iid or "
                "--deal shards");
  return deal_by_owner(source.examples, source.owners, request.people, options);
}

}  // namespace

Result<OwnedExamples> averaging_examples(const AveragingRequest& request, const IdxOptions& pictures) {
  if (request.generate) return made_up(request);
  SOTTO_TRY(const std::string digits, plain_or_packed(request.data, "train-images-idx3-ubyte"));
  if (!digits.empty()) {
    OwnedExamples read;
    SOTTO_TRY(read.examples, read_mnist(request.data, pictures));
    return read;
  }
  SOTTO_TRY(const std::string faces, plain_or_packed(request.data, "list_attr_celeba.txt"));
  if (!faces.empty()) return read_celeba(request.data);
  return fail(Code::not_found,
              fmt::format("{}: neither MNIST's files (train-images-idx3-ubyte …) nor CelebA's "
                          "(list_attr_celeba.txt …) are here, plain or as .zst",
                          request.data));
}

Result<std::unique_ptr<AveragingWorld>> AveragingWorld::make(const AveragingRequest& request) {
  SOTTO_TRY(OwnedExamples read, averaging_examples(request));
  std::unique_ptr<AveragingWorld> world(new AveragingWorld);
  world->source_ = &world->own_.emplace(std::move(read));
  SOTTO_TRY(Dealt dealt, deal_examples(request, *world->source_));
  world->dealt_.emplace(std::move(dealt));
  return world;
}

Result<std::unique_ptr<AveragingWorld>> AveragingWorld::deal(const AveragingRequest& request,
                                                             const OwnedExamples& examples) {
  std::unique_ptr<AveragingWorld> world(new AveragingWorld);
  world->source_ = &examples;
  SOTTO_TRY(Dealt dealt, deal_examples(request, examples));
  world->dealt_.emplace(std::move(dealt));
  return world;
}

Result<std::unique_ptr<LocalTask>> AveragingWorld::start_task(const AveragingRequest& request) const {
  SOTTO_TRY_DONE(check(request.classifier, examples()));
  SOTTO_TRY(const NeuralModule* module, open_neural_module());
  return module->start_classifier(examples(), dealt(), request.classifier);
}

Status check_accelerator(const AveragingRequest& request) {
  if (request.classifier.accelerator == Accelerator::cpu) return Done{};
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
  options.accelerator = request.classifier.accelerator;
  if (const auto task = module->start_classifier(two, hands, options); !task.ok()) return task.error();
  return Done{};
}

AveragingParts AveragingWorld::parts(const LocalTask& task) {
  facts_ = std::make_unique<ExampleFacts>(examples(), dealt());
  return {.task = task,
          .facts = *facts_,
          .note_round = [facts = facts_.get()](std::uint32_t round, std::span<const UserIndex> cohort) {
            facts->note_round(round, cohort);
          }};
}

}  // namespace sotto
