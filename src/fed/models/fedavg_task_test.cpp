// A classifier's task: its options, what it is refused for, and what of a person's examples a device trains
// on.
#include <gtest/gtest.h>

#include <set>

#include "fed/averaged_update.h"
#include "fed/models/testing/small_classifier.h"
#include "fed/models/testing/toy_networks.h"
#include "fed/models/testing/usual_spec.h"
#include "fed/wire/device_fit.h"

namespace sotto::fed::fedavg_task_test {
namespace {

const ToyNetworks toys;

Examples some_examples(std::size_t count) {
  Examples examples;
  examples.height = 2;
  examples.width = 3;
  examples.classes = 4;
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t k = 0; k < examples.size(); ++k)
      examples.values.push_back(static_cast<std::uint8_t>(5 * n + k));
    examples.labels.push_back(static_cast<std::uint8_t>(n % examples.classes));
  }
  examples.for_training = count;
  return examples;
}

// Those of `all` at the places that are the numbers, which the device draws by.
DeviceFit device_of(const Task& task, const Examples& all, std::vector<ItemIndex> numbers,
                    const ConsentTerms& terms) {
  Examples own = all;
  own.values.clear();
  own.labels.clear();
  for (const ItemIndex number : numbers) {
    own.values.insert(own.values.end(), all.of(number.value), all.of(number.value) + all.size());
    own.labels.push_back(all.labels[number.value]);
  }
  DeviceKnowledge known;
  known.examples = std::make_shared<const Examples>(std::move(own));
  return {task, {5, UserIndex{2}}, std::move(numbers), terms, {}, std::move(known)};
}

std::vector<ItemIndex> first_numbers(std::uint32_t count) {
  std::vector<ItemIndex> numbers;
  for (std::uint32_t n = 0; n < count; ++n) numbers.push_back(ItemIndex{n});
  return numbers;
}

std::string refusal(const v1::TaskSpec& spec) {
  const auto read = read_task(spec);
  return read.ok() ? "" : read.error().message;
}

v1::TaskOption& option_of(v1::TaskSpec& spec, const std::string& key) {
  for (auto& option : *spec.mutable_options())
    if (option.key() == key) return option;
  SOTTO_ASSERT(false, "the model has it");
  return *spec.add_options();
}

TEST(AClassifiersTask, ItsItemsAreClassesAndItsFormIsOfTheExamples) {
  const Task task = *read_task(classifier_spec());
  const ExampleForm form = task.model->examples(task);
  EXPECT_EQ(form.collection, "digits");
  EXPECT_EQ(form.height, 2u);
  EXPECT_EQ(form.width, 3u);
  EXPECT_EQ(averaging_shape(6 * 3 + 3 + 3 * 4 + 4).rows, task.shape().sum_rows);
  const Task usual = *read_task(usual_spec(fedavg_task, 10));
  EXPECT_EQ(usual.shape().sum_rows, averaging_shape(1'663'370).rows) << "the network of McMahan et al.";
  for (const TaskModel* model : task_models)
    EXPECT_EQ(model->examples != nullptr, model == &fedavg_task) << model->name;
}

TEST(AClassifiersTask, BeginsAsTheModuleDoes) {
  const Task task = *read_task(classifier_spec());
  Examples none = some_examples(0);
  const Dealt nobody{{}};
  const ToyClassifier as_trained(none, nobody, {.kind = ClassifierKind::dense, .hidden = {3}});
  std::vector<float> expected(as_trained.parameters());
  as_trained.start(task.plan.seed, expected);
  const RowMatrix shared = task.model->server(task)->start().shared;
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), shared.row(0)));
  EXPECT_NE(expected.front(), 0.0f);
}

TEST(AClassifiersTask, MayHaveNoLayerBetween) {
  const Task task = *read_task(classifier_spec(4, {}));
  EXPECT_EQ(task.shape().sum_rows, averaging_shape(6 * 4 + 4).rows);
}

TEST(AClassifiersTask, IsRefusedForWhatItCannotBe) {
  EXPECT_EQ(refusal(classifier_spec(256)), "");
  EXPECT_NE(refusal(classifier_spec(257)).find("its classes, from 2 to 256"), std::string::npos);
  const auto changed = [](const std::string& key, auto change) {
    v1::TaskSpec spec = classifier_spec();
    change(option_of(spec, key));
    return refusal(spec);
  };
  const auto word = [](const char* text) { return [text](v1::TaskOption& one) { one.set_word(text); }; };
  const auto whole = [](std::uint32_t value) {
    return [value](v1::TaskOption& one) { one.set_whole(value); };
  };
  for (const char* name : {"", "Digits", "a/b", "two words"})
    EXPECT_NE(changed("collection", word(name)).find("collection names the examples"), std::string::npos)
        << name;
  EXPECT_NE(changed("network", word("rnn")).find("network is missing, or unknown"), std::string::npos);
  EXPECT_NE(changed("network", word("cnn")).find("too small for 2 layers"), std::string::npos);
  EXPECT_NE(changed("height", whole(0)).find("0 × 3 numbers"), std::string::npos);
  EXPECT_NE(changed("width", whole(1u << 30)).find("cannot be learned from"), std::string::npos);
  EXPECT_NE(changed("hidden", word("70000")).find("from 1 to 65536"), std::string::npos);
  EXPECT_NE(changed("hidden", word("3,")).find("hidden is missing"), std::string::npos);
  EXPECT_NE(changed("local_epochs", whole(1001)).find("local_epochs is from 1 to 1000"), std::string::npos);
  v1::TaskSpec spec = classifier_spec();
  spec.set_row_clip(1.0);
  EXPECT_NE(refusal(spec).find("row_clip"), std::string::npos);
  spec = classifier_spec();
  spec.mutable_evaluation()->set_holdout(1);
  EXPECT_EQ(refusal(spec), "");
  spec.mutable_evaluation()->set_cutoff(1);
  EXPECT_NE(refusal(spec).find("makes no lists"), std::string::npos);
  spec.mutable_evaluation()->clear_cutoff();
  spec.mutable_evaluation()->set_coverage(true);
  EXPECT_NE(refusal(spec).find("evaluate_coverage"), std::string::npos);
}

// A share of the examples, and with it the same update as a device that has these alone.
TEST(AClassifiersTask, TrainsOnThoseThatConsentLetsOut) {
  Task task = *read_task(classifier_spec());
  task.networks = &toys;
  const RowMatrix shared = task.model->server(task)->start().shared;
  const Examples all = some_examples(40);
  ConsentTerms half{.pi = 0.5, .mask = MaskKind::sticky};
  DeviceFit device = device_of(task, all, first_numbers(40), half);
  Private<RowMatrix> own = device.start();
  const Contribution sent = **device.fit(1, shared, own.on_device());
  const std::vector<ItemIndex> taken = device.sent();
  EXPECT_GT(taken.size(), 10u);
  EXPECT_LT(taken.size(), 30u);
  EXPECT_TRUE(task.model->server(task)->check(sent).ok());
  DeviceFit alone = device_of(task, all, taken, {});
  const Contribution same = **alone.fit(1, shared, own.on_device());
  ASSERT_EQ(same.size(), sent.size());
  for (std::size_t n = 0; n < sent.size(); ++n)
    EXPECT_TRUE(std::equal(sent.values(n), sent.values(n) + sent.width(), same.values(n))) << n;
  ASSERT_TRUE(device.fit(2, shared, own.on_device()).ok());
  EXPECT_EQ(device.sent(), taken) << "what is drawn stays";
  half.mask = MaskKind::redraw;
  DeviceFit redrawn = device_of(task, all, first_numbers(40), half);
  std::set<std::vector<ItemIndex>> answers;
  for (std::uint32_t round = 0; round < 5; ++round) {
    ASSERT_TRUE(redrawn.fit(round, shared, own.on_device()).ok());
    answers.insert(redrawn.sent());
  }
  EXPECT_EQ(answers.size(), 5u);
}

TEST(AClassifiersTask, IsNotAnsweredWithoutExamples) {
  Task task = *read_task(classifier_spec());
  task.networks = &toys;
  const RowMatrix shared = task.model->server(task)->start().shared;
  EXPECT_FALSE(device_of(task, some_examples(0), {}, {}).can_answer());
  DeviceFit device = device_of(task, some_examples(3), first_numbers(3), {.pi = 1e-9});
  Private<RowMatrix> own = device.start();
  const auto sent = device.fit(0, shared, own.on_device());
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().code, Code::incompatible);
  EXPECT_NE(sent.error().message.find("none of the person's examples"), std::string::npos);
}

TEST(AClassifiersTask, RecommendsNothing) {
  const Task task = *read_task(classifier_spec());
  const RowMatrix shared = task.model->server(task)->start().shared;
  const Histories history({0, 1}, {{1}});
  const auto answers = task.model->answers({task, shared, history, nullptr});
  ASSERT_FALSE(answers.ok());
  EXPECT_NE(answers.error().message.find("recommends nothing"), std::string::npos);
}

}  // namespace
}  // namespace sotto::fed::fedavg_task_test
