// The audit of KGFlex on a generated world: what its rows tell, and that listening changes nothing.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "data/generate.h"
#include "engine/files/files.h"
#include "engine/models/kgflex.h"
#include "engine/train/training.h"
#include "lab/audit/full_audit.h"
#include "lab/audit/page.h"
#include "sim/thread_pool.h"

namespace sotto::lab {
namespace {

const Split& known_world() {
  static const Split split = [] {
    const WorldOptions options{.users = 160, .items = 200, .mean_interactions = 16.0, .seed = 5};
    Split made = generate_split(options).value();
    made.features = std::make_shared<const ItemFeatures>(generate_knowledge(options).value(), made.items,
                                                         FeatureFilter{.min_items = 3});
    return made;
  }();
  return split;
}

AuditRequest knowing_request(const char* view, double cohort) {
  AuditRequest request;
  request.train.data.paths = {"generated"};
  request.train.data.kg.paths = {"generated"};
  request.train.model = "kgflex";
  request.train.plan.fpl.factors = 4;
  request.train.plan.fpl.learning_rate = 0.1f;
  request.train.plan.cohort = cohort;
  request.train.plan.epochs = 4;
  request.train.model.own<KgflexSettings>().first_hop = request.train.model.own<KgflexSettings>().second_hop =
      15;
  EXPECT_TRUE(settle(request.train).ok());
  request.view = parse_view(view).value();
  request.attack.people = 0;
  request.attack.attackers.assign(every_feature_attacker.begin(), every_feature_attacker.end());
  return request;
}

const AttackerSummary& feature_reader(const AuditSummary& summary, Attacker attacker) {
  for (const AttackerSummary& one : summary.features)
    if (one.attacker == attacker) return one;
  ADD_FAILURE() << "nobody of this name";
  return summary.features.front();
}

TEST(KgflexAudit, ListeningDoesNotChangeTheModel) {
  ThreadPool pool(2);
  AuditRequest request = knowing_request("plain", 0.5);
  request.attack.attackers = {Attacker::feature_presence};
  TrainHooks hooks;
  const std::string unheard = train(request.train, known_world(), pool, hooks).value().model_hash;
  for (const char* view : {"plain", "shuffled", "secure", "secure:20", "groups:20"}) {
    request.view = parse_view(view).value();
    EXPECT_EQ(audit_plan(request, known_world(), 1, pool, {}).value().model_hash, unheard) << view;
  }
}

TEST(KgflexAudit, SingleMessagesNameTheProfileAndLeadToItems) {
  ThreadPool pool(2);
  const AuditSummary plain =
      summarise({audit_plan(knowing_request("plain", 0.5), known_world(), 1, pool, {}).value()}, pool);
  EXPECT_FALSE(plain.shows_no_leak());
  EXPECT_GT(plain.of(Attacker::feature_shadow)->advantage.auc.range.low, 0.0);
  const AttackerSummary& presence = feature_reader(plain, Attacker::feature_presence);
  EXPECT_GT(presence.alone.auc.mean, 0.9);
  EXPECT_GE(presence.alone.named.mean, plain.sent.mean - 1e-9);
  EXPECT_GT(plain.sent.mean, 0.5);
  // Nobody is left out by one sum a round: everybody's evidence is the same.
  const AuditSummary summed =
      summarise({audit_plan(knowing_request("secure", 1.0), known_world(), 1, pool, {}).value()}, pool);
  EXPECT_TRUE(summed.shows_no_leak());
  EXPECT_EQ(summed.sent.mean, 0.0);
}

TEST(KgflexAudit, ATranscriptGivesTheFiguresOfItsPlan) {
  ThreadPool pool(2);
  AuditRequest request = knowing_request("shuffled", 0.5);
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "kgflex_transcript.bin";
  request.record = file.string();
  const AuditRun live = audit_plan(request, known_world(), 1, pool, {}).value();
  const Bytes bytes = read_file(file).value();
  std::filesystem::remove(file);
  const AuditRun again = audit_transcript(bytes, "seen", request, known_world(), pool, {}).value();
  EXPECT_EQ(again.sent_shares, live.sent_shares);
  ASSERT_EQ(again.features.size(), live.features.size());
  for (std::size_t n = 0; n < live.features.size(); ++n)
    for (std::size_t person = 0; person < live.features[n].informed.size(); ++person)
      EXPECT_EQ(again.features[n].informed[person].auc, live.features[n].informed[person].auc);
  AuditRequest other = request;
  other.train.model = "fpl";
  EXPECT_EQ(audit_transcript(bytes, "seen", other, known_world(), pool, {}).error().code, Code::usage);
}

TEST(KgflexAudit, AttackersOfAnotherModelAreRefused) {
  AuditRequest request = knowing_request("plain", 1.0);
  EXPECT_TRUE(check(request).ok());
  request.attack.attackers = {Attacker::match};
  EXPECT_NE(check(request).error().message.find("A3 does not read the messages of kgflex"),
            std::string::npos);
  request.train.model = "fpl";
  EXPECT_TRUE(check(request).ok());
}

TEST(KgflexAudit, TheWholeAuditTellsItsControlsAndDrawsItsPage) {
  ThreadPool pool(2);
  FullAudit asked{knowing_request("plain", 0.5), true, false, 0, "A small world."};
  asked.request.looks = true;
  const AuditReport report = run_full_audit(asked, known_world(), pool, {}).value();
  ASSERT_EQ(report.controls.size(), 2u);
  for (const AuditControl& control : report.controls) EXPECT_TRUE(control.held) << control.measured;
  const nlohmann::json json = to_json(report);
  EXPECT_EQ(json["plan"]["model"], "kgflex");
  EXPECT_EQ(json["audit"]["attackers"].size(), every_feature_attacker.size());
  EXPECT_EQ(json["audit"]["features"][1]["code"], "B1");
  const std::string html = html_of(audit_page(report, "sotto audit"));
  EXPECT_NE(html.find("who finds their features"), std::string::npos);
  EXPECT_NE(html.find("The plan: KGFlex with 4 factors"), std::string::npos);
}

}  // namespace
}  // namespace sotto::lab
