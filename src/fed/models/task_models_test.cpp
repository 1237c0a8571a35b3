#include "fed/models/task_models.h"

#include <gtest/gtest.h>

#include <set>

#include "fed/models/testing/toy_networks.h"
#include "fed/models/testing/usual_spec.h"
#include "model/server_step.h"

namespace sotto::fed::task_models_test {

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
  auto task = read_task(usual_spec(*GetParam()));
  ASSERT_TRUE(task.ok()) << task.error().message;
  const ToyNetworks toys;
  task->networks = &toys;
  const TaskShape shape = task->shape();
  const RowMatrix shared = task->model->server(*task)->start().shared;
  EXPECT_EQ(shared.rows(), shape.rows);
  EXPECT_EQ(shared.width(), shape.width);
  const Histories history({0, 2}, {ItemIndex{3}, ItemIndex{19}});
  const auto device =
      task->model->device(*task, {}, {history, history, usual_knowledge(20, history.items())});
  ASSERT_TRUE(device->can_answer());
  RowMatrix own = device->start();
  const auto sent = device->contribute(0, shared, own);
  ASSERT_TRUE(sent.ok()) << sent.error().message;
  (*sent)->make_canonical();
  EXPECT_EQ((*sent)->width(), shape.sent.width);
  EXPECT_LE((*sent)->size(), shape.sent.most_rows);
  std::set<std::uint32_t> rows;
  for (std::size_t n = 0; n < (*sent)->size(); ++n) rows.insert((*sent)->row(n));
  for (const std::uint32_t item : {3u, 19u})
    EXPECT_TRUE(task->model->row_of == nullptr || rows.contains(task->model->row_of(ItemIndex{item})));
  EXPECT_LT(*rows.rbegin(), shape.sent.rows);
  EXPECT_TRUE(task->model->server(*task)->check(**sent).ok());
  if (task->model->added == nullptr) {
    EXPECT_EQ(shape.sent.rows, shape.sum_rows);
    EXPECT_EQ(shape.sent.width, shape.sum_width);
    return;
  }
  Contribution added(shape.sum_width);
  task->model->added(*task, **sent, added);
  EXPECT_GT(added.size(), 0u);
  for (std::size_t n = 0; n < added.size(); ++n) EXPECT_LT(added.row(n), shape.sum_rows);
}

INSTANTIATE_TEST_SUITE_P(OfTheList, EachTaskModel, testing::ValuesIn(task_models),
                         [](const auto& each) { return std::string(each.param->name); });

TEST_P(EachTaskModel, RefusesOptionsThatItDoesNotHave) {
  const v1::TaskSpec usual = usual_spec(*GetParam());
  const auto why = [&](auto change) {
    v1::TaskSpec spec = usual;
    change(spec);
    const auto task = read_task(spec);
    return task.ok() ? "" : task.error().message;
  };
  const auto add = [](v1::TaskSpec& spec, const char* key) {
    spec.add_options()->set_key(key);
    spec.mutable_options()->rbegin()->set_whole(1);
  };
  EXPECT_NE(why([&](auto& spec) { add(spec, "colour"); }).find("unknown here: colour"), std::string::npos);
  EXPECT_EQ(why([&](auto& spec) { add(spec, "<b>\n"); }).find("<b>"), std::string::npos);
  if (usual.options().empty()) return;  // its own are fields of the message
  const std::string last = usual.options().rbegin()->key();
  EXPECT_NE(why([&](auto& spec) { spec.mutable_options()->RemoveLast(); }).find(last + " is missing"),
            std::string::npos);
  EXPECT_NE(why([&](auto& spec) { *spec.add_options() = usual.options(0); }), "") << "twice";
  EXPECT_NE(why([&](auto& spec) { spec.mutable_options(0)->set_word("many"); }), "") << "of another kind";
}

// What was trained stays, and what is new is as a model of so many items starts.
TEST_P(EachTaskModel, GrowsByItsItemsWhereRowsAreTheirs) {
  const TaskModel& model = *GetParam();
  const bool by_item = model.take_known == nullptr && !model.trains_network;
  ASSERT_EQ(model.grown != nullptr, by_item) << "a model that cannot grow is refused by name";
  if (!by_item) return;
  for (const std::size_t server : {0u, 1u, 2u}) {  // of fcf: an optimiser's memory grows along
    v1::TaskSpec spec = usual_spec(model);
    for (v1::TaskOption& option : *spec.mutable_options())
      if (option.key() == "server") option.set_word(server_steps.begin()[server]);
    const Task before = *read_task(spec);
    spec.set_items(33);
    const Task after = *read_task(spec);
    ServerState state = model.server(before)->start();
    const auto mark = [](RowMatrix& rows) {
      for (std::size_t row = 0; row < rows.rows(); ++row) rows.row(row)[0] += 1.0f + static_cast<float>(row);
    };
    mark(state.shared);
    mark(state.memory);
    const ServerState fresh = model.server(after)->start(), grown = model.grown(after, state);
    ASSERT_EQ(grown.shared.rows(), after.shape().rows);
    ASSERT_EQ(grown.shared.width(), after.shape().width);
    ASSERT_EQ(grown.memory.rows(), fresh.memory.rows());
    for (std::uint32_t row = 0; row < 33; ++row)
      EXPECT_EQ(grown.shared.row(row)[0], row < 20 ? state.shared.row(row)[0] : fresh.shared.row(row)[0]);
    const std::size_t blocks = grown.memory.rows() / 33;
    for (std::size_t block = 0; block < blocks; ++block)
      for (std::size_t row = 0; row < 33; ++row)
        EXPECT_EQ(grown.memory.row(block * 33 + row)[0],
                  row < 20 ? state.memory.row(block * 20 + row)[0] : 0.0f);
  }
}

// A version has items' rows where it can grow by them, however many rows others have.
TEST_P(EachTaskModel, SaysWhichItemsItsRowsAreOf) {
  const TaskModel& model = *GetParam();
  const Task task = *read_task(usual_spec(model));
  const RowMatrix rows = model.server(task)->start().shared;
  const auto items = items_of_rows(task, rows).value();
  if (model.grown == nullptr) {
    EXPECT_TRUE(items.empty());
    EXPECT_TRUE(items_of_rows(task, RowMatrix(task.items, 3)).value().empty());
    return;
  }
  ASSERT_EQ(items.size(), rows.rows());
  for (std::uint32_t row = 0; row < items.size(); ++row) EXPECT_EQ(items[row], row);
}

TEST(APublishedMatrixOfPopularItems, SaysThemOrIsRefused) {
  const Task task = *read_task(popular_spec(fedease_task, 3));
  RowMatrix rows = fedease_task.server(task)->start().shared;
  EXPECT_TRUE(items_of_rows(task, rows).value().empty()) << "no round has made it";
  const auto set = [&](float a, float b, float c) {
    rows.row(0)[0] = a;
    rows.row(1)[0] = b;
    rows.row(2)[0] = c;
  };
  set(0.0f, 7.0f, 19.0f);
  EXPECT_EQ(items_of_rows(task, rows).value(), (std::vector<std::uint32_t>{0, 7, 19}));
  for (const std::array<float, 3>& wrong :
       {std::array{0.0f, 7.0f, 20.0f}, {7.0f, 0.0f, 19.0f}, {0.0f, 7.0f, 7.0f}, {-1.0f, 7.0f, 19.0f}}) {
    set(wrong[0], wrong[1], wrong[2]);
    EXPECT_FALSE(items_of_rows(task, rows).ok());
  }
}

TEST(TheListOfTaskModels, OffersNothingToAStrangersNonsense) {
  EXPECT_EQ(find_task_model("").error().message.find("did you mean"), std::string::npos);
  const std::string message = find_task_model("<b>\n").error().message;
  EXPECT_EQ(message.find("<b>"), std::string::npos) << message;
  EXPECT_NE(message.find("update this one"), std::string::npos) << message;
}

}  // namespace sotto::fed::task_models_test
