#include "fed/wire/device_fit.h"

#include <gtest/gtest.h>

#include <set>

namespace sotto::fed::device_fit_test {

Task small_fit() {
  v1::TaskSpec spec;
  spec.set_name("small");
  spec.set_model("fpl");
  spec.set_items(20);
  spec.set_triples(8);
  spec.set_factors(3);
  spec.set_learning_rate(0.05f);
  spec.set_init_sd(0.1f);
  spec.set_fixed_bits(20);
  spec.set_seed(7);
  return *read_task(spec);
}

// What is sent in many rounds.
std::set<std::uint32_t> sent_in_all(float history, std::vector<std::uint16_t> ages) {
  const Task task = small_fit();
  const std::vector<ItemIndex> items{{1}, {4}, {9}, {12}, {15}};
  DeviceFit device(task, {7, UserIndex{2}}, items, ConsentTerms{.contexts = {.history = history}},
                   std::move(ages));
  const RowMatrix shared = task.model->server(task)->start().shared;
  Private<RowMatrix> own = device.start();
  std::set<std::uint32_t> sent;
  for (std::uint32_t round = 0; round < 30; ++round) {
    EXPECT_TRUE(device.fit(round, shared, own.on_device()).ok());
    for (const ItemIndex item : device.sent()) sent.insert(item.value);
  }
  return sent;
}

TEST(ADevicesFit, LearnsFromTheNewestShareOfAHistory) {
  const std::vector<std::uint16_t> ages{4, 0, 3, 1, 2};  // from the newest: 4, 12, 15, 9, 1
  EXPECT_EQ(sent_in_all(1.0f, ages), (std::set<std::uint32_t>{1, 4, 9, 12, 15}));
  EXPECT_EQ(sent_in_all(0.4f, ages), (std::set<std::uint32_t>{4, 12}));
  std::set<std::uint32_t> drawn;
  for (const std::uint32_t item : {1u, 4u, 9u, 12u, 15u})
    if (carries(7, {2}, {item}, whole_record, 0.6f)) drawn.insert(item);
  ASSERT_FALSE(drawn.empty());
  EXPECT_EQ(sent_in_all(0.6f, {}), drawn);
}

}  // namespace sotto::fed::device_fit_test
