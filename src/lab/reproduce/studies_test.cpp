#include "lab/reproduce/studies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "lab/reproduce/reproduce.h"
#include "storage/testing/scratch_folder.h"

namespace sotto::lab {
namespace {

namespace fs = std::filesystem;

PaperData some_data(std::string_view name) {
  PaperData data;
  data.name = data.shown = std::string(name);
  data.there = true;
  data.data.paths = {"somewhere"};
  data.data.kg.paths = {"knowledge"};
  return data;
}

// The π values a study trains a model with.
std::vector<std::string> pis_of(const Study& study, std::string_view model) {
  for (const StudyModel& one : study.models)
    if (one.label == model)
      for (const Axis& axis : one.grid)
        if (axis.key == "consent.pi") return axis.values;
  return {};
}

TEST(PaperStudies, those_of_every_target_pass_their_check) {
  for (const Target& target : targets()) {
    if (target.kind == TargetKind::datasets || target.paper->is("averaging")) continue;
    std::set<std::string> names;
    for (const Effort effort : {Effort::quick, Effort::full})
      for (const std::string_view dataset : target.datasets) {
        const auto studies = first_studies(target, some_data(dataset), effort);
        ASSERT_TRUE(studies.ok()) << target.name << ": " << studies.error().message;
        ASSERT_FALSE(studies->empty()) << target.name;
        for (const PlannedStudy& planned : *studies) {
          const Status checked = check(planned.study);
          EXPECT_TRUE(checked.ok()) << planned.study.name << ": " << checked.error().message;
          EXPECT_TRUE(names.insert(planned.study.name).second) << planned.study.name;
          EXPECT_GT(planned.core_seconds, 0.0) << planned.study.name;
        }
      }
  }
}

TEST(PaperStudies, every_model_of_a_target_is_trained) {
  for (const Target& target : targets()) {
    if (target.kind == TargetKind::datasets || target.paper->is("averaging")) continue;
    for (const Effort effort : {Effort::quick, Effort::full}) {
      std::set<std::string> trained;
      const auto studies = first_studies(target, some_data(target.datasets.front()), effort);
      ASSERT_TRUE(studies.ok()) << studies.error().message;
      for (const PlannedStudy& planned : *studies)
        for (const StudyModel& model : planned.study.models) trained.insert(model.label);
      // Where devices count by criteria, a model's label goes on with them.
      const bool goes_on = target.kind == TargetKind::criteria;
      for (const std::string_view model : target.models)
        EXPECT_TRUE(std::ranges::any_of(
            trained,
            [&](const std::string& label) { return goes_on ? label.starts_with(model) : label == model; }))
            << target.name << " " << model;
      EXPECT_EQ(trained.contains("fedEASE"), !target.extras.empty()) << target.name;
    }
  }
}

TEST(PaperStudies, quick_takes_the_chosen_pi_and_a_few_more) {
  const Target table = *find_target("thesis-4.2");
  const auto studies = *first_studies(table, some_data("Amazon DM"), Effort::quick);
  ASSERT_EQ(studies.size(), 2u);
  EXPECT_EQ(studies[0].study.seeds.size(), 1u);
  EXPECT_EQ(studies[1].study.seeds.size(), 3u);
  EXPECT_EQ(pis_of(studies[0].study, "sFPL+"), (std::vector<std::string>{"0.1", "0.5", "1.0"}));
  EXPECT_EQ(pis_of(studies[1].study, "sFPL+"), (std::vector<std::string>{"0.5"}));
  const auto with_zero = *first_studies(*find_target("fig-4.4"), some_data("Amazon DM"), Effort::quick);
  EXPECT_EQ(pis_of(with_zero[0].study, "sFPL").front(), "0.0");
}

TEST(PaperStudies, full_runs_all_pi_with_what_the_search_chose) {
  const Target table = *find_target("4.2");
  TrainRequest chosen;
  chosen.plan.fpl.factors = 17;
  const auto studies = *pi_studies(table, some_data("Amazon DM"), {{"sFPL", chosen}, {"BPR-MF", chosen}});
  ASSERT_EQ(studies.size(), 1u);
  ASSERT_EQ(studies[0].study.models.size(), 1u);  // π means nothing to BPR-MF
  EXPECT_EQ(studies[0].study.models[0].request.plan.fpl.factors, 17u);
  EXPECT_EQ(pis_of(studies[0].study, "sFPL").size(), 11u);
  EXPECT_EQ(studies[0].study.seeds.size(), 3u);
}

TEST(PaperStudies, the_protocol_is_the_papers) {
  const Paper& paper = *find_target("4.2")->paper;
  for (const std::string& model : paper.over_pi)
    for (const char* dataset : {"Amazon DM", "MovieLens 1M", "Italy", "Brazil"}) {
      const auto request = request_of(paper, quick_plan(paper, dataset, model));
      ASSERT_TRUE(request.ok()) << request.error().message;
      EXPECT_EQ(request->plan.rounds_per_epoch, RoundsPerEpoch::exchanges);
      EXPECT_EQ(request->plan.consent.mask, MaskKind::redraw);
      EXPECT_EQ(variant_of(request->plan).size(), model.size());
      EXPECT_EQ(request->cutoffs, std::vector<std::uint32_t>{10});
    }
}

TEST(PaperStudies, chapter_6_judges_lists_of_one_and_ten) {
  const Target table = *find_target("6.1");
  for (const std::string& model : table.models)
    for (const std::string& dataset : table.datasets) {
      const auto request = request_of(*table.paper, quick_plan(*table.paper, dataset, model));
      ASSERT_TRUE(request.ok()) << request.error().message;
      EXPECT_EQ(request->cutoffs, (std::vector<std::uint32_t>{1, 10})) << model;
    }
  // Chapter 4's plans stay what they were, also where labels are the same.
  const Paper& fpl = *find_target("4.2")->paper;
  EXPECT_EQ(request_of(fpl, quick_plan(fpl, "MovieLens 1M", "BPR-MF"))->cutoffs,
            std::vector<std::uint32_t>{10});
}

TEST(PaperStudies, hops_that_are_not_here_are_not_trained) {
  const Target figure = *find_target("fig-6.3");
  PaperData data = some_data("MovieLens 1M, ratings from 3");
  data.hops = 1;
  for (const std::string_view model : trained_models(figure, data))
    EXPECT_TRUE(model.starts_with("none") || model.starts_with("1 hop")) << model;
  EXPECT_EQ(trained_models(figure, data).size(), 6u);
  data.hops = 2;
  EXPECT_EQ(trained_models(figure, data).size(), figure.models.size());
}

TEST(PaperStudies, quick_takes_few_datasets_unless_told) {
  const Target table = *find_target("6.1");
  const std::vector<PaperData> all{some_data("Facebook Books"), some_data("Yahoo! Movies"),
                                   some_data("MovieLens 1M, ratings from 3")};
  const auto names = [&](const std::vector<std::string>& only, Effort effort) {
    std::vector<std::string> got;
    const auto worked_on = data_worked_on(table, all, only, effort);
    for (const PaperData& one : worked_on.value()) got.push_back(one.name);
    return got;
  };
  EXPECT_EQ(names({}, Effort::quick), std::vector<std::string>{"Facebook Books"});
  EXPECT_EQ(names({}, Effort::full).size(), 3u);
  EXPECT_EQ(names({"yahoo-movies"}, Effort::quick), std::vector<std::string>{"Yahoo! Movies"});
  EXPECT_EQ(names({"Yahoo! Movies", "Facebook Books"}, Effort::full).size(), 2u);
  const auto wrong = data_worked_on(table, all, {"italy"}, Effort::quick);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, Code::usage);
  EXPECT_NE(wrong.error().message.find("facebook-books"), std::string::npos) << wrong.error().message;
  std::vector<PaperData> absent = all;
  absent[0].there = false;
  EXPECT_EQ(data_worked_on(table, absent, {}, Effort::quick)->size(), 3u);  // what is there
  EXPECT_FALSE(data_worked_on(table, absent, {"facebook-books"}, Effort::quick).ok());
}

TEST(PaperStudies, the_whole_of_full_ends_within_three_hours_on_two_cores) {
  const Target table = *find_target("thesis-4.2");
  const std::vector<PaperData> data{some_data("Amazon DM"), some_data("MovieLens 1M"), some_data("Italy")};
  EXPECT_LT(*estimated_core_seconds(table, data, Effort::full), 2 * 3 * 3600.0);
  EXPECT_LT(*estimated_core_seconds(table, data, Effort::quick), 2 * 15 * 60.0);
}

void touch(const fs::path& path) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << "1\t1\t1\n";
}

TEST(PaperDataFolder, is_found_by_its_layout) {
  const ScratchFolder scratch;
  const fs::path root = scratch.file("data");
  touch(root / "amazon-digital-music" / "AmazonDigitalMusic.tsv.zst");
  touch(root / "movielens-1m" / "ratings_ranked.tsv.zst");
  touch(root / "foursquare-italy" / "Rome.tsv");
  touch(root / "foursquare-italy" / "category_top_level.tsv");
  touch(root / "gowalla-lightgcn" / "train.txt");
  const DataFolder folder{root, false};
  EXPECT_TRUE(find_data("Amazon DM", folder)->there);
  EXPECT_EQ(find_data("MovieLens 1M", folder)->data.paths.front(),
            (root / "movielens-1m" / "ratings_ranked.tsv.zst").string());
  EXPECT_EQ(find_data("Italy", folder)->data.filter.min_user, 20u);
  EXPECT_FALSE(find_data("Italy", folder)->categories.empty());
  const PaperData missing = *find_data("LibraryThing", folder);
  EXPECT_FALSE(missing.there);
  EXPECT_NE(missing.remedy.find("librarything"), std::string::npos);
}

TEST(PaperDataFolder, knowledge_comes_with_its_ratings_or_not_at_all) {
  const ScratchFolder scratch;
  const fs::path root = scratch.file("data");
  touch(root / "kg-facebook-books" / "kgflex_dataset.tsv.zst");
  touch(root / "kg-facebook-books" / "kgflex_item_features.tsv");
  EXPECT_FALSE(find_data("Facebook Books", {root, false})->there);
  touch(root / "kg-facebook-books" / "kgflex_predicates.tsv");
  const PaperData books = *find_data("Facebook Books", {root, false});
  ASSERT_TRUE(books.there);
  EXPECT_EQ(books.data.filter.core, 5u);
  EXPECT_EQ(books.data.kg.min_items, 11u);
  EXPECT_EQ(books.hops, 2u);
  EXPECT_TRUE(books.caveat.empty());
  EXPECT_TRUE(std::holds_alternative<RandomHoldout>(books.data.split.rule));
  touch(root / "kg-yahoo-movies" / "kgflex_dataset.tsv");
  touch(root / "kg-yahoo-movies" / "dbpedia_linking.tsv");
  EXPECT_FALSE(find_data("Yahoo! Movies, features by name", {root, false})->there);
  touch(root / "kg-movielens-1m" / "dbpedia_1hop_11_predicates.tsv.zst");
  const PaperData films = *find_data("Yahoo! Movies, features by name", {root, false});
  EXPECT_FALSE(find_data("Yahoo! Movies", {root, false})->there);
  ASSERT_TRUE(films.there);
  EXPECT_EQ(films.data.filter.min_rating, 3.0f);
  EXPECT_NE(films.caveat.find("depth 1"), std::string::npos);
  EXPECT_EQ(find_data("MovieLens 1M, ratings from 3", {root, false})->shown, "MovieLens 1M");
}

TEST(PaperDataFolder, proxies_stand_in_only_when_asked_and_whole) {
  const ScratchFolder scratch;
  const fs::path root = scratch.file("data");
  touch(root / "gowalla-lightgcn" / "train.txt");
  touch(root / "gowalla-lightgcn" / "valid.txt");
  EXPECT_FALSE(find_data("Brazil", {root, true})->there);  // no test part
  touch(root / "gowalla-lightgcn" / "test.txt");
  const PaperData refused = *find_data("Brazil", {root, false});
  EXPECT_FALSE(refused.there);
  EXPECT_NE(refused.remedy.find("--proxies"), std::string::npos);
  const PaperData found = *find_data("Brazil", {root, true});
  EXPECT_TRUE(found.there && found.proxy);
  EXPECT_EQ(found.data.test.size(), 1u);
  EXPECT_EQ(found.data.paths.size(), 2u);
  EXPECT_NE(found.shown.find("proxy"), std::string::npos);
  touch(root / "foursquare-brazil" / "checkins.tsv");  // the real thing wins
  EXPECT_FALSE(find_data("Brazil", {root, true})->proxy);
}

TEST(PaperDataFolder, without_any_data_the_error_names_what_to_fetch) {
  const ScratchFolder scratch;
  const auto data = data_for_target(*find_target("thesis-4.2"), {scratch.file("nothing"), false});
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().code, Code::not_found);
  for (const char* name : {"movielens-1m", "amazon-digital-music", "foursquare-italy", "--data"})
    EXPECT_NE(data.error().message.find(name), std::string::npos) << name;
}

TEST(PaperDataFolder, another_set_is_used_where_the_papers_own_is_missing) {
  const ScratchFolder scratch;
  const fs::path root = scratch.file("data");
  touch(root / "foursquare-italy" / "Rome.tsv");
  const auto data = *data_for_target(*find_target("thesis-4.4"), {root, false});
  ASSERT_EQ(data.size(), 2u);
  EXPECT_FALSE(data[0].there);
  EXPECT_EQ(data[1].name, "Italy");
}

TEST(Targets, have_short_names_and_refuse_others) {
  EXPECT_EQ(find_target("4.3")->name, "thesis-4.3");
  EXPECT_EQ(find_target("fig-4.6")->name, "fig-4.6");
  const auto wrong = find_target("thesis-4.7");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, Code::usage);
  EXPECT_NE(wrong.error().message.find("thesis-4.2"), std::string::npos);
  EXPECT_TRUE(is_federated_label("fedEASE") && is_federated_label("FCF") && !is_federated_label("BPR-MF"));
}

}  // namespace
}  // namespace sotto::lab
