// The C interface: what a person says of themself, and where it goes.
#include <algorithm>

#include "device/testing/asking_task.h"
#include "device/testing/c_interface.h"
#include "fed/wire/packed_contribution.h"

namespace sotto::device::c_attributes_test {
namespace {

constexpr std::uint32_t things = 30;
const TaskCatalogue& catalogue() {
  static const TaskCatalogue made =
      asking_catalogue(things, {{"job", {"cook", "pilot"}}, {"age", {"18-24", "25-34"}}});
  return made;
}
// Parts of the day are the first four values, jobs the next two.
enum Row : std::uint32_t { cook_row = things + 4, pilot_row, young_row, older_row };

class CAttributes : public CInterface {
 protected:
  CAttributes() : CInterface(asking_spec(catalogue())) {
    *wire_.server.spec.mutable_catalogue() = wire_.server.keep(pack_catalogue(encode_catalogue(catalogue())));
    RowMatrix& master = wire_.server.master;
    master.row(master.rows() - 1)[0] = 1.0f;  // as if the first round had counted
    wire_.server.publish_master();
    for (std::uint32_t n = 0; n < 8; ++n)
      EXPECT_EQ(sotto_add_interaction(device_, std::to_string(3 * n).c_str(), 4.0 + n % 2,
                                      1'700'000'000'000 + n * 3'600'000),
                SOTTO_OK);
  }
  [[nodiscard]] sotto_status set(const char* name, const char* value) const {
    return sotto_set_attribute(device_, name, value);
  }
  [[nodiscard]] std::string list(int asked = 0) const {
    std::string all;
    const sotto_attribute_fn add = [](void* out, const char* name, const char* value) {
      *static_cast<std::string*>(out) += std::string(name) + "=" + value + ";";
    };
    EXPECT_EQ(sotto_attributes(device_, asked, add, &all), SOTTO_OK);
    return all;
  }
  void enrol(const char* level) const {
    ASSERT_EQ(sotto_set_level(device_, level), SOTTO_OK);
    ASSERT_EQ(sotto_enrol(device_, &transport_, reinterpret_cast<const uint8_t*>("token"), 5), SOTTO_OK)
        << sotto_last_error(device_);
  }
  // Which rows of people are in what leaves.
  [[nodiscard]] std::vector<std::uint32_t> sent_rows() {
    wire_.server.contributions.clear();
    EXPECT_EQ(exchange().ending, SOTTO_ANSWERED) << sotto_last_error(device_);
    ++wire_.server.round;
    const TaskShape::Sent sent = wire_.server.task.shape().sent;
    const auto message = unpack_contribution(
        *wire_.server.contributions.begin(),
        {.catalogue = sent.rows, .width = sent.width, .most_rows = sent.most_rows, .alike = sent.alike});
    EXPECT_TRUE(message.ok());
    std::vector<std::uint32_t> rows;
    for (std::size_t n = 0; n < message->contribution.size(); ++n)
      if (const std::uint32_t row = message->contribution.row(n); row >= cook_row && row <= older_row)
        rows.push_back(row);
    std::ranges::sort(rows);
    return rows;
  }
  [[nodiscard]] std::string last_line() const {
    std::vector<std::string> lines;
    EXPECT_EQ(sotto_ledger(device_, nullptr, collect_text, &lines), SOTTO_OK);
    return lines.back();
  }
};

TEST_F(CAttributes, AreSaidListedAndTakenBack) {
  EXPECT_EQ(list(), "");
  EXPECT_EQ(list(1), "") << "no task yet";
  EXPECT_EQ(set("shoe", "44"), SOTTO_OK);
  EXPECT_EQ(set(nullptr, "x"), SOTTO_USAGE);
  EXPECT_EQ(set("age", ""), SOTTO_USAGE);
  EXPECT_EQ(set("age", "two\nlines"), SOTTO_USAGE);
  EXPECT_EQ(sotto_attributes(device_, 0, nullptr, nullptr), SOTTO_USAGE);
  enrol("open");
  EXPECT_TRUE(sent_rows().empty()) << "a task that does not know it does not take it";
  EXPECT_EQ(list(1), "job=cook;job=pilot;age=18-24;age=25-34;");
  EXPECT_EQ(set("age", "private"), SOTTO_USAGE);
  EXPECT_STREQ(sotto_last_error(device_),
               "the tasks on this device do not know this value of 'age': choose from 18-24, 25-34");
  EXPECT_EQ(set("secret", "private"), SOTTO_USAGE);
  EXPECT_STREQ(sotto_last_error(device_),
               "no task on this device asks for an attribute of this name: they ask for job, age");
  ASSERT_EQ(set("job", "pilot"), SOTTO_OK) << sotto_last_error(device_);
  ASSERT_EQ(set("job", "cook"), SOTTO_OK) << sotto_last_error(device_);
  EXPECT_EQ(list(), "shoe=44;job=cook;");
  ASSERT_EQ(set("shoe", nullptr), SOTTO_OK) << sotto_last_error(device_);
  EXPECT_EQ(list(), "job=cook;");
  std::vector<std::string> documents;
  ASSERT_EQ(sotto_export(device_, collect_text, &documents), SOTTO_OK);
  EXPECT_NE(documents[0].find("\"job\": \"cook\""), std::string::npos) << documents[0];
}

TEST_F(CAttributes, EnterWhatLeavesAsTheLevelLetsThem) {
  ASSERT_EQ(set("age", "25-34"), SOTTO_OK);
  ASSERT_EQ(set("job", "cook"), SOTTO_OK);
  enrol("open");
  EXPECT_EQ(sent_rows(), (std::vector<std::uint32_t>{cook_row, older_row}));
  EXPECT_NE(last_line().find("told job and age"), std::string::npos) << last_line();
  ASSERT_EQ(set("age", nullptr), SOTTO_OK);
  EXPECT_EQ(sent_rows(), (std::vector<std::uint32_t>{cook_row}));
  EXPECT_NE(last_line().find("told job"), std::string::npos) << last_line();
  ASSERT_EQ(sotto_set_level(device_, "careful"), SOTTO_OK);  // contexts are off
  ASSERT_EQ(sotto_set_pi(device_, 0.4), SOTTO_OK);           // and more is shared than a thing in ten
  EXPECT_TRUE(sent_rows().empty());
  EXPECT_EQ(last_line().find("told"), std::string::npos) << last_line();
}

// Offline, too: whoever says nothing gets another list, and the reasons name what was said.
TEST_F(CAttributes, CountInListsAndReasonsOffline) {
  enrol("open");
  ASSERT_EQ(exchange().ending, SOTTO_ANSWERED);
  const auto scores = [&] {
    std::vector<double> all;
    const sotto_item_fn add = [](void* out, const char*, double score) {
      static_cast<std::vector<double>*>(out)->push_back(score);
    };
    EXPECT_EQ(sotto_recommend(device_, nullptr, things, add, &all), SOTTO_OK) << sotto_last_error(device_);
    return all;
  };
  const auto reasons = [&] {
    std::vector<std::string> all;
    for (std::uint32_t thing = 0; thing < things; ++thing)
      EXPECT_EQ(
          sotto_explain(device_, nullptr, std::to_string(thing).c_str(), 9, nullptr, collect_item, &all),
          SOTTO_OK);
    return all;
  };
  const auto before = scores();
  EXPECT_EQ(std::ranges::count(reasons(), "your job: cook"), 0);
  ASSERT_EQ(set("job", "cook"), SOTTO_OK);
  const auto after = scores();
  EXPECT_NE(before, after);
  EXPECT_GT(std::ranges::count(reasons(), "your job: cook"), 0);
  ASSERT_EQ(set("job", nullptr), SOTTO_OK);
  EXPECT_EQ(scores(), before);
}

}  // namespace
}  // namespace sotto::device::c_attributes_test
