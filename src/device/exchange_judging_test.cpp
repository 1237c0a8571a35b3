// A device that judges versions: what it holds out, what leaves, and what does not.
#include <algorithm>

#include "device/recommend.h"
#include "device/round_work.h"
#include "device/testing/test_device.h"
#include "fed/models/live_evaluation.h"
#include "fed/models/testing/known_scores.h"
#include "fed/models/testing/usual_spec.h"
#include "metrics/accuracy.h"
#include "metrics/evaluate.h"

namespace sotto::device::exchange_judging_test {
namespace {

v1::TaskSpec judged_task(v1::TaskSpec spec = small_task(test_items)) {
  spec.mutable_evaluation()->set_holdout(3);
  spec.mutable_evaluation()->set_cutoff(5);
  spec.mutable_evaluation()->set_coverage(true);
  return spec;
}

DeviceStreams streams_of(TestDevice& device) { return {(*device.kept->enrolment())->own_seed, UserIndex{0}}; }

std::vector<ItemIndex> held_by(const FakeCoordinator& server, TestDevice& device) {
  return held_out(*server.task.evaluation, device.history, {},
                  {(*device.kept->enrolment())->own_seed, UserIndex{0}});
}

std::vector<ItemIndex> trained_by(const FakeCoordinator& server, TestDevice& device) {
  std::vector<ItemIndex> trained;
  std::ranges::set_difference(device.history, held_by(server, device), std::back_inserter(trained));
  return trained;
}

v1::CheckInRequest last_check_in(const FakeCoordinator& server) {
  v1::CheckInRequest request;
  EXPECT_TRUE(request.ParseFromString(server.last_check_in));
  return request;
}

void ask_to_judge(FakeCoordinator& server, std::uint32_t version) {
  server.round = version;
  server.contributions.clear();
  server.twist_assignment = [](v1::Assignment& assignment) { assignment.set_judge(true); };
}

TEST(AJudgingExchange, WithoutTheWordOfThePersonNothingIsHeldOutOrOffered) {
  FakeCoordinator server(judged_task());
  TestDevice device(server);
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
  EXPECT_EQ(server.contributions, (std::set{contribution_of(server, device, streams_of(device))}));
  server.round = 1;
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
  EXPECT_EQ(last_check_in(server).judges_size(), 0);
  ask_to_judge(server, 2);
  const auto asked = device.run(server);
  EXPECT_EQ(asked.report.ending, Ending::refused_by_device);
  EXPECT_NE(asked.report.why.find("the person does not say so"), std::string::npos) << asked.report.why;
  EXPECT_TRUE(server.contributions.empty());
  EXPECT_EQ(device.ledger.size(), 2u);
}

TEST(AJudgingExchange, WhatIsHeldOutIsInNoContribution) {
  FakeCoordinator server(judged_task());
  TestDevice device(server);
  device.policy.evaluation = true;
  const auto trained = trained_by(server, device);
  ASSERT_EQ(trained.size() + 3, device.history.size());
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
  DeviceFit fit(server.task, streams_of(device), trained, ConsentTerms{});
  Private<RowMatrix> own = fit.start();
  EXPECT_EQ(server.contributions,
            (std::set{pack_contribution({0, **fit.fit(0, server.master, own.on_device())}, false)}));
  for (const ItemIndex item : held_by(server, device))
    EXPECT_EQ(
        std::count(device.ledger[0].items.begin(), device.ledger[0].items.end(), std::to_string(item.value)),
        0);
}

TEST(AJudgingExchange, GivesTheFiguresOfTheListThatThePersonWouldGet) {
  for (const TaskModel* model : {&fpl_task, &fedals_task, &fcf_task}) {
    v1::TaskSpec spec = usual_spec(*model, test_items);
    FakeCoordinator server(judged_task(spec));
    TestDevice device(server);
    device.policy.evaluation = true;
    EXPECT_EQ(device.run(server).report.ending, Ending::answered);
    const Private<RowMatrix> own = *device.kept->own_row("usual").value();
    ask_to_judge(server, 1);
    const auto judged = device.run(server);
    EXPECT_EQ(judged.report.ending, Ending::answered) << judged.report.why;
    EXPECT_TRUE(judged.report.judged);
    ASSERT_EQ(last_check_in(server).judges_size(), 1);
    EXPECT_EQ(last_check_in(server).judges(0).task(), "usual");
    EXPECT_EQ(last_check_in(server).judges(0).from(), 1u);
    // The simulator's evaluation of the same person: trained on all but what is held out, tested by that.
    const auto trained = trained_by(server, device), held = held_by(server, device);
    Split split;
    split.catalogue = test_items;
    const auto one = [](const std::vector<ItemIndex>& row) { return Histories({0, row.size()}, row); };
    split.train = one(trained);
    split.validation = Histories(std::size_t{1});
    split.test = one(held);
    SerialExecutor here;
    const KnownScores recommender({answered_scores(server.task, server.master, trained, &own)});
    EvaluateOptions options;
    options.cutoffs = {5};
    const auto evaluation = evaluate(recommender, split, options, here);
    ASSERT_TRUE(evaluation.ok()) << evaluation.error().message;
    const auto sent = unpack_contribution(*server.contributions.begin(),
                                          {.catalogue = 6, .width = 6, .most_rows = 6, .alike = false});
    ASSERT_TRUE(sent.ok()) << model->name;
    for (std::size_t n = 0; n < figure_names.size(); ++n)
      EXPECT_NEAR(sent->contribution.values(0)[n + 1] / 65536.0,
                  *evaluation->find(std::string(figure_names[n]) + "@5"), 1e-5)
          << model->name << " " << figure_names[n];
    EXPECT_EQ(sent->contribution.values(0)[0], 1 << 16);
    std::vector<std::uint64_t> lists(test_items, 0);
    for (std::size_t n = 1; n < sent->contribution.size(); ++n)
      for (std::uint32_t k = 0; k < 6; ++k)
        if (sent->contribution.values(n)[k] != 0) ++lists[(sent->contribution.row(n) - 1) * 6 + k];
    EXPECT_EQ(lists, evaluation->recommended) << model->name;
    // It is noted like everything that leaves, and the private row stays as it was.
    ASSERT_EQ(device.ledger.size(), 2u);
    EXPECT_EQ(device.ledger[1].mechanism, "evaluation, plain");
    EXPECT_EQ(device.ledger[1].task, "usual");
    EXPECT_EQ(device.ledger[1].items.size(), 5u) << "the list, whose items are counted";
    EXPECT_TRUE(std::ranges::equal((*device.kept->own_row("usual"))->on_device().values(0),
                                   own.on_device().values(0)));
  }
}

// The rounds of the training are counted apart.
TEST(AJudgingExchange, IsOnceForAVersionAndOnceAfterEachRound) {
  FakeCoordinator server(judged_task());
  TestDevice device(server);
  device.policy.evaluation = true;
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
  ask_to_judge(server, 1);
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
  const auto again = device.run(server);
  EXPECT_EQ(again.report.ending, Ending::kept_quiet);
  EXPECT_EQ(last_check_in(server).judges_size(), 0) << "once after each round that it answered";
  ask_to_judge(server, 2);
  EXPECT_EQ(device.run(server).report.ending, Ending::refused_by_device);
  EXPECT_EQ(device.ledger.size(), 2u);
  server.round = 1;
  server.twist_assignment = nullptr;
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
  ask_to_judge(server, 2);
  EXPECT_EQ(device.run(server).report.ending, Ending::answered);
  EXPECT_EQ(last_check_in(server).judges(0).from(), 2u);
  EXPECT_EQ(*device.kept->last_round("small"), 1u);
  EXPECT_EQ(device.ledger.size(), 4u);
}

TEST(AJudgingExchange, WhatARuleKeepsBackIsAsIfThePersonHadItNot) {
  FakeCoordinator server(judged_task());
  TestDevice with(server), without(server);
  const ItemIndex secret = with.history[4];
  without.history.erase(without.history.begin() + 4);
  for (TestDevice* device : {&with, &without}) {
    device->policy.evaluation = true;
    device->kept.emplace(device->shelf,
                         MemoryPerson{device->history, nullptr, &device->policy, &device->ledger});
  }
  with.policy.items[std::to_string(secret.value)] = {ConsentAnswer::never};
  std::vector<std::optional<Contribution>> said;
  RowMatrix own =
      server.task.model
          ->device(server.task, {1, UserIndex{0}}, {Histories(std::size_t{1}), Histories(std::size_t{1})})
          ->start();
  for (TestDevice* device : {&with, &without}) {
    device->kept->keep_enrolment(
        {.identity_seed = Secret(simulated_key(3, "same")), .index = 0, .own_seed = 9});
    Private<RowMatrix> row(own);
    ASSERT_TRUE(device->kept->note_answer({.task = "small", .round = 0, .own = &row, .ledger = {}}).ok());
    auto work = work_for_judging(*device->kept, server.task, nullptr, server.master);
    ASSERT_TRUE(work.ok() && *work);
    said.emplace_back((*work)->contribution);
    EXPECT_EQ(std::count((*work)->items.begin(), (*work)->items.end(), std::to_string(secret.value)), 0);
  }
  EXPECT_EQ(pack_contribution({1, *said[0]}, false), pack_contribution({1, *said[1]}, false));
}

TEST(AJudgingExchange, ADeviceWithNothingToJudgeByKeepsQuiet) {
  FakeCoordinator server(judged_task());
  TestDevice device(server);
  device.policy.evaluation = true;
  device.history.resize(1);
  device.kept.emplace(device.shelf, MemoryPerson{device.history, nullptr, &device.policy, &device.ledger});
  device.kept->keep_enrolment(*enrol(server, "token", Secret(simulated_key(1, "entropy"))));
  device.exchange.emplace(*device.kept, device.options);
  Private<RowMatrix> row(RowMatrix(1, 5));
  ASSERT_TRUE(device.kept->note_answer({.task = "small", .round = 0, .own = &row, .ledger = {}}).ok());
  ask_to_judge(server, 1);
  auto next = device.run(server);
  EXPECT_EQ(next.report.ending, Ending::kept_quiet);
  EXPECT_NE(next.report.why.find("nothing to answer with"), std::string::npos) << next.report.why;
  // Nor is it asked again and again: the version counts as judged.
  next = device.run(server);
  EXPECT_NE(next.report.why.find("judged before"), std::string::npos) << next.report.why;
  EXPECT_EQ(last_check_in(server).judges_size(), 0);
  EXPECT_TRUE(server.contributions.empty());
  EXPECT_EQ(device.ledger.size(), 1u) << "the line of the training alone";
}

TEST(AJudgingExchange, ATaskThatHoldsNothingOutCannotAskForFigures) {
  FakeCoordinator server(small_task(test_items));
  TestDevice device(server);
  device.policy.evaluation = true;
  ask_to_judge(server, 1);
  const auto asked = device.run(server);
  EXPECT_EQ(asked.report.ending, Ending::refused_by_device);
  EXPECT_NE(asked.report.why.find("holds nothing out"), std::string::npos) << asked.report.why;
}

}  // namespace
}  // namespace sotto::device::exchange_judging_test
