#include "lab/study/cells.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/files/files.h"
#include "storage/testing/scratch_folder.h"

namespace sotto::lab {
namespace {

class RatedStudy : public ::testing::Test {
 protected:
  RatedStudy() {
    std::string text;
    for (int user = 0; user < 12; ++user)
      for (int n = 0; n < 20; ++n)
        text += fmt::format("{}\t{}\t{}\t{}\n", user, (user * 3 + n * 7) % 40, 1 + (user + n) % 5,
                            880'000'000 + 50'000 * n + user);
    EXPECT_TRUE(write_file(folder_.file("u.data"), text).ok());
    study_.name = "rated";
    study_.datasets = {{"world", {}, ""}};
    data().paths = {folder_.file("u.data")};
    data().rating_scale = "1:5";
    study_.models.push_back({"Item mean", {}, {}, ""});
    study_.models.front().request.model = "itemmean";
  }
  DataRequest& data() { return study_.datasets.front().data; }
  [[nodiscard]] StudyData load() const { return StudyData::load(study_, {}).value(); }
  [[nodiscard]] std::string key(const StudyData& loaded, std::uint64_t seed = 1) const {
    const TrainRequest request =
        cell_request(study_, study_.datasets.front(), study_.models.front(), {{}, seed, Phase::final})
            .value();
    return cell_key(request, loaded.of(0, Phase::final, seed), Phase::final);
  }

  ScratchFolder folder_;
  Study study_;
};

TEST_F(RatedStudy, models_of_ratings_get_them_on_the_given_scale) {
  const StudyData loaded = load();
  const Split& split = loaded.of(0, Phase::final, 1).split;
  ASSERT_NE(split.records, nullptr);
  EXPECT_EQ(split.records->train.ratings.size(), split.train.interactions());
  EXPECT_EQ(split.records->scale.highest, 5.0f);
  EXPECT_EQ(split.contexts, nullptr);
  SerialExecutor serial;
  const TrainRequest request =
      cell_request(study_, study_.datasets.front(), study_.models.front(), {}).value();
  const auto cell = compute_cell(request, split, Phase::final, serial, nullptr);
  ASSERT_TRUE(cell.ok()) << cell.error().message;
  EXPECT_TRUE(cell->result.metric("MAE").has_value());
  EXPECT_EQ(cell->detail.per_user.column("MAE").size(), 12u);
}

TEST_F(RatedStudy, others_do_not_carry_them) {
  study_.models.front().request.model = "toppop";
  EXPECT_EQ(load().of(0, Phase::final, 1).split.records, nullptr);
}

TEST_F(RatedStudy, other_contexts_or_other_ratings_are_other_results) {
  std::set<std::string> keys{key(load())};
  for (const char* of : {"interval", "daypart"}) {
    data().contexts.of = {of};
    const StudyData loaded = load();
    ASSERT_NE(loaded.of(0, Phase::final, 1).split.contexts, nullptr);
    EXPECT_TRUE(keys.insert(key(loaded)).second) << of;
  }
  data().contexts.of = {};
  data().rating_scale = "0:6";
  EXPECT_TRUE(keys.insert(key(load())).second);
}

TEST_F(RatedStudy, a_drawn_test_part_is_another_with_each_seed) {
  study_.seeds = {1, 2};
  {
    const StudyData loaded = load();
    EXPECT_EQ(loaded.of(0, Phase::final, 1).content, loaded.of(0, Phase::final, 2).content);
  }
  data().split.most_test = 2;
  const StudyData loaded = load();
  EXPECT_NE(loaded.of(0, Phase::final, 1).content, loaded.of(0, Phase::final, 2).content);
  EXPECT_EQ(loaded.of(0, Phase::final, 2).split.test.interactions(), 24u);
}

}  // namespace
}  // namespace sotto::lab
