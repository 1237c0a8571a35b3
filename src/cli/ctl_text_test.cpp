#include "cli/ctl_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/terminal/console.h"
#include "fed/models/task_models.h"

namespace sotto::cli::ctl_text_test {
namespace {

nlohmann::ordered_json round(int number, const std::string& why) {
  nlohmann::ordered_json one{{"round", number},   {"state", why.empty() ? "committed" : "failed"},
                             {"opened_ms", 1000}, {"closed_ms", 3500},
                             {"assigned", 12},    {"contributions", 7}};
  if (!why.empty()) one["why"] = why;
  return one;
}

TEST(CtlText, ReasonsAreWholeHoweverLong) {
  const std::string why = "7 contributions came and 10 are the quorum" + std::string(300, 'x') + "END";
  const std::string text = round_table({round(1234, why), round(1233, "")}, Console());
  EXPECT_NE(text.find("\n  round 1,234: " + why + "\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("…"), std::string::npos) << text;
  EXPECT_EQ(text.find("round 1,233:"), std::string::npos) << text;
  for (const char* cell : {"1,234", "1,233", "failed", "committed", "2.5"})
    EXPECT_NE(text.find(cell), std::string::npos) << cell << text;
}

nlohmann::ordered_json version(int number, double gain) {
  nlohmann::ordered_json one{{"version", number},
                             {"round", number - 1},
                             {"contributions", 7},
                             {"time_ms", 1000},
                             {"model_hash", "0123456789ab"}};
  if (gain > 0) {
    one["evaluation"]["people"] = 1234;
    one["evaluation"]["metrics"]["P@10"] = 0.1;
    one["evaluation"]["metrics"]["nDCG@10"] = gain;
    one["evaluation"]["coverage"]["items"] = 321;
  }
  return one;
}

TEST(CtlText, VersionsThatWereJudgedHaveFiguresAndACurve) {
  auto again = version(3, 0.25);
  again["again"] = 1;
  const std::string text =
      version_table(nlohmann::ordered_json::array({again, version(2, 0), version(1, 0.125)}), Console());
  for (const char* part : {"version 1", "round 1", "1,234", "0.2500", "321", "nDCG@10  0.1250 ▁█ 0.2500"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(version_table(nlohmann::ordered_json::array({version(2, 0)}), Console()).find("people"),
            std::string::npos);
  // One alone is no curve.
  EXPECT_EQ(version_table(nlohmann::ordered_json::array({version(1, 0.125)}), Console()).find("█"),
            std::string::npos);
}

// A console of so many columns.
class Columns {
 public:
  explicit Columns(const char* columns) { ::setenv("COLUMNS", columns, 1); }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;
  ~Columns() { ::unsetenv("COLUMNS"); }
};

// Each thing stands in one line, which a terminal of 80 columns takes.
void expect_unbroken(const std::string& table, std::size_t lines) {
  std::istringstream in(table);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line) && !line.empty(); ++count)
    EXPECT_LE(engine::display_width(line), 80u) << line;
  EXPECT_EQ(count, lines) << table;
}

TEST(CtlText, NoRowIsBrokenAtEightyColumns) {
  const Columns eighty("80");
  const Console console;
  using Json = nlohmann::ordered_json;
  const std::string hash(64, 'a');
  Json versions = Json::array();
  for (int number = 1'012; number > 1'000; --number) {
    versions.push_back(version(number, 0.25));
    versions.back()["time_ms"] = 1'700'000'000'000;
    versions.back()["contributions"] = 1'234'567;
    versions.back()["model_hash"] = hash;
    versions.back()["trial"] = Json::parse(R"({"stable":4,"share":0.125,"state":"promoted"})");
  }
  expect_unbroken(version_table(versions, console), 13);
  Json devices = Json::array();
  for (int number = 0; number < 5; ++number)
    devices.push_back({{"device", std::string(32, 'f')},
                       {"index", 1'234'567},
                       {"revoked", true},
                       {"enrolled_ms", 1'700'000'000'000},
                       {"last_seen_ms", 1'700'000'000'000}});
  expect_unbroken(device_table(devices, console), 6);
  Json rounds = Json::array({round(1'234'567, ""), round(1'234'566, "")});
  rounds[0]["opened_ms"] = 1'700'000'000'000;
  expect_unbroken(round_table(rounds, console), 3);
  Json task = Json::parse(R"({"task":"films","state":"finished","model":"feditemknn","sum":"secure",
    "goal":1000,"quorum":700,"newest":{"version":1234,"model_hash":""},
    "open":{"round":1235,"contributions":99999},"privacy":{"epsilon":3.0,"spent":1.5},"why":"all is done"})");
  expect_unbroken(task_table(Json::array({task, task}), console), 3);
}

TEST(CtlText, ATaskSaysWhyItEndedAndWhatIsOnTrial) {
  using Json = nlohmann::ordered_json;
  const Json task = Json::parse(R"({"task":"films","state":"finished","model":"fpl","sum":"plain",
    "goal":10,"quorum":7,"newest":{"version":5,"trial":{"stable":4,"share":0.1,"state":"open"}},
    "privacy":{"epsilon":3.0,"spent":1.5},"why":"all 5 rounds are committed"})");
  const std::string text = task_table(Json::array({task}), Console());
  for (const char* part : {"films is finished: all 5 rounds are committed\n", "ε 1.50 of 3 is spent",
                           "Version 5 is on trial with 10%", "keep version 4",
                           "sotto ctl promote --task films", "sotto ctl release --task films --version 4"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(CtlText, AVersionOnTrialStandsBesideTheOneThatOthersKept) {
  using Json = nlohmann::ordered_json;
  Json tried = version(5, 0.25);
  tried["trial"] = Json::parse(R"({"stable":4,"share":0.1,"state":"open"})");
  tried["beside"] = Json::parse(R"({"people":99,"metrics":{"P@10":0.5,"nDCG@10":0.125}})");
  Json dropped = version(3, 0);
  dropped["trial"] = Json::parse(R"({"stable":2,"share":0.1,"state":"dropped"})");
  const std::string text = version_table(Json::array({tried, version(4, 0.0625), dropped}), Console());
  for (const char* part : {"open, 10%", "dropped", "5 tried", "4 kept", "99", "0.1250", "0.2500"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_LT(text.find("5 tried"), text.find("4 kept"));
  EXPECT_EQ(text.find("95 of 100"), std::string::npos) << "an older coordinator does not say";
  tried["evaluation"]["intervals"] = Json::parse(R"({"P@10":[0.25,0.5]})");
  tried["beside"]["intervals"] = Json::parse(R"({"P@10":[0.125,0.375]})");
  EXPECT_NE(version_table(Json::array({tried, version(4, 0.0625), dropped}), Console())
                .find("95 of 100 such groups of people would lie, version 5 and 4:\n"
                      "  P@10     0.2500 to 0.5000   0.1250 to 0.3750\n"),
            std::string::npos);
}

// Where nobody had ratings held out a version has no errors, and none are made up.
TEST(CtlText, AMetricThatAVersionLacksIsAnEmptyCellAndNoPlaceInACurve) {
  using Json = nlohmann::ordered_json;
  const auto rated = [](int number, double error) {
    Json one = version(number, 0.25);
    one["evaluation"]["metrics"]["RMSE"] = error;
    return one;
  };
  const std::string text = version_table(
      Json::array({version(4, 0.5), rated(3, 0.75), version(2, 0.5), rated(1, 1.25)}), Console());
  EXPECT_NE(text.find("nDCG@10    RMSE"), std::string::npos) << text;
  EXPECT_EQ(text.find("0.0000"), std::string::npos) << text;
  EXPECT_NE(text.find("RMSE     1.2500 █▁ 0.7500"), std::string::npos) << text;
  const std::string one = version_table(Json::array({rated(2, 0.75), version(1, 0.5)}), Console());
  EXPECT_EQ(one.find("RMSE     0.7500"), std::string::npos) << "one alone is no curve\n" << one;
  EXPECT_NE(one.find("nDCG@10  0.5000"), std::string::npos) << one;
}

// A classifier makes no lists, so that none are counted.
TEST(CtlText, AnAccuracyStandsAlone) {
  using Json = nlohmann::ordered_json;
  Json first = version(1, 0), second = version(2, 0);
  first["evaluation"] = Json::parse(R"({"metrics":{"Accuracy":0.5},"examples":70,"people":12})");
  second["evaluation"] = Json::parse(R"({"metrics":{"Accuracy":0.75},"examples":70,"people":12})");
  const std::string text = version_table(Json::array({second, first}), Console());
  EXPECT_NE(text.find("version  people  Accuracy\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Accuracy 0.5000 ▁█ 0.7500"), std::string::npos) << text;
}

TEST(CtlText, WhatSumsShowedOfADeviceIsOfBothKinds) {
  using Json = nlohmann::ordered_json;
  Json device = Json::parse(R"({"device":"d1","index":0,"revoked":false,"refused":3,
    "secure_sums":{"named":0,"disputes":0,"doubts":0,"kept_out":false}})");
  const std::string text = device_table(Json::array({device}), Console());
  EXPECT_NE(text.find("\nIn sums:\n  d1  contributions refused 3\n"), std::string::npos) << text;
  device.erase("refused");  // an older coordinator
  device["secure_sums"]["disputes"] = 2;
  const std::string older = device_table(Json::array({device}), Console());
  EXPECT_NE(older.find("d1  disputes 2\n"), std::string::npos) << older;
}

RowMatrix counted_rows(std::size_t rows, std::size_t width) {
  RowMatrix all(rows, width);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t k = 0; k < width; ++k) all.row(row)[k] = static_cast<float>(10 * row + k + 1);
  return all;
}

// A model of three features has as many rows as items, and they are none.
TEST(CtlText, AModelsRowsAreNamedByTheirItemsWhereTheyAreItems) {
  IdTable names;
  for (const char* name : {"a", "b", "c"}) names.intern(name);
  Task task;
  task.items = 3;
  const auto table = [&](const TaskModel& model, const RowMatrix& rows) {
    task.model = &model;
    return model_table(rows, task, names, model.is_first).value();
  };
  const RowMatrix rows = counted_rows(3, 2);
  EXPECT_EQ(table(fpl_task, rows), "item\tq0\tbias\na\t1\t2\nb\t11\t12\nc\t21\t22\n");
  EXPECT_EQ(table(kgflex_task, rows), "row\tq0\tq1\n0\t1\t2\n1\t11\t12\n2\t21\t22\n");
  // Of popular items each row has its item's number in front.
  RowMatrix popular = counted_rows(2, 3);
  popular.row(0)[0] = 0.0f;
  popular.row(1)[0] = 2.0f;
  EXPECT_EQ(table(fedease_task, popular), "item\tq0\tq1\na\t2\t3\nc\t12\t13\n");
  names = IdTable();
  EXPECT_EQ(table(fedease_task, popular), "item\tq0\tq1\n0\t2\t3\n2\t12\t13\n");
  EXPECT_EQ(table(fedease_task, RowMatrix(2, 3)), "row\tq0\tq1\tq2\n0\t0\t0\t0\n1\t0\t0\t0\n")
      << "no round has made it yet";
}

TEST(CtlText, WithoutReasonsThereIsNoListOfThem) {
  const std::string text = round_table({round(1, ""), round(2, "")}, Console());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

}  // namespace
}  // namespace sotto::cli::ctl_text_test
