#include "fed/models/task_models.h"

#include <gtest/gtest.h>

#include <set>

namespace sotto::fed::task_models_test {

// A configuration in which nothing stands; it notes what was asked for.
struct NothingWritten final : TaskOptions {
  void whole(const char* key, std::uint32_t&) override { asked.insert(key); }
  void real(const char* key, float&) override { asked.insert(key); }
  void choice(const char* key, std::initializer_list<const char*>, std::size_t&) override {
    asked.insert(key);
  }
  std::set<std::string> asked;
};

v1::TaskSpec usual_spec(const TaskModel& model) {
  v1::TaskSpec spec;
  spec.set_name("usual");
  spec.set_model(model.name);
  spec.set_items(20);
  spec.set_fixed_bits(20);
  NothingWritten nothing;
  model.configure(nothing, spec);
  EXPECT_TRUE(nothing.asked.contains("factors")) << model.name;
  return spec;
}

class EachTaskModel : public testing::TestWithParam<const TaskModel*> {};

TEST_P(EachTaskModel, IsFoundByItsNameAlone) {
  const std::string name = GetParam()->name;
  EXPECT_TRUE(is_plain_name(name));
  ASSERT_TRUE(find_task_model(name).ok());
  EXPECT_EQ(*find_task_model(name), GetParam());
  const auto near = find_task_model(name + "x");
  ASSERT_FALSE(near.ok());
  EXPECT_NE(near.error().message.find("did you mean '" + name + "'?"), std::string::npos)
      << near.error().message;
}

TEST_P(EachTaskModel, CanBeTrainedAsItUsuallyIs) {
  const auto task = read_task(usual_spec(*GetParam()));
  ASSERT_TRUE(task.ok()) << task.error().message;
  const TaskShape shape = task->shape();
  const RowMatrix shared = task->model->server(*task)->start_shared();
  EXPECT_EQ(shared.rows(), shape.rows);
  EXPECT_EQ(shared.width(), shape.width);
  const Histories history({0, 2}, {ItemIndex{3}, ItemIndex{19}});
  const auto device = task->model->device(*task, {}, {history, history});
  ASSERT_TRUE(device->can_answer());
  RowMatrix own = device->start();
  EXPECT_EQ(own.width(), shape.width);
  const auto sent = device->contribute(0, shared, own);
  ASSERT_TRUE(sent.ok()) << sent.error().message;
  (*sent)->make_canonical();
  EXPECT_EQ((*sent)->width(), shape.sum_width);
  EXPECT_LE((*sent)->size(), shape.most_rows);
  std::set<std::uint32_t> rows;
  for (std::size_t n = 0; n < (*sent)->size(); ++n) rows.insert((*sent)->row(n));
  EXPECT_TRUE(rows.contains(task->model->row_of(ItemIndex{3})));
  EXPECT_TRUE(rows.contains(task->model->row_of(ItemIndex{19})));
  EXPECT_LT(*rows.rbegin(), shape.sum_rows);
  EXPECT_TRUE(task->model->server(*task)->check(**sent).ok());
}

INSTANTIATE_TEST_SUITE_P(OfTheList, EachTaskModel, testing::ValuesIn(task_models),
                         [](const auto& each) { return std::string(each.param->name); });

TEST(TheListOfTaskModels, OffersNothingToAStrangersNonsense) {
  EXPECT_EQ(find_task_model("").error().message.find("did you mean"), std::string::npos);
  const std::string message = find_task_model("<b>\n").error().message;
  EXPECT_EQ(message.find("<b>"), std::string::npos) << message;
  EXPECT_NE(message.find("update this one"), std::string::npos) << message;
}

}  // namespace sotto::fed::task_models_test
