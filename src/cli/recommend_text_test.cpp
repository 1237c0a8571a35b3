#include "cli/recommend_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sotto::cli {
namespace {

// Four films; features 0 to 2: director Ann, subject Dramas, subject War films.
Split films() {
  Split split;
  FeatureList list;
  const char* names[] = {"The Matrix", "Dark City", "Alien", "Heat"};
  for (int item = 0; item < 4; ++item) {
    split.items.intern("film-" + std::to_string(item));
    split.item_names.emplace_back(names[item]);
  }
  split.catalogue = 4;
  const auto add = [&list](const char* item, const char* predicate, const char* object) {
    list.facts.push_back(
        {list.items.intern(item), list.intern_predicate(predicate), list.objects.intern(object)});
  };
  add("film-0", "director", "Ann");
  add("film-0", "subject", "Dramas");
  add("film-1", "subject", "War_films");
  list.settle();
  split.features = std::make_shared<ItemFeatures>(list, split.items, FeatureFilter{.min_items = 1});
  return split;
}

// A model of three numbers: how much each feature counts for everybody.
class Weighing final : public Recommender, public Explainer {
 public:
  explicit Weighing(const Split& split) : features_(*split.features), catalogue_(split.catalogue) {}
  [[nodiscard]] std::size_t catalogue() const override { return catalogue_; }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override {
    for (std::size_t n = 0; n < out.size(); ++n) {
      out[n] = 0.0f;
      const ItemIndex item{items.begin + static_cast<std::uint32_t>(n % items.size())};
      for (const Reason& reason : reasons(users.front(), item)) out[n] += reason.part;
    }
  }
  void score_history(std::span<const ItemIndex> /*history*/, std::span<float> out) const override {
    const UserIndex nobody{};
    score(std::span(&nobody, 1), {0, static_cast<std::uint32_t>(catalogue_)}, out);
  }
  [[nodiscard]] Status similar(ItemIndex /*item*/, std::span<float> /*out*/) const override { return Done{}; }
  [[nodiscard]] std::vector<Reason> reasons(UserIndex /*user*/, ItemIndex item) const override {
    std::vector<Reason> found;
    for (const FeatureIndex feature : features_.of(item))
      if (std::ranges::find(vetoed_, feature) == vetoed_.end())
        found.push_back({feature, 3.0f - static_cast<float>(feature.value), 0.5f});
    return found;
  }
  [[nodiscard]] std::vector<std::vector<Reason>> reasons_for_history(
      std::span<const ItemIndex> /*history*/, std::span<const ItemIndex> items) const override {
    std::vector<std::vector<Reason>> all;
    for (const ItemIndex item : items) all.push_back(reasons({}, item));
    return all;
  }
  void veto(std::vector<FeatureIndex> features) override { vetoed_ = std::move(features); }

 private:
  const ItemFeatures& features_;
  std::size_t catalogue_;
  std::vector<FeatureIndex> vetoed_;
};

const std::vector<Reason> three{{{1}, 0.83f, 0.5f}, {{0}, 0.41f, 0.2f}, {{2}, -0.1f, 0.3f}};

TEST(Reasons, AreToldInWordsWithWhatTheOthersAddUpTo) {
  const Split split = films();
  EXPECT_EQ(reasons_in_words(told(three, 3), *split.features),
            "because you care about subject Dramas (0.83), director Ann (0.41), against subject War films "
            "(-0.10)");
  EXPECT_EQ(reasons_in_words(told(three, 1), *split.features),
            "because you care about subject Dramas (0.83), and 2 more features (0.31)");
  EXPECT_EQ(reasons_in_words(told(three, 2), *split.features),
            "because you care about subject Dramas (0.83), director Ann (0.41), and 1 more feature (-0.10)");
  EXPECT_EQ(reasons_in_words(told({{{0}, 0.5f, 0.1f}, {{1}, -0.001f, 0.1f}}, 1), *split.features),
            "because you care about director Ann (0.50), and 1 more feature (0.00)");
  EXPECT_EQ(reasons_in_words(told({}, 3), *split.features), "no feature of it is among those you care about");
  EXPECT_EQ(reasons_in_words(told({{{0}, 0.5f, 0.0f}}, 3), *split.features),
            "because others care about director Ann (0.50)");
}

TEST(Reasons, ToldAndOthersAddUp) {
  for (std::size_t most = 0; most < 5; ++most) {
    const ToldReasons reasons = told(three, most);
    float sum = reasons.others_part;
    for (const Reason& reason : reasons.told) sum += reason.part;
    EXPECT_NEAR(sum, 1.14f, 1e-6f);
    EXPECT_EQ(reasons.told.size() + reasons.others, 3u);
  }
}

TEST(RankChanges, NameWhatMovedCameAndWent) {
  const Split split = films();
  const TopList before{"", {{{0}, 3.0f}, {{1}, 2.0f}, {{2}, 1.0f}}};
  TopList after{"", {{{1}, 2.0f}, {{3}, 1.5f}, {{2}, 1.0f}}};
  compare_with(before, after);
  EXPECT_EQ(after.before, (std::vector<std::uint32_t>{2, 0, 3}));
  EXPECT_EQ(after.changes, (std::vector<RankChange>{{{1}, 2, 1}, {{3}, 0, 2}, {{0}, 1, 0}}));
  EXPECT_EQ(changes_in_words(after.changes, split),
            "Dark City 2 → 1; Heat new at 2; The Matrix gone (was 1)");
  TopList same = before;
  compare_with(before, same);
  EXPECT_TRUE(same.changes.empty());
  EXPECT_NE(lists_text({same}, split, Console()).find("the same items in the same order"), std::string::npos);
}

TEST(ExplainedLists, AsTextTsvAndJson) {
  const Split split = films();
  TopList list{"ann", {{{0}, 1.14f}}};
  list.reasons.push_back(told(three, 2));
  compare_with({"ann", {}}, list);
  EXPECT_EQ(
      lists_text({list}, split, Console()),
      "For ann\n  1. The Matrix  (1.14)\n     because you care about subject Dramas (0.83), director Ann "
      "(0.41), and 1 more feature (-0.10)\n  Changed by the veto: The Matrix new at 1\n");
  EXPECT_EQ(
      lists_tsv({list}, split),
      "user\trank\titem\tscore\tname\tbecause\tbefore\nann\t1\tfilm-0\t1.14\tThe Matrix\tsubject Dramas "
      "(0.83); director Ann (0.41); 1 more (-0.10)\tnew\n");
  const nlohmann::json item = lists_json({list}, split)[0]["items"][0];
  ASSERT_EQ(item["because"].size(), 2u);
  EXPECT_EQ(item["because"][0]["feature"], "subject Dramas");
  EXPECT_EQ(item["because"][0]["predicate"], "subject");
  EXPECT_EQ(item["because"][0]["object"], "Dramas");
  EXPECT_FLOAT_EQ(item["because"][0]["part"], 0.83f);
  EXPECT_FLOAT_EQ(item["because"][0]["weight"], 0.5f);
  EXPECT_EQ(item["others"]["features"], 1);
  EXPECT_TRUE(item["before"].is_null());
  // Nobody asked: nothing of it.
  const nlohmann::json plain = lists_json({{"ann", {{{0}, 1.14f}}}}, split)[0];
  EXPECT_FALSE(plain["items"][0].contains("because") || plain.contains("changes"));
}

TEST(Vetoes, AreFoundByFeatureAndByPredicate) {
  const Split split = films();
  const auto find = [&](const std::vector<std::string>& names, const std::vector<std::string>& predicates) {
    return find_vetoed(*split.features, names, predicates);
  };
  EXPECT_EQ(find({"subject War films", "director Ann"}, {}).value(), (std::vector<FeatureIndex>{{0}, {2}}));
  EXPECT_EQ(find({"subject Dramas"}, {"subject"}).value(), (std::vector<FeatureIndex>{{1}, {2}}));
  EXPECT_EQ(find({"subject Drama"}, {}).error().message,
            "--veto: the run has no feature 'subject Drama'; did you mean 'subject Dramas'?");
  EXPECT_EQ(find({}, {"subjects"}).error().message,
            "--veto-predicate: the run has no predicate 'subjects'; did you mean 'subject'?");
}

TEST(Explainers, AreThoseThatCanSayWhy) {
  LoadedRun run;
  run.split = std::make_unique<Split>(films());
  run.model = std::make_unique<Weighing>(*run.split);
  const auto explainer = explainer_of(run);
  ASSERT_TRUE(explainer.ok());
  const UserIndex user{};
  const auto first = [&] { return recommend(*run.model, user, {}, 1).front(); };
  EXPECT_EQ(first(), (ScoredItem{{0}, 5.0f}));
  (*explainer)->veto({{0}, {1}});
  EXPECT_EQ(first(), (ScoredItem{{1}, 1.0f}));
  run.split->features = nullptr;
  const auto without = explainer_of(run);
  ASSERT_FALSE(without.ok());
  EXPECT_EQ(without.error().code, Code::usage);
  EXPECT_NE(without.error().message.find("FPL, cannot give reasons"), std::string::npos);
  EXPECT_NE(without.error().message.find("kgflex, kgflex-central, vsm, kahfm"), std::string::npos);
}

}  // namespace
}  // namespace sotto::cli
