// The C interface: labelled examples.
#include <algorithm>

#include "device/c/device_handle.h"
#include "device/testing/c_interface.h"
#include "fed/models/testing/small_classifier.h"
#include "fed/wire/published_model.h"
#include "sotto/examples.h"

namespace sotto::device::c_examples_test {
namespace {

struct SeenExample {
  std::string collection, name;
  std::vector<uint8_t> values;
  uint32_t label;
  int mark;  // -1: not known
  bool operator==(const SeenExample&) const = default;
};
std::vector<SeenExample> examples_of(sotto_device* device, const char* collection) {
  std::vector<SeenExample> seen;
  const sotto_example_fn each = [](void* out, const sotto_example* one) {
    static_cast<std::vector<SeenExample>*>(out)->push_back(
        {one->collection, one->name,
         std::vector<uint8_t>(one->values, one->values + std::size_t{one->height} * one->width), one->label,
         one->has_mark != 0 ? one->mark : -1});
  };
  EXPECT_EQ(sotto_examples(device, collection, each, &seen), SOTTO_OK);
  return seen;
}

const uint8_t pixels[] = {0, 128, 255, 7};

sotto_example picture(const char* name) {
  sotto_example one{};
  one.size = sizeof(sotto_example);
  one.collection = "digits";
  one.name = name;
  one.values = pixels;
  one.height = 2;
  one.width = 2;
  one.label = 7;
  return one;
}

TEST_F(CInterface, ExamplesComeAndGo) {
  sotto_example all[] = {picture("b"), picture("a")};
  all[1].has_mark = 1;
  all[1].mark = 1;
  all[1].height = 1;
  ASSERT_EQ(sotto_add_examples(device_, all, 2), SOTTO_OK) << sotto_last_error(device_);
  const std::vector<SeenExample> expected{{"digits", "a", {0, 128}, 7, 1},
                                          {"digits", "b", {0, 128, 255, 7}, 7, -1}};
  EXPECT_EQ(examples_of(device_, "digits"), expected);
  EXPECT_EQ(examples_of(device_, nullptr), expected);
  sotto_device_close(device_);
  open();
  EXPECT_EQ(examples_of(device_, "digits"), expected);
  EXPECT_EQ(sotto_remove_examples(device_, "digits", "a"), SOTTO_OK);
  EXPECT_EQ(sotto_remove_examples(device_, "digits", "a"), SOTTO_NOT_FOUND);
  EXPECT_EQ(sotto_remove_examples(device_, "digits", nullptr), SOTTO_OK);
  EXPECT_EQ(sotto_remove_examples(device_, "digits", nullptr), SOTTO_NOT_FOUND);
  EXPECT_TRUE(examples_of(device_, nullptr).empty());
}

TEST_F(CInterface, WrongExamplesAreRefused) {
  sotto_example all[] = {picture("a"), picture("b")};
  const auto refused = [&] {
    EXPECT_EQ(sotto_add_examples(device_, all, 2), SOTTO_USAGE);
    EXPECT_TRUE(examples_of(device_, nullptr).empty());
    all[1] = picture("b");
  };
  all[1].name = nullptr;
  refused();
  all[1].collection = nullptr;
  refused();
  all[1].values = nullptr;
  refused();
  all[1].label = 256;
  refused();
  all[1].height = all[1].width = 1u << 20;  // not read
  refused();
  all[0].size = 8;
  refused();
  EXPECT_EQ(sotto_add_examples(device_, nullptr, 1), SOTTO_USAGE);
  EXPECT_EQ(sotto_add_examples(device_, nullptr, 0), SOTTO_OK);
  EXPECT_EQ(sotto_remove_examples(device_, nullptr, "a"), SOTTO_USAGE);
  EXPECT_EQ(sotto_examples(device_, nullptr, nullptr, nullptr), SOTTO_USAGE);
}

// Of a task that the device holds a version of.
TEST_F(CInterface, AModelSaysWhatAnExampleIs) {
  const Task task = read_task(classifier_spec()).value();
  const auto held = std::make_shared<HeldModel>();
  held->encoded = publish(task.model->server(task)->start().shared, v1::PRECISION_F32);
  held->version = blob_hash(held->encoded);
  held->rows = task.model->server(task)->start().shared;
  held->task = classifier_spec().SerializeAsString();
  sotto_example one = picture("");
  one.collection = one.name = nullptr;  // not looked at
  const uint8_t six[] = {1, 2, 3, 4, 5, 6};
  one.values = six;
  one.width = 3;
  std::vector<std::string> classes;
  EXPECT_EQ(sotto_classify(device_, nullptr, &one, collect_item, &classes), SOTTO_NOT_FOUND);
  ASSERT_TRUE(device_->vault->keep_model("small", held).ok());
  ASSERT_EQ(sotto_classify(device_, nullptr, &one, collect_item, &classes), SOTTO_OK)
      << sotto_last_error(device_);
  EXPECT_EQ(classes.size(), 4u);
  const std::vector<float> shares = task.model->classify(task, held->rows, std::span(six));
  EXPECT_EQ(classes.front(), std::to_string(std::ranges::max_element(shares) - shares.begin()));
  EXPECT_EQ(sotto_classify(device_, "small", &one, collect_item, &classes), SOTTO_OK);
  one.width = 2;
  EXPECT_EQ(sotto_classify(device_, "small", &one, collect_item, &classes), SOTTO_USAGE);
  one.size = 0;
  EXPECT_EQ(sotto_classify(device_, "small", &one, collect_item, &classes), SOTTO_USAGE);
  EXPECT_EQ(sotto_classify(device_, "small", nullptr, collect_item, &classes), SOTTO_USAGE);
}

}  // namespace
}  // namespace sotto::device::c_examples_test
