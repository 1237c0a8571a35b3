// Tasks that learn from labelled examples: what a vault keeps of them, what enters an exchange, and what the
// ledger says of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "device/classify.h"
#include "device/enrol.h"
#include "device/export_data.h"
#include "device/kept_example.h"
#include "device/own_examples.h"
#include "device/recommend.h"
#include "device/testing/fake_coordinator.h"
#include "device/testing/vault_world.h"
#include "device/vault.h"
#include "fed/criteria/weighing.h"
#include "fed/models/live_evaluation.h"
#include "fed/models/testing/small_classifier.h"
#include "fed/models/testing/toy_networks.h"
#include "fed/wire/packed_contribution.h"
#include "privacy/number_rows.h"
#include "storage/testing/scratch_folder.h"

namespace sotto::device::example_exchange_test {
namespace {

const ToyNetworks toys;

KeptExample digit(const std::string& name, std::uint32_t label) {
  return {.collection = "digits",
          .name = name,
          .height = 2,
          .width = 3,
          .label = label,
          .values = {static_cast<std::uint8_t>(label), 1, 2, 3, 4, 5}};
}

std::vector<KeptExample> digits(std::uint32_t count) {
  std::vector<KeptExample> all;
  for (std::uint32_t n = 0; n < count; ++n) all.push_back(digit("picture " + std::to_string(n), n % 4));
  return all;
}

class ExampleExchange : public testing::Test {
 protected:
  ExampleExchange() {
    vault_ = Vault::open(folder_.file("vault.db"), key_, Making::if_missing).value();
    const auto enrolment = enrol(server_, "token", Secret(simulated_key(1, "entropy"))).value();
    EXPECT_TRUE(vault_->keep_enrolment(enrolment).ok());
    choose({});
  }
  void choose(const PersonalPolicy& policy) { ASSERT_TRUE(vault_->set_policy(policy).ok()); }
  ExchangeReport run() {
    ExchangeOptions options;
    options.networks = &toys;
    Exchange exchange(*vault_, options);
    Exchange::Next next;
    for (int n = 0; n < 100; ++n) {
      next = exchange.advance(server_, server_.now_ms).value();
      if (next.what != Exchange::Next::What::wait) break;
      server_.now_ms += next.wait_ms;
    }
    ++server_.round;
    return next.report;
  }
  std::vector<LedgerEntry> ledger() {
    const KeptLedger kept = vault_->ledger().value();
    return read_ledger(kept.lines, kept.head, kept.public_key).value().entries;
  }
  std::set<std::string> last_items() {
    const LedgerEntry last = ledger().back();
    return {last.items.begin(), last.items.end()};
  }

  const storage::ScratchFolder folder_;
  const Secret key_{simulated_key(1, "example vault")};
  FakeCoordinator server_{classifier_spec()};
  std::unique_ptr<Vault> vault_;
};

TEST_F(ExampleExchange, TrainsOnThoseOfTheTasksFormAndTheLedgerNamesThem) {
  std::vector<KeptExample> all{digit("b", 1), digit("a", 3), digit("of another class", 4)};
  all.push_back(digit("of another size", 2));
  all.back().height = 1;
  all.back().values.resize(3);
  all.push_back(digit("of another kind", 2));
  all.back().collection = "letters";
  ASSERT_TRUE(vault_->add(all).ok());
  ASSERT_EQ(run().ending, Ending::answered);
  const LedgerEntry line = ledger().back();
  EXPECT_EQ(line.mechanism, "examples of digits, plain");
  EXPECT_EQ(last_items(), (std::set<std::string>{"digits/a", "digits/b"}));
  const OwnExamples own = own_examples(*vault_, server_.task, {}).value();
  ASSERT_EQ(own.names.size(), 2u);
  const Examples& examples = *own.history.known.examples;
  for (std::size_t n = 0; n < 2; ++n) {
    EXPECT_EQ(own.name_of(own.history.items[n]), own.names[n]);
    EXPECT_EQ(examples.labels[n], own.names[n] == "digits/a" ? 3 : 1);
    EXPECT_EQ(*examples.of(n), examples.labels[n]) << "its first byte";
  }
}

TEST_F(ExampleExchange, AShareStaysDrawnWhateverIsAdded) {
  PersonalPolicy policy;
  policy.pi = 0.5;
  policy.mask = MaskKind::sticky;
  choose(policy);
  const std::vector<KeptExample> first = digits(40);
  ASSERT_TRUE(vault_->add(first).ok());
  ASSERT_EQ(run().ending, Ending::answered);
  const std::set<std::string> before = last_items();
  EXPECT_GT(before.size(), 8u);
  EXPECT_LT(before.size(), 32u);
  std::vector<KeptExample> more;
  for (int n = 0; n < 40; ++n) more.push_back(digit("an earlier name " + std::to_string(n), 1));
  ASSERT_TRUE(vault_->add(more).ok());
  ASSERT_TRUE(vault_->remove_examples("digits", std::vector<std::string>{"picture 0", "picture 1"}).ok());
  ASSERT_EQ(run().ending, Ending::answered);
  const std::set<std::string> after = last_items();
  for (std::size_t n = 2; n < first.size(); ++n) {
    const std::string name = "digits/" + first[n].name;
    EXPECT_EQ(after.contains(name), before.contains(name)) << name;
  }
}

TEST_F(ExampleExchange, RulesAndLevelsHoldForClasses) {
  ASSERT_TRUE(vault_->add(digits(8)).ok());
  PersonalPolicy policy;
  policy.items["2"] = {ConsentAnswer::never};
  choose(policy);
  ASSERT_EQ(run().ending, Ending::answered);
  EXPECT_EQ(last_items(),
            (std::set<std::string>{"digits/picture 0", "digits/picture 1", "digits/picture 3",
                                   "digits/picture 4", "digits/picture 5", "digits/picture 7"}));
  const std::size_t lines = ledger().size();
  PersonalPolicy closed;
  ASSERT_TRUE(set_level(closed, "closed").ok());
  choose(closed);
  EXPECT_NE(run().ending, Ending::answered);
  EXPECT_EQ(ledger().size(), lines);
}

// By their names some are drawn that no training sees; of them it says how many the version is right about.
TEST_F(ExampleExchange, HoldsSomeOutAndCountsWhereTheVersionIsRight) {
  server_.spec.mutable_evaluation()->set_share(0.25f);
  server_.task = *read_task(server_.spec);
  ASSERT_TRUE(vault_->add(digits(40)).ok());
  ASSERT_EQ(run().ending, Ending::answered);
  EXPECT_EQ(last_items().size(), 40u) << "the person did not say that versions may be judged";
  PersonalPolicy policy;
  policy.items["2"] = {ConsentAnswer::never};
  policy.evaluation = true;
  choose(policy);
  ASSERT_EQ(run().ending, Ending::answered);
  const std::set<std::string> trained = last_items();
  EXPECT_EQ(trained.size(), 30u - 7u);
  server_.twist_assignment = [](v1::Assignment& assignment) { assignment.set_judge(true); };
  server_.contributions.clear();
  const ExchangeReport judged = run();
  ASSERT_EQ(judged.ending, Ending::answered) << judged.why;
  LocalScore score;
  for (const KeptExample& one : digits(40)) {
    if (one.label == 2 || trained.contains("digits/" + one.name)) continue;
    const std::vector<float> shares = server_.task.model->classify(server_.task, server_.master, one.values);
    score.right += std::ranges::max_element(shares) - shares.begin() == one.label ? 1 : 0;
    ++score.examples;
  }
  EXPECT_EQ(score.examples, 7u);
  const Contribution expected = count_of(evaluation_task(server_.task), score);
  EXPECT_EQ(server_.contributions, (std::set{pack_contribution({server_.round - 1, expected}, false)}));
  EXPECT_EQ(ledger().back().mechanism, "evaluation, plain");
  EXPECT_TRUE(ledger().back().items.empty());
  // It stays held out.
  server_.twist_assignment = nullptr;
  ASSERT_EQ(run().ending, Ending::answered);
  EXPECT_EQ(last_items(), trained);
}

TEST_F(ExampleExchange, OfARoundByCriteriaTheLedgerNamesTheExamples) {
  server_.spec.mutable_criteria()->set_order("recency>quality");
  server_.spec.mutable_criteria()->set_least_tellers(3);
  server_.task = *read_task(server_.spec);
  const std::int64_t unit = value_unit;
  std::vector<PartTotal> totals{{3, {3, 3}}, {3, {unit, 3, unit, 3}}, {3, {fixed_limit}}};
  for (PartTotal& total : totals) total.numbers.resize(numbers_a_row);
  std::size_t heard = 0;
  server_.twist_step = [&](v1::StepReply& step) {
    if (step.progress() == v1::StepReply::ANSWER) step.set_data(encode_total(totals.at(heard++)));
  };
  ASSERT_TRUE(vault_->add(digits(4)).ok());
  const ExchangeReport report = run();
  ASSERT_EQ(report.ending, Ending::answered) << report.why;
  const std::vector<LedgerEntry> lines = ledger();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1].mechanism, "criteria, plain, told recency") << "nobody said what is of the quality";
  EXPECT_EQ(lines[3].mechanism, "examples of digits, weighed by criteria, plain");
  for (std::size_t part = 0; part < 4; ++part) EXPECT_EQ(lines[part].items.size(), part < 3 ? 0u : 4u);
}

TEST_F(ExampleExchange, AMarkOfQualityStandsWhereAnyExampleHasOne) {
  std::vector<KeptExample> all = digits(3);
  ASSERT_TRUE(vault_->add(all).ok());
  EXPECT_TRUE(own_examples(*vault_, server_.task, {})->history.known.examples->marks.empty());
  all[1].mark = true;
  all[2].mark = false;
  ASSERT_TRUE(vault_->add(all).ok());
  const OwnExamples own = own_examples(*vault_, server_.task, {}).value();
  const Examples& examples = *own.history.known.examples;
  ASSERT_EQ(examples.marks.size(), 3u);
  for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(examples.marks[n], examples.labels[n] == 1 ? 1 : 0);
}

TEST_F(ExampleExchange, SaysWhyItStaysOut) {
  EXPECT_EQ(run().why, "this device has nothing to answer with");
  std::vector<KeptExample> all{digit("a", 7)};
  ASSERT_TRUE(vault_->add(all).ok());
  const ExchangeReport report = run();
  EXPECT_EQ(report.ending, Ending::kept_quiet);
  EXPECT_NE(report.why.find("none of this device's examples of digits has 2 × 3 bytes and a label below 4"),
            std::string::npos)
      << report.why;
  EXPECT_TRUE(ledger().empty());
  ASSERT_TRUE(vault_->add(digits(4)).ok());
  ASSERT_EQ(run().ending, Ending::answered);
  const auto told = LocalRecommender::load(*vault_, "small");
  ASSERT_FALSE(told.ok());
  EXPECT_NE(told.error().message.find("recommends nothing"), std::string::npos);
}

TEST_F(ExampleExchange, TheHeldModelSaysWhatClassAnExampleIs) {
  *server_.spec.mutable_catalogue() = server_.keep(pack_catalogue("nought\none\ntwo\nthree\n"));
  EXPECT_EQ(LocalClassifier::load(*vault_, "small").error().code, Code::not_found);
  ASSERT_TRUE(vault_->add(digits(4)).ok());
  ASSERT_EQ(run().ending, Ending::answered);
  const LocalClassifier model = LocalClassifier::load(*vault_, "small").value();
  EXPECT_EQ(model.form().collection, "digits");
  for (const KeptExample& one : digits(4)) {
    const std::vector<ClassShare> classes = model.classes_of(one).value();
    ASSERT_EQ(classes.size(), 4u);
    const std::vector<float> expected =
        server_.task.model->classify(server_.task, server_.master, one.values);
    float sum = 0.0f;
    for (const ClassShare& kind : classes) {
      EXPECT_EQ(kind.share, expected[kind.label.value]);
      EXPECT_EQ(kind.item, (std::array{"nought", "one", "two", "three"}[kind.label.value]));
      sum += kind.share;
    }
    EXPECT_NEAR(sum, 1.0f, 1e-5);
    EXPECT_TRUE(std::ranges::is_sorted(classes, std::ranges::greater(), &ClassShare::share));
  }
  KeptExample wide = digit("wide", 1);
  std::swap(wide.height, wide.width);
  EXPECT_NE(model.classes_of(wide).error().message.find("of examples of 2 × 3 bytes"), std::string::npos);
  // A model of things tells no classes apart.
  const VaultWorld world;
  ASSERT_TRUE(vault_->keep_model("things", world.model()).ok());
  ASSERT_TRUE(vault_->keep_catalogue(world.model()->catalogue, world.packed_names()).ok());
  EXPECT_NE(LocalClassifier::load(*vault_, "things").error().message.find("tells no classes"),
            std::string::npos);
}

TEST_F(ExampleExchange, TheVaultKeepsThemByCollectionAndName) {
  ASSERT_TRUE(vault_->add(digits(3)).ok());
  KeptExample other = digit("picture 0", 200);
  other.collection = "digit";  // the beginning of another's name
  other.mark = false;
  ASSERT_TRUE(vault_->add(std::span<const KeptExample>(&other, 1)).ok());
  vault_ = Vault::open(folder_.file("vault.db"), key_, Making::never).value();
  EXPECT_EQ(*vault_->examples("digits"), digits(3));
  EXPECT_EQ(*vault_->examples("digit"), std::vector{other});
  EXPECT_EQ(vault_->examples("")->size(), 4u);
  EXPECT_TRUE(vault_->examples("none")->empty());
  const std::string document = export_json(*vault_).value();
  EXPECT_NE(document.find("\"collection\": \"digit\""), std::string::npos) << document;
  EXPECT_EQ(*vault_->remove_examples("digits", std::vector<std::string>{"picture 1", "none"}), 1u);
  EXPECT_EQ(*vault_->remove_examples("digits"), 2u);
  EXPECT_EQ(*vault_->remove_examples("digits"), 0u);
  EXPECT_EQ(vault_->examples("")->size(), 1u);
}

TEST_F(ExampleExchange, WhatCannotBeKeptIsRefusedAndNothingIsAddedByHalf) {
  const auto why = [&](auto change) {
    std::vector<KeptExample> two{digit("good", 1), digit("private", 1)};
    change(two[1]);
    const Status added = vault_->add(two);
    EXPECT_FALSE(added.ok());
    EXPECT_TRUE(vault_->examples("")->empty());
    const std::string message = added.ok() ? "" : added.error().message;
    EXPECT_EQ(message.find("private"), std::string::npos) << message;
    return message;
  };
  const auto has = [](const std::string& message, const char* part) {
    return message.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(why([](KeptExample& one) { one.collection = "My pictures"; }), "a collection's name"));
  EXPECT_TRUE(has(why([](KeptExample& one) { one.name = ""; }), "an example's name"));
  EXPECT_TRUE(has(why([](KeptExample& one) { one.label = 256; }), "from 0 to 255"));
  EXPECT_TRUE(has(why([](KeptExample& one) { one.values.pop_back(); }), "height × width bytes"));
  EXPECT_TRUE(has(why([](KeptExample& one) { one.height = 0, one.values.clear(); }), "height × width"));
  EXPECT_TRUE(has(why([](KeptExample& one) { one.height = one.width = 1u << 31; }), "height × width"));
}

TEST(KeptExamples, AreReadAsTheyWereWrittenAndNotOtherwise) {
  const KeptExample one = digit("a/b", 9);
  EXPECT_EQ(read_example(record_name(one), encoded(one)), one);
  const std::string text = encoded(one);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(read_example("digits/a", text.substr(0, size)).has_value()) << size;
  EXPECT_FALSE(read_example("digits/a", text + " ").has_value());
  EXPECT_FALSE(read_example("digits", text).has_value());
  EXPECT_FALSE(read_example("Digits/a", text).has_value());
  std::string marked = text;
  marked[12] = 3;
  EXPECT_FALSE(read_example("digits/a", marked).has_value());
}

}  // namespace
}  // namespace sotto::device::example_exchange_test
