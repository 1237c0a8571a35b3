#include "model/central/ease.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "model/central/testing/small_worlds.h"
#include "model/central/wide_ease.h"

namespace sotto::model::ease_test {

using Matrix = std::vector<std::vector<double>>;

// B by its definition: the Gram matrix, Gauss-Jordan, the division by the diagonal.
Matrix plain_ease(const Rows& rows, std::size_t items, double lambda) {
  Matrix g(items, std::vector<double>(2 * items, 0.0));
  for (const auto& row : rows)
    for (const std::uint32_t a : row)
      for (const std::uint32_t b : row) g[a][b] += 1.0;
  for (std::size_t n = 0; n < items; ++n) {
    g[n][n] += lambda;
    g[n][items + n] = 1.0;
  }
  for (std::size_t pivot = 0; pivot < items; ++pivot) {
    const double by = g[pivot][pivot];
    for (double& value : g[pivot]) value /= by;
    for (std::size_t r = 0; r < items; ++r) {
      if (r == pivot) continue;
      const double times = g[r][pivot];
      for (std::size_t c = 0; c < 2 * items; ++c) g[r][c] -= times * g[pivot][c];
    }
  }
  Matrix b(items, std::vector<double>(items, 0.0));
  for (std::size_t r = 0; r < items; ++r)
    for (std::size_t c = 0; c < items; ++c)
      if (r != c) b[r][c] = -g[r][items + c] / g[c][items + c];
  return b;
}

std::vector<float> scores_of(const Recommender& model, std::uint32_t user) {
  std::vector<float> out(model.catalogue());
  const UserIndex index{user};
  model.score(std::span(&index, 1), {0, static_cast<std::uint32_t>(out.size())}, out);
  return out;
}

// Keeps a sweep's scores.
class Keeper final : public ScoreSink {
 public:
  Keeper(std::size_t users, std::uint32_t begin, std::size_t items)
      : scores(users, std::vector<float>(items)), begin_(begin), thresholds_(users, 0.25f) {}
  [[nodiscard]] const float* thresholds() const override { return thresholds_.data(); }
  void take(const ScoreTile& tile) override {
    for (std::size_t k = 0; k < tile.users; ++k)
      for (std::size_t n = 0; n < tile.items.size(); ++n) {
        const float score = tile.scores[k * tile_items + n];
        scores[tile.user + k][tile.items.begin - begin_ + n] = score;
        EXPECT_EQ((tile.above[k] >> n & 1) == 1, score > 0.25f);
      }
  }
  std::vector<std::vector<float>> scores;

 private:
  std::uint32_t begin_;
  std::vector<float> thresholds_;
};

void expect_closed_form(std::uint32_t items, float lambda) {
  const Rows rows = planted_rows(40, items, 3, 12);
  const Histories train = histories_of(rows);
  SerialExecutor serial;
  const auto model = Ease::fit(train, items, {.lambda = lambda}, serial).value();
  const auto wide = WideEase::fit(train, items, {.lambda = lambda}, serial).value();
  const Matrix b = plain_ease(rows, items, static_cast<double>(lambda));
  for (std::uint32_t user = 0; user < rows.size(); ++user) {
    const auto scores = scores_of(*model, user), by_people = scores_of(*wide, user);
    for (std::size_t item = 0; item < items; ++item) {
      double expected = 0.0;
      for (const std::uint32_t own : rows[user]) expected += b[own][item];
      ASSERT_NEAR(static_cast<double>(scores[item]), expected, 1e-5);
      ASSERT_NEAR(static_cast<double>(by_people[item]), expected, 1e-5);
    }
  }
  std::vector<float> like(items), like_by_people(items);
  for (std::uint32_t of = 0; of < items; of += 5) {
    ASSERT_TRUE(model->similar(ItemIndex{of}, like).ok());
    ASSERT_TRUE(wide->similar(ItemIndex{of}, like_by_people).ok());
    for (std::size_t item = 0; item < items; ++item) {
      ASSERT_NEAR(static_cast<double>(like[item]), b[of][item], 1e-5) << of << ", " << item;
      ASSERT_NEAR(static_cast<double>(like_by_people[item]), b[of][item], 1e-5);
    }
  }
}

TEST(Ease, IsTheClosedForm) {
  for (const std::uint32_t items : {64u, 90u, 170u})  // one panel, and two and three that end early
    for (const float lambda : {0.5f, 20.0f}) expect_closed_form(items, lambda);
}

TEST(Ease, PairsFromAnywhereGiveTheSameFloats) {
  const Rows rows = planted_rows(300, 150, 4, 20);
  const Histories train = histories_of(rows);
  const Audiences audiences(train, 150);
  SerialExecutor serial;
  BackwardExecutor backward(7);
  const auto direct = Ease::fit(train, 150, {.lambda = 3.0f}, serial).value();
  const auto counted =
      Ease::solve(HistoryPairs(train, audiences, PersonWeight()), train, {.lambda = 3.0f}, backward).value();
  const auto wide = WideEase::fit(train, 150, {.lambda = 3.0f}, serial).value();
  const auto again = WideEase::fit(train, 150, {.lambda = 3.0f}, backward).value();
  for (std::uint32_t user = 0; user < rows.size(); ++user) {
    ASSERT_EQ(scores_of(*direct, user), scores_of(*counted, user));
    ASSERT_EQ(scores_of(*wide, user), scores_of(*again, user));
  }
}

TEST(Ease, EveryWayToAskGivesTheSameScores) {
  const Rows rows = planted_rows(30, 200, 4, 20);
  const Histories train = histories_of(rows);
  SerialExecutor serial;
  const Audiences audiences(train, 200);
  const HistoryPairs pairs(train, audiences, PersonWeight());
  const auto all = Ease::fit(train, 200, {.lambda = 3.0f}, serial).value();
  const auto some = Ease::solve(pairs, train, {.lambda = 3.0f, .most_items = 100}, serial).value();
  const auto wide = WideEase::fit(train, 200, {.lambda = 3.0f}, serial).value();
  std::vector<UserIndex> users;
  for (std::uint32_t user = 0; user < rows.size(); ++user) users.push_back({user});
  const std::vector<const Recommender*> models{all.get(), some.get(), wide.get()};
  for (const Recommender* model : models)
    for (const ItemRange range : {ItemRange{0, 200}, ItemRange{64, 190}, ItemRange{7, 30}}) {
      Keeper keeper(users.size(), range.begin, range.size());
      ASSERT_TRUE(model->sweep(users, range, keeper));
      for (std::uint32_t user = 0; user < rows.size(); ++user) {
        const auto scores = scores_of(*model, user);
        const std::vector<float> part(scores.begin() + range.begin, scores.begin() + range.end);
        ASSERT_EQ(keeper.scores[user], part);
        std::vector<float> folded(200);
        model->score_history(train.of(users[user]), folded);
        for (std::size_t n = 0; n < 200; ++n) ASSERT_NEAR(folded[n], scores[n], 1e-5f);
      }
    }
}

// What a server publishes is the model again, whole panels or not.
TEST(Ease, OfItsPublishedRowsGivesTheSameScores) {
  SerialExecutor here;
  for (const std::uint32_t items : {3u, 64u, 70u}) {
    std::vector<std::vector<std::uint32_t>> rows;
    for (std::uint32_t user = 0; user < 40; ++user) {
      rows.emplace_back();
      for (std::uint32_t item = 0; item < items; ++item)
        if ((user * 7 + item * 5 + user * item) % 3 == 0) rows.back().push_back(item);
    }
    const Histories train = histories_of(rows);
    const auto solved = Ease::fit(train, items, {.lambda = 5.0f}, here).value();
    RowMatrix published(items, items);
    for (std::uint32_t item = 0; item < items; ++item)
      ASSERT_TRUE(solved->similar(ItemIndex{item}, published.values(item)).ok());
    std::vector<std::uint32_t> all(items), some;
    std::iota(all.begin(), all.end(), 0u);
    const auto again = Ease::of_rows(published, all, items, train, 0.0f);
    // Every second item alone, its number in front of its row; the others say nothing and score 0.
    for (std::uint32_t item = 1; item < items; item += 2) some.push_back(item);
    RowMatrix alone(some.size(), some.size() + 1), spread(items, items);
    for (std::size_t row = 0; row < some.size(); ++row)
      for (std::size_t k = 0; k < some.size(); ++k)
        alone.row(row)[1 + k] = spread.row(some[row])[some[k]] = published.row(some[row])[some[k]];
    const auto few = Ease::of_rows(alone, some, items, train, 0.0f);
    const auto zeros = Ease::of_rows(spread, all, items, train, 0.0f);
    for (std::uint32_t user = 0; user < rows.size(); ++user) {
      EXPECT_EQ(scores_of(*again, user), scores_of(*solved, user)) << items << " " << user;
      EXPECT_EQ(scores_of(*few, user), scores_of(*zeros, user)) << items << " " << user;
    }
  }
}

TEST(Ease, LeavesOutTheItemsThatFewestHave) {
  // Items 0 to 5: three, one, three, two, one and three people.
  const Rows rows{{0, 2, 5}, {0, 2, 3, 5}, {0, 1, 2, 3, 4, 5}};
  const Histories train = histories_of(rows);
  const Audiences audiences(train, 6);
  SerialExecutor serial;
  const auto model = Ease::solve(HistoryPairs(train, audiences, PersonWeight()), train,
                                 {.lambda = 2.0f, .most_items = 5}, serial)
                         .value();
  // 1 and 4 are as rare as each other: both go, though five would be allowed.
  ASSERT_EQ(std::vector<std::uint32_t>(model->solved().begin(), model->solved().end()),
            (std::vector<std::uint32_t>{0, 2, 3, 5}));
  const Matrix b = plain_ease({{0, 1, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}, 4, 2.0);
  const auto scores = scores_of(*model, 1);
  EXPECT_EQ(scores[1], 0.0f);
  EXPECT_EQ(scores[4], 0.0f);
  const std::uint32_t places[] = {0, 2, 3, 5};
  for (std::size_t c = 0; c < 4; ++c) {
    double expected = 0.0;
    for (std::size_t r = 0; r < 4; ++r) expected += b[r][c];
    EXPECT_NEAR(static_cast<double>(scores[places[c]]), expected, 1e-6);
  }
}

RC_GTEST_PROP(CountAllPairs, CountsAsOneByOne, ()) {
  const auto users = *rc::gen::inRange<std::size_t>(0, 60);
  const auto items = *rc::gen::inRange<std::uint32_t>(1, 80);
  const Rows rows = random_rows(users, items, *rc::gen::element(5, 60));
  const Histories train = histories_of(rows);
  SerialExecutor serial;
  const Audiences audiences(train, items);
  const SymmetricMatrix gram = count_all_pairs(train, audiences, serial);
  Matrix expected(items, std::vector<double>(items, 0.0));
  for (const auto& row : rows)
    for (const std::uint32_t a : row)
      for (const std::uint32_t b : row) expected[a][b] += 1.0;
  for (std::size_t r = 0; r < items; ++r)
    for (std::size_t c = 0; c <= r; ++c) RC_ASSERT(gram.at(r, c) == expected[r][c]);
}

TEST(Ease, RefusesALambdaThatIsNotAboveZero) {
  const Histories train = histories_of({{0, 1}});
  SerialExecutor serial;
  for (const float lambda : {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    const auto model = Ease::fit(train, 2, {.lambda = lambda}, serial);
    ASSERT_FALSE(model.ok());
    EXPECT_NE(model.error().message.find("lambda"), std::string::npos);
  }
}

}  // namespace sotto::model::ease_test
