// A classifier of labelled examples by federated averaging over a network (McMahan et al. 2017): what a
// device learns from is a collection of examples that its person keeps beside things. The task's items are
// the classes, by their labels, so that a catalogue gives them names.
#include <fmt/core.h>

#include "fed/models/averaging_task.h"
#include "fed/models/task_models.h"
#include "fed/models/task_options.h"
#include "model/averaging/classifier_scores.h"
#include "model/averaging/flat_matrices.h"
#include "model/averaging/network_starts.h"

namespace sotto::fed {

namespace {

constexpr std::size_t most_classes = 256;  // a label is a byte

// The papers' average: plain steps on the devices, and the server goes all the way to the mean.
AveragedSteps plain_average() {
  AveragedSteps steps(classifier_rates);
  steps.local = {.rate = classifier_rates.device};
  steps.server = {.step = ServerStep::sgd, .rate = classifier_rates.mean};
  return steps;
}

struct ClassifierTaskOptions {
  ClassifierOptions classifier;
  ExampleForm form{.collection = "examples", .height = 28, .width = 28};
  AveragedSteps averaging = plain_average();
};

void visit_classifier(TaskOptions& keys, ClassifierTaskOptions& options) {
  ClassifierOptions& network = options.classifier;
  auto kind = static_cast<std::size_t>(network.kind);
  keys.choice("network", {"cnn", "dense"}, kind);
  network.kind = static_cast<ClassifierKind>(kind);
  keys.whole("filter", network.filter);
  keys.wholes("channels", network.channels);
  keys.wholes("hidden", network.hidden);
  keys.whole("height", options.form.height);
  keys.whole("width", options.form.width);
  keys.text("collection", options.form.collection);
  keys.whole("batch", options.averaging.local.batch);
  visit_averaging(keys, options.averaging, classifier_rates);
}

// Examples of the task's form, without any.
Examples examples_of(const ExampleForm& form, std::size_t classes) {
  Examples examples;
  examples.height = form.height;
  examples.width = form.width;
  examples.classes = static_cast<std::uint32_t>(classes);
  return examples;
}

Status read_classifier(const v1::TaskSpec& spec, Task& task) {
  SOTTO_TRY_DONE((read_by<ClassifierTaskOptions, visit_classifier>(spec, task)));
  const auto& options = options_of<ClassifierTaskOptions>(task);
  if (!is_plain_name(options.form.collection))
    return fail(Code::usage,
                "collection names the examples: 1 to 64 small letters, digits, - or _, such as digits");
  if (task.items > most_classes)
    return fail(Code::usage, fmt::format("the items of a classifier's task are its classes, from 2 to {}: "
                                         "give their number, or a file with their names",
                                         most_classes));
  SOTTO_TRY_DONE(check(options.classifier, examples_of(options.form, task.items)));
  return check_averaging(spec, options.averaging);
}

class ClassifierNet final : public AveragedNet {
 public:
  explicit ClassifierNet(const Task& task)
      : options_(options_of<ClassifierTaskOptions>(task)),
        layers_(classifier_layers(options_.classifier, examples_of(options_.form, task.items))) {}

  const AveragedSteps& options() const override { return options_.averaging; }
  // A layer is one row: its numbers already lie in the flat vector's order.
  std::vector<MatrixShape> shapes() const override {
    std::vector<MatrixShape> shapes;
    for (const ClassifierLayer& layer : layers_) shapes.push_back({1, layer.parameters()});
    return shapes;
  }
  void draw(std::size_t n, RowMatrix& matrix, std::uint64_t seed) const override {
    draw_classifier_layer(n, layers_[n], matrix.values(0), seed);
  }
  Result<std::unique_ptr<LocalTask>> open(const NetworkTasks& networks, const RoundData& data) override {
    SOTTO_ASSERT(data.known.examples != nullptr, "a device that learns from examples has some");
    SOTTO_TRY(hand_, dealt_in(data.histories, data.round, data.device));
    return networks.start_classifier(*data.known.examples, hand_, options_.classifier);
  }

 private:
  ClassifierTaskOptions options_;
  std::vector<ClassifierLayer> layers_;
  Dealt hand_{{}};
};

std::vector<float> classify(const Task& task, const RowMatrix& shared,
                            std::span<const std::uint8_t> example) {
  const auto& options = options_of<ClassifierTaskOptions>(task);
  const std::span<const float> flat(shared.row(0), shared.rows() * shared.width());
  std::vector<float> shares =
      classifier_scores(options.classifier, examples_of(options.form, task.items), flat, example);
  make_shares(shares);
  return shares;
}

Result<std::unique_ptr<TaskAnswers>> no_answers(const PersonView& view) {
  return fail(Code::usage, fmt::format("the task '{}' learns to tell classes of examples: it recommends "
                                       "nothing; ask what it says of your examples ('sotto device classify')",
                                       view.task.name));
}

}  // namespace

constinit const TaskModel fedavg_task{
    .name = "fedavg",
    .configure = configure_by<ClassifierTaskOptions, visit_classifier>,
    .read = read_classifier,
    .shape = [](const Task& task) { return shape_of_averaging(ClassifierNet(task)); },
    .row_of = nullptr,
    .device = device_half<AveragingDeviceOf<ClassifierNet>>,
    .server = server_half<AveragingServerOf<ClassifierNet>>,
    .answers = no_answers,
    .weighable = Weighable::mean,
    .usual_bits = 24,
    .most_bits = 28,
    .layer_ends = [](const Task& task) { return flat_ends(ClassifierNet(task).shapes()); },
    .trains_network = true,
    .examples = [](const Task& task) { return options_of<ClassifierTaskOptions>(task).form; },
    .classify = classify,
};

}  // namespace sotto::fed
