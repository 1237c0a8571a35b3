// The C interface from C++, against a coordinator in the same process; examples/c has it from C.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "device/testing/c_interface.h"
#include "fed/models/testing/slow_als.h"
#include "fed/wire/catalogue.h"

namespace sotto::device::c_test {
namespace {

TEST_F(CInterface, FromEnrolmentToRecommendation) {
  join();
  const sotto_exchange first = exchange();
  EXPECT_EQ(first.ending, SOTTO_ANSWERED) << sotto_last_error(device_);
  EXPECT_GT(first.bytes_up, 0u);
  EXPECT_GT(first.bytes_down, 0u);
  EXPECT_EQ(wire_.server.contributions.size(), 1u);
  EXPECT_EQ(ledger_lines(), 1u);
  // What it keeps it keeps: the vault is closed and opened, the wire is gone.
  sotto_device_close(device_);
  open();
  std::vector<std::string> best;
  ASSERT_EQ(sotto_recommend(device_, nullptr, 5, collect_item, &best), SOTTO_OK) << sotto_last_error(device_);
  ASSERT_EQ(best.size(), 5u);
  for (const std::string& item : best) EXPECT_TRUE(item != "2" && item != "5" && item != "11");
  std::vector<std::string> words;
  ASSERT_EQ(sotto_explain(device_, "small", best[0].c_str(), 3, collect_text, nullptr, &words), SOTTO_OK);
  EXPECT_NE(words.at(0).find("'" + best[0] + "'"), std::string::npos);
  // The same round is not answered twice; the next one is.
  EXPECT_EQ(exchange().ending, SOTTO_KEPT_QUIET);
  ++wire_.server.round;
  const auto fetched = wire_.server.fetched_bytes;
  EXPECT_EQ(exchange().ending, SOTTO_ANSWERED);
  EXPECT_EQ(wire_.server.fetched_bytes, fetched);  // the model is held
  EXPECT_EQ(ledger_lines(), 2u);
}

class CInterfaceOfFederatedAls : public CInterface {
 protected:
  CInterfaceOfFederatedAls() : CInterface(als_spec(30)) {}
  std::vector<std::string> best() {
    std::vector<std::string> items;
    EXPECT_EQ(sotto_recommend(device_, nullptr, 30, collect_item, &items), SOTTO_OK)
        << sotto_last_error(device_);
    return items;
  }
};

// The private row is solved from the vault, for what the person has now.
TEST_F(CInterfaceOfFederatedAls, RecommendsByWhatThePersonHasNow) {
  join();
  ASSERT_EQ(exchange().ending, SOTTO_ANSWERED) << sotto_last_error(device_);
  const std::vector<std::string> before = best();
  ASSERT_EQ(before.size(), 27u);
  sotto_device_close(device_);
  open();
  EXPECT_EQ(best(), before);
  ASSERT_EQ(sotto_add_interaction(device_, before.back().c_str(), 1.0, 0), SOTTO_OK);
  std::vector<std::string> order = before;
  order.pop_back();
  EXPECT_EQ(best().size(), order.size());
  EXPECT_NE(best(), order);  // it counts at once, without an exchange
  ASSERT_EQ(sotto_remove_interaction(device_, before.back().c_str()), SOTTO_OK);
  EXPECT_EQ(best(), before);
  for (const char* item : {"2", "5", "11"}) ASSERT_EQ(sotto_remove_interaction(device_, item), SOTTO_OK);
  EXPECT_EQ(sotto_recommend(device_, nullptr, 5, collect_item, &order), SOTTO_NOT_FOUND);
}

class CInterfaceWithACatalogue : public CInterface {
 protected:
  CInterfaceWithACatalogue() {
    TaskCatalogue catalogue;
    for (int item = 0; item < 30; ++item) {
      catalogue.names.intern(std::to_string(item));
      catalogue.titles.push_back(item == 3 ? "" : "Title " + std::to_string(item));
      catalogue.categories.emplace_back(item < 10 ? "Drama|War" : "");
      catalogue.pictures.emplace_back(item == 4 ? "https://example.org/4.jpg" : "");
    }
    *wire_.server.spec.mutable_catalogue() = wire_.server.keep(pack_catalogue(encode_catalogue(catalogue)));
  }
  struct Described {
    std::string title, categories, picture;
  };
  sotto_status describe(const char* task, const char* item, Described& out) {
    const sotto_description_fn each = [](void* to, const sotto_description* from) {
      *static_cast<Described*>(to) = {from->title, from->categories, from->picture};
    };
    return sotto_describe(device_, task, item, each, &out);
  }
};

TEST_F(CInterfaceWithACatalogue, ItemsHaveTheirNames) {
  Described one;
  EXPECT_EQ(describe(nullptr, "4", one), SOTTO_NOT_FOUND);  // nothing was fetched yet
  join();
  ASSERT_EQ(exchange().ending, SOTTO_ANSWERED) << sotto_last_error(device_);
  ASSERT_EQ(describe(nullptr, "4", one), SOTTO_OK) << sotto_last_error(device_);
  EXPECT_EQ(one.title, "Title 4");
  EXPECT_EQ(one.categories, "Drama|War");
  EXPECT_EQ(one.picture, "https://example.org/4.jpg");
  ASSERT_EQ(describe("small", "3", one), SOTTO_OK);
  EXPECT_EQ(one.title, "3");
  EXPECT_EQ(one.picture, "");
  EXPECT_EQ(describe("another", "12", one), SOTTO_OK);
  EXPECT_EQ(describe(nullptr, "30", one), SOTTO_NOT_FOUND);
  EXPECT_EQ(sotto_describe(device_, nullptr, "4", nullptr, nullptr), SOTTO_USAGE);
  std::vector<std::string> words;
  ASSERT_EQ(sotto_explain(device_, nullptr, "4", 3, collect_text, nullptr, &words), SOTTO_OK);
  EXPECT_NE(words.at(0).find("'Title 4'"), std::string::npos) << words[0];
}

TEST_F(CInterface, ConditionsAndThePersonComeFirst) {
  join();
  wire_.allowed = false;
  const int calls = wire_.server.calls;
  EXPECT_EQ(exchange().ending, SOTTO_NOT_NOW);
  wire_.allowed = true;
  ASSERT_EQ(sotto_pause(device_), SOTTO_OK);
  EXPECT_EQ(exchange().ending, SOTTO_NOT_NOW);
  ASSERT_EQ(sotto_withdraw(device_), SOTTO_OK);
  EXPECT_EQ(sotto_resume(device_), SOTTO_USAGE);
  EXPECT_EQ(exchange().ending, SOTTO_NOT_NOW);
  EXPECT_EQ(wire_.server.calls, calls);
  ASSERT_EQ(sotto_set_level(device_, "closed"), SOTTO_OK);
  ASSERT_EQ(sotto_resume(device_), SOTTO_OK);
  EXPECT_EQ(exchange().ending, SOTTO_KEPT_QUIET);
  EXPECT_TRUE(wire_.server.contributions.empty());
  EXPECT_EQ(ledger_lines(), 0u);
}

TEST_F(CInterface, WhatIsForbiddenMidwayGoesOnLater) {
  join();
  int left = 3;
  struct Budget {
    int* left;
  } budget{&left};
  const sotto_conditions few{&budget, [](void* user_data, int*, int*) {
                               return (*static_cast<Budget*>(user_data)->left)-- > 0 ? 1 : 0;
                             }};
  sotto_exchange result{};
  ASSERT_EQ(sotto_run_exchange(device_, &transport_, &few, wire_.server.now_ms, &result), SOTTO_OK);
  EXPECT_EQ(result.ending, SOTTO_NOT_NOW);
  EXPECT_TRUE(wire_.server.contributions.empty());
  EXPECT_EQ(exchange().ending, SOTTO_ANSWERED);
}

TEST_F(CInterface, ExportHoldsWhatIsKeptAndNoKeys) {
  join();
  ASSERT_EQ(exchange().ending, SOTTO_ANSWERED);
  std::vector<std::string> out;
  ASSERT_EQ(sotto_export(device_, collect_text, &out), SOTTO_OK);
  const auto document = nlohmann::json::parse(out.at(0));
  EXPECT_EQ(document["interactions"].size(), 3u);
  EXPECT_EQ(document["ledger"]["entries"].size(), 1u);
  EXPECT_EQ(document["tasks"][0]["task"], "small");
  EXPECT_EQ(document["tasks"][0]["private_row"].size(), 5u);
  EXPECT_EQ(document["enrolled"], true);
  EXPECT_EQ(sotto_ledger(device_, std::string(64, 'a').c_str(), nullptr, nullptr), SOTTO_BAD_INPUT);
}

TEST_F(CInterface, MistakesAreCodesAndSentences) {
  EXPECT_EQ(sotto_add_interaction(nullptr, "a", 1.0, 0), SOTTO_USAGE);
  EXPECT_EQ(sotto_add_interaction(device_, nullptr, 1.0, 0), SOTTO_USAGE);
  EXPECT_STRNE(sotto_last_error(device_), "");
  EXPECT_EQ(sotto_remove_interaction(device_, "nothing"), SOTTO_NOT_FOUND);
  EXPECT_EQ(sotto_set_level(device_, "wide"), SOTTO_USAGE);
  EXPECT_EQ(sotto_set_pi(device_, 2.0), SOTTO_USAGE);
  EXPECT_EQ(sotto_set_mask(device_, "glued"), SOTTO_USAGE);
  EXPECT_EQ(sotto_set_item_rule(device_, "a", "maybe"), SOTTO_USAGE);
  EXPECT_EQ(sotto_set_category_rule(device_, "Horror", "never"), SOTTO_OK);
  EXPECT_STREQ(sotto_last_error(device_), "");
  EXPECT_EQ(sotto_enrol(device_, nullptr, reinterpret_cast<const uint8_t*>("t"), 1), SOTTO_USAGE);
  EXPECT_EQ(sotto_enrol(device_, &transport_, reinterpret_cast<const uint8_t*>("wrong"), 5), SOTTO_BAD_INPUT);
  EXPECT_EQ(sotto_leave(device_, &transport_, 0), SOTTO_USAGE);
  const sotto_key both{key_bytes_.data(), "words"};
  sotto_device* other = nullptr;
  EXPECT_EQ(sotto_device_open("x", &both, 1, &other), SOTTO_USAGE);
  EXPECT_EQ(sotto_device_open("x", nullptr, 1, &other), SOTTO_USAGE);
  EXPECT_STRNE(sotto_last_error(nullptr), "");
  sotto_device_close(nullptr);
}

TEST_F(CInterface, NothingAboutListsLeavesUnlessThePersonSaysSo) {
  int yes = -1;
  ASSERT_EQ(sotto_get_evaluation(device_, &yes), SOTTO_OK);
  EXPECT_EQ(yes, 0);
  EXPECT_EQ(sotto_get_evaluation(device_, nullptr), SOTTO_USAGE);
  EXPECT_EQ(sotto_set_evaluation(device_, "perhaps"), SOTTO_USAGE);
  EXPECT_EQ(sotto_set_evaluation(device_, nullptr), SOTTO_USAGE);
  ASSERT_EQ(sotto_set_evaluation(device_, "yes"), SOTTO_OK);
  ASSERT_EQ(sotto_get_evaluation(device_, &yes), SOTTO_OK);
  EXPECT_EQ(yes, 1);
}

TEST_F(CInterface, ThePersonSaysWhatATaskMustPromise) {
  int secure_only = -1;
  uint32_t crowd = 7;
  ASSERT_EQ(sotto_get_demands(device_, &secure_only, &crowd), SOTTO_OK);
  EXPECT_EQ(secure_only, 0);
  EXPECT_EQ(crowd, 0u);
  EXPECT_EQ(sotto_get_demands(device_, nullptr, &crowd), SOTTO_USAGE);
  EXPECT_EQ(sotto_set_sums(device_, "plain"), SOTTO_USAGE);
  EXPECT_EQ(sotto_set_least_crowd(device_, 1u << 31), SOTTO_USAGE);
  join();
  ASSERT_EQ(sotto_set_sums(device_, "secure"), SOTTO_OK);
  EXPECT_EQ(exchange().ending, SOTTO_REFUSED_BY_DEVICE);
  EXPECT_NE(std::string(sotto_last_error(device_)).find("secure ones alone"), std::string::npos);
  ASSERT_EQ(sotto_set_sums(device_, "any"), SOTTO_OK);
  ASSERT_EQ(sotto_set_least_crowd(device_, 20), SOTTO_OK);
  EXPECT_EQ(exchange().ending, SOTTO_REFUSED_BY_DEVICE);
  ASSERT_EQ(sotto_get_demands(device_, &secure_only, &crowd), SOTTO_OK);
  EXPECT_EQ(crowd, 20u);
  ASSERT_EQ(sotto_set_least_crowd(device_, 0), SOTTO_OK);
  EXPECT_EQ(exchange().ending, SOTTO_ANSWERED);
}

TEST_F(CInterface, LeavingAndDeleting) {
  join();
  ASSERT_EQ(sotto_leave(device_, &transport_, wire_.server.now_ms), SOTTO_OK) << sotto_last_error(device_);
  sotto_exchange result{};
  EXPECT_EQ(sotto_run_exchange(device_, &transport_, nullptr, 0, &result), SOTTO_USAGE);
  ASSERT_EQ(sotto_device_delete(device_), SOTTO_OK);
  device_ = nullptr;
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace sotto::device::c_test
