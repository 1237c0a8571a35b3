#include "fed/models/part_total.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fed/models/task_models.h"
#include "fed/models/testing/usual_spec.h"
#include "fed/secure/sum_messages.h"
#include "fed/wire/device_fit.h"

namespace sotto::fed::part_total_test {
namespace {

TaskShape shape_of(bool counts, std::int32_t limit = 3) {
  return {.sum_rows = 2, .sum_width = 4, .sent = {}, .limit = limit, .counts = counts};
}

RC_GTEST_PROP(APartsTotal, ComesAsItWasSent, ()) {
  PartTotal total{.devices = *rc::gen::inRange(1u, 1'000u), .numbers = {}};
  for (int n = 0; n < 8; ++n)
    total.numbers.push_back(
        *rc::gen::inRange(-3 * std::int64_t{total.devices}, 3 * std::int64_t{total.devices} + 1));
  const auto read = read_total(encode_total(total), shape_of(false));
  RC_ASSERT(read.ok());
  RC_ASSERT(read->devices == total.devices && read->numbers == total.numbers);
}

// Whatever so many devices add up can be told; one number more or less than they can add up is refused.
RC_GTEST_PROP(APartsTotal, IsWhatDevicesCanAddUp, ()) {
  const bool counts = *rc::gen::arbitrary<bool>();
  const TaskShape part = shape_of(counts);
  const auto devices = *rc::gen::inRange(1u, 6u);
  std::vector<std::int64_t> sum(8, 0);
  for (std::uint32_t one = 0; one < devices; ++one)
    for (std::int64_t& number : sum) number += *rc::gen::inRange(counts ? 0 : -3, 4);
  const auto told = told_of(part, devices, sum);
  RC_ASSERT(told.ok() && told->devices == devices && told->numbers == sum && check_told(part, *told).ok());
  const auto at = *rc::gen::inRange<std::size_t>(0, 8);
  for (const std::int64_t lie :
       {3 * std::int64_t{devices} + 1, (counts ? 0 : -3 * std::int64_t{devices}) - 1}) {
    sum[at] = lie;
    RC_ASSERT(!told_of(part, devices, sum).ok());
    RC_ASSERT(!check_told(part, {devices, sum}).ok());
  }
}

// Where members need no more they are told which numbers are the largest, and none of them.
TEST(APartsTotal, NamesTheLargestAlone) {
  TaskShape part = shape_of(true);
  part.largest = {.most = 3, .among = 6};
  const auto told = told_of(part, 4, {2, 0, 2, 1, 7, 2, 9, 9});
  ASSERT_TRUE(told.ok());
  EXPECT_EQ(told->numbers, (std::vector<std::int64_t>{0, 2, 4})) << "of equal ones the first";
  EXPECT_FALSE(told_of(part, 4, {2, 0, 2, 1, 13, 2, 0, 0}).ok()) << "more than four add up";
  EXPECT_TRUE(check_told(part, {4, {0, 2, 4}}).ok());
  for (const std::vector<std::int64_t>& lie : {std::vector<std::int64_t>{0, 2},
                                               {0, 2, 4, 5},
                                               {0, 4, 2},
                                               {0, 2, 2},
                                               {-1, 2, 4},
                                               {0, 2, 6},
                                               {0, 2, INT64_MAX}})
    EXPECT_FALSE(check_told(part, {4, lie}).ok());
  EXPECT_FALSE(check_told(part, {0, {0, 2, 4}}).ok()) << "of nobody";
}

TEST(APartOfARound, OfPopularItemsIsInTheMessageWhereItIsAskedForAlone) {
  for (const TaskModel* model : {&fedease_task, &feditemknn_task, &fedrp3beta_task}) {
    const Task usual = *read_task(usual_spec(*model));
    EXPECT_EQ(usual.parts(), 1u);
    const v1::TaskSpec written = usual_spec(*model);
    for (const v1::TaskOption& option : written.options()) EXPECT_NE(option.key(), "pair_items");
    const auto popular = read_task(popular_spec(*model, 5));
    ASSERT_TRUE(popular.ok()) << popular.error().message;
    EXPECT_EQ(popular->parts(), 2u);
    EXPECT_EQ(popular->part().sum_numbers(), 32u);
    EXPECT_EQ(popular->shape().sent.rows, 5u);
  }
  v1::TaskSpec large = popular_spec(feditemknn_task, 5);
  large.set_items(1u << 18);
  EXPECT_NE(read_task(large).error().message.find("told in"), std::string::npos);
  v1::TaskSpec rough = popular_spec(fedease_task, 5);
  rough.set_down(v1::PRECISION_I8);
  EXPECT_FALSE(read_task(rough).ok()) << "numbers of items in eight bits";
}

TEST(APartOfARound, BindsTheNextSumToWhatWasHeard) {
  v1::TaskSpec spec = popular_spec(fedease_task, 5);
  Task task = *read_task(spec);
  const std::vector<PublicKey> directory{PublicKey{1}, PublicKey{2}};
  const Bytes32 first = part_beacon(task, 7, directory);
  task.totals.push_back({2, {0, 1, 2, 3, 4}});
  const Bytes32 second = part_beacon(task, 7, directory);
  EXPECT_NE(first, second);
  task.totals[0].numbers[4] = 5;
  EXPECT_NE(part_beacon(task, 7, directory), second);
  // Whoever was told other names for the items has another task.
  spec.mutable_catalogue()->set_hash(std::string(32, 'a'));
  EXPECT_NE(part_beacon(*read_task(spec), 7, directory), first);
  const Task whole = *read_task(usual_spec(fedease_task));
  EXPECT_EQ(part_beacon(whole, 7, directory), sum_beacon(7, directory)) << "as it was for rounds of one";
}

// Those who are in one secure sum and not in the next are as many as the crowd, beside all that may be
// corrupt; or none.
TEST(APartOfARound, HidesWhoLeavesBetween) {
  Task task = *read_task(popular_spec(fedease_task, 5));
  task.assumed = {.corrupt = 0.05, .crowd = 10};
  EXPECT_FALSE(shows_few(task, 100, 99)) << "there was no sum before";
  task.totals.push_back({100, {0, 1, 2, 3, 4}});
  EXPECT_FALSE(shows_few(task, 100, 100));
  for (std::uint32_t left = 1; left < 40; ++left)
    EXPECT_EQ(shows_few(task, 100, 100 - left), left < 15) << left;
}

std::unique_ptr<DeviceFit> a_device(const Task& task, std::vector<ItemIndex> own,
                                    const ConsentTerms& terms = {}) {
  return std::make_unique<DeviceFit>(task, DeviceStreams{task.plan.seed, UserIndex{0}}, std::move(own),
                                     terms);
}

TEST(APartOfARound, IsMadeFromWhatWasHeard) {
  const Task task = *read_task(popular_spec(fedease_task, 5));
  ConsentTerms terms;
  terms.rules.assign(20, ItemRule::none);
  terms.rules[4] = ItemRule::never;
  const auto device = a_device(task, {ItemIndex{1}, ItemIndex{4}, ItemIndex{9}, ItemIndex{17}}, terms);
  RowMatrix own = device->start().on_device();
  const Contribution counts = **device->fit(0, RowMatrix(), own);
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts.values(0)[1], 1);
  EXPECT_EQ(counts.values(0)[4], 0) << "a rule keeps it back";
  EXPECT_EQ(counts.values(1)[1], 1);
  EXPECT_EQ(device->sent(), (std::vector<ItemIndex>{ItemIndex{1}, ItemIndex{9}, ItemIndex{17}}));
  ASSERT_TRUE(device->hear({3, {0, 1, 9, 11, 12}}).ok());
  const Contribution set = **device->fit(0, RowMatrix(), own);
  ASSERT_EQ(set.size(), 2u);
  EXPECT_EQ(set.row(0), 1u);
  EXPECT_EQ(set.row(1), 2u);
  EXPECT_EQ(device->sent(), (std::vector<ItemIndex>{ItemIndex{1}, ItemIndex{9}}));
}

// A model of popular items names them; nothing that a server sends is believed.
TEST(APartOfARound, ModelsOfPopularItemsNameThem) {
  const Task task = *read_task(popular_spec(fedease_task, 5));
  RowMatrix rows(5, 6);
  const float kept[] = {0, 3, 9, 11, 12};
  for (std::size_t n = 0; n < 5; ++n) {
    rows.row(n)[0] = kept[n];
    for (std::size_t k = 0; k < 5; ++k) rows.row(n)[1 + k] = n == k ? 0.0f : static_cast<float>(10 * n + k);
  }
  const Histories history({0, 3}, {ItemIndex{3}, ItemIndex{4}, ItemIndex{11}});
  const auto answers = task.model->answers({task, rows, history, nullptr});
  ASSERT_TRUE(answers.ok()) << answers.error().message;
  std::vector<float> scores(20), wanted(20, 0.0f);
  (*answers)->score(scores);
  for (std::size_t k = 0; k < 5; ++k)
    wanted[static_cast<std::size_t>(kept[k])] = rows.row(1)[1 + k] + rows.row(3)[1 + k];
  EXPECT_EQ(scores, wanted);
  for (const float named : {20.0f, -1.0f, 3.0f, 2.0f, NAN, INFINITY}) {
    RowMatrix lie = rows;
    lie.row(2)[0] = named;
    EXPECT_FALSE(task.model->answers({task, lie, history, nullptr}).ok()) << named;
  }
}

}  // namespace
}  // namespace sotto::fed::part_total_test
