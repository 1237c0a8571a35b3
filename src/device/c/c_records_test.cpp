// The C interface: what is recorded beside an item, and a device that moves.
#include <nlohmann/json.hpp>

#include "device/testing/c_interface.h"

namespace sotto::device::c_records_test {
namespace {

struct SeenRecord {
  std::string item;
  std::optional<double> rating;
  std::optional<int64_t> time_ms;
  std::string contexts;
  bool operator==(const SeenRecord&) const = default;
};
std::vector<SeenRecord> records_of(sotto_device* device) {
  std::vector<SeenRecord> seen;
  const sotto_record_fn each = [](void* out, const sotto_record* record) {
    SeenRecord one{.item = record->item, .rating = {}, .time_ms = {}, .contexts = {}};
    if (record->has_rating != 0) one.rating = record->rating;
    if (record->has_time != 0) one.time_ms = record->time_ms;
    for (size_t n = 0; n < record->context_count; ++n)
      one.contexts += std::string(record->contexts[n].name) + "=" + record->contexts[n].value + ";";
    static_cast<std::vector<SeenRecord>*>(out)->push_back(one);
  };
  EXPECT_EQ(sotto_records(device, each, &seen), SOTTO_OK);
  return seen;
}

TEST_F(CInterface, RecordsKeepWhatIsBesideTheItem) {
  const sotto_context contexts[] = {{"weather", "rain"}, {"device", "phone"}};
  sotto_record records[2]{};
  for (sotto_record& record : records) record.size = sizeof(sotto_record);
  records[0].item = "b";
  records[0].rating = 1.0;
  records[0].has_rating = 1;
  records[0].contexts = contexts;
  records[0].context_count = 2;
  records[1].item = "a";
  records[1].time_ms = 7000;
  records[1].has_time = 1;
  ASSERT_EQ(sotto_add_records(device_, records, 2), SOTTO_OK) << sotto_last_error(device_);
  ASSERT_EQ(sotto_add_interaction(device_, "c", 1.0, 0), SOTTO_OK);
  ASSERT_EQ(sotto_add_interaction(device_, "d", 4.0, 9000), SOTTO_OK);
  EXPECT_EQ(records_of(device_), (std::vector<SeenRecord>{{"a", {}, 7000, ""},
                                                          {"b", 1.0, {}, "weather=rain;device=phone;"},
                                                          {"c", {}, {}, ""},
                                                          {"d", 4.0, 9000, ""}}));
  // One that is wrong, and none is added.
  records[0].item = "new";
  records[1].item = nullptr;
  EXPECT_EQ(sotto_add_records(device_, records, 2), SOTTO_USAGE);
  records[0].size = 8;
  EXPECT_EQ(sotto_add_records(device_, records, 1), SOTTO_USAGE);
  EXPECT_EQ(sotto_add_records(device_, nullptr, 1), SOTTO_USAGE);
  EXPECT_EQ(sotto_records(device_, nullptr, nullptr), SOTTO_USAGE);
  EXPECT_EQ(records_of(device_).size(), 4u);
  EXPECT_EQ(sotto_add_records(device_, nullptr, 0), SOTTO_OK);
}

// A program that was compiled with a later header has longer records.
TEST_F(CInterface, LongerRecordsOfLaterVersionsAreRead) {
  struct Later {
    sotto_record known;
    double more;
  };
  Later later[2]{};
  for (Later& record : later) record.known.size = sizeof(Later);
  later[0].known.item = "a";
  later[1].known.item = "b";
  ASSERT_EQ(sotto_add_records(device_, &later[0].known, 2), SOTTO_OK) << sotto_last_error(device_);
  EXPECT_EQ(records_of(device_).size(), 2u);
}

TEST_F(CInterface, ADeviceMovesAndAnotherKeyOpensIt) {
  join();
  ASSERT_EQ(exchange().ending, SOTTO_ANSWERED);
  const std::string path = folder_ / "vault.db", other = folder_ / "other.db", file = folder_ / "file";
  const sotto_key words{nullptr, "some words"};
  ASSERT_EQ(sotto_device_change_key(device_, nullptr), SOTTO_USAGE);
  ASSERT_EQ(sotto_device_change_key(device_, &words), SOTTO_OK) << sotto_last_error(device_);
  EXPECT_EQ(ledger_lines(), 1u);
  sotto_device_close(device_);
  device_ = nullptr;
  const sotto_key bytes{key_bytes_.data(), nullptr};
  EXPECT_EQ(sotto_device_open(path.c_str(), &bytes, 0, &device_), SOTTO_USAGE);  // it is a passphrase now
  EXPECT_EQ(sotto_device_move_out(path.c_str(), &words, file.c_str(), "short"), SOTTO_USAGE);
  EXPECT_EQ(sotto_device_move_out(path.c_str(), &words, file.c_str(), nullptr), SOTTO_USAGE);
  ASSERT_EQ(sotto_device_move_out(path.c_str(), &words, file.c_str(), "carry these five words"), SOTTO_OK)
      << sotto_last_error(nullptr);
  EXPECT_EQ(sotto_device_open(path.c_str(), &words, 1, &device_), SOTTO_NOT_FOUND);
  EXPECT_EQ(sotto_device_move_in(file.c_str(), "carry those five words", other.c_str(), &bytes),
            SOTTO_BAD_INPUT);
  ASSERT_EQ(sotto_device_move_in(file.c_str(), "carry these five words", other.c_str(), &bytes), SOTTO_OK)
      << sotto_last_error(nullptr);
  EXPECT_EQ(sotto_device_move_in(file.c_str(), "carry these five words", other.c_str(), &bytes), SOTTO_USAGE);
  ASSERT_EQ(sotto_device_open(other.c_str(), &bytes, 0, &device_), SOTTO_OK) << sotto_last_error(nullptr);
  // The round that the old one answered is answered; the next one is the new one's, under the same identity.
  EXPECT_EQ(exchange().ending, SOTTO_KEPT_QUIET);
  ++wire_.server.round;
  EXPECT_EQ(exchange().ending, SOTTO_ANSWERED) << sotto_last_error(device_);
  EXPECT_EQ(ledger_lines(), 2u);
  EXPECT_EQ(wire_.server.contributions.size(), 2u);
}

}  // namespace
}  // namespace sotto::device::c_records_test
