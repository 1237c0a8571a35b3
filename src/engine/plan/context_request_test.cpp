#include "engine/plan/context_request.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "engine/files/files.h"
#include "engine/plan/prepare.h"
#include "engine/train/run_dir.h"

namespace sotto::engine {
namespace {

namespace fs = std::filesystem;

// A few ratings as a file in a folder that is gone afterwards.
class ContextRequestTest : public ::testing::Test {
 public:
  ContextRequestTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::string text;
    for (int user = 0; user < 6; ++user)
      for (int item = 0; item < 8; ++item)
        text += std::to_string(user) + "," + std::to_string(item) + "," +
                std::to_string(1 + (user + item) % 5) + "," +
                std::to_string(900'000'000 + item * (user + 1) * 30'000) + "\n";
    EXPECT_TRUE(write_file(folder_ / "ratings.csv", text).ok());
  }
  ~ContextRequestTest() override { fs::remove_all(folder_); }

 protected:
  [[nodiscard]] TrainRequest request() const {
    TrainRequest train;
    train.model = "toppop";
    train.data.paths = {(folder_ / "ratings.csv").string()};
    train.data.contexts.of = {"interval", "daypart"};
    train.data.rating_scale = "0.5:5";
    return train;
  }
  fs::path folder_ = fs::temp_directory_path() / ("sotto-contexts-" + std::to_string(::getpid()));
};

TEST_F(ContextRequestTest, ASplitHasWhatWasAskedForAndARunKeepsIt) {
  TrainRequest train = request();
  ASSERT_TRUE(settle(train).ok());
  const Split split = prepare(train.data).value().split;
  ASSERT_TRUE(split.records && split.contexts);
  EXPECT_FLOAT_EQ(split.records->scale.lowest, 0.5f);
  EXPECT_EQ(split.contexts->dimensions.size(), 2u);
  const RunDir run(folder_ / "run");
  ASSERT_TRUE(run.begin(train, split).ok());
  const Split kept = run.split().value();
  EXPECT_EQ(kept.records->hash(), split.records->hash());
  EXPECT_EQ(kept.contexts->hash(), split.contexts->hash());
  Bytes bytes = read_file(folder_ / "run" / "records.bin").value();
  bytes[bytes.size() / 2] ^= std::byte{1};
  ASSERT_TRUE(write_file(folder_ / "run" / "records.bin", bytes).ok());
  EXPECT_FALSE(run.split().ok()) << "a changed byte is noticed";
  ASSERT_TRUE(run.clear().ok());
  EXPECT_FALSE(fs::exists(folder_ / "run" / "records.bin"));

  TrainRequest plain = request();
  plain.data.contexts.of = {"none"};
  ASSERT_TRUE(settle(plain).ok());
  const Split bare = prepare(plain.data).value().split;
  EXPECT_TRUE(!bare.records && !bare.contexts);
  EXPECT_EQ(bare.hash, split.hash);
  ASSERT_TRUE(run.begin(plain, bare).ok());
  EXPECT_FALSE(fs::exists(folder_ / "run" / "records.bin"));
}

TEST_F(ContextRequestTest, PlansSayTheSame) {
  TrainRequest train = request();
  ContextRequest& contexts = train.data.contexts;
  contexts.interval_hours = 12;
  contexts.interval_bins = 5;
  contexts.interval_exact = true;
  contexts.day = "7-20";
  contexts.utc_offset = -6.5;
  train.data.split.most_test = 20;
  const TrainRequest again = from_toml(to_toml(train), "plan.toml").value();
  EXPECT_EQ(again.data.contexts.of, contexts.of);
  EXPECT_EQ(again.data.contexts.utc_offset, -6.5);
  EXPECT_EQ(again.data.contexts.interval_exact, true);
  EXPECT_EQ(again.data.rating_scale, "0.5:5");
  EXPECT_EQ(again.data.split.most_test, 20u);
  EXPECT_EQ(to_toml(again), to_toml(train));
  EXPECT_EQ(to_toml(TrainRequest{}).find("contexts"), std::string::npos) << "old plans read the same";
  ASSERT_TRUE(settle(train).ok());
  const Split split = prepare(train.data).value().split;
  const ContextSchema schema = schema_of(contexts, split).value();
  EXPECT_TRUE(schema.interval && schema.daypart && !schema.item && schema.exact_bins);
  EXPECT_EQ(schema.bin_hours, 12u);
  EXPECT_EQ(schema.day_from, 7u);
  EXPECT_EQ(schema.night_from, 20u);
}

TEST_F(ContextRequestTest, AllIsWhatThereIs) {
  TrainRequest train = request();
  train.data.contexts.of = {"all"};
  ASSERT_TRUE(settle(train).ok());
  const Split split = prepare(train.data).value().split;
  EXPECT_EQ(split.contexts->dimensions.size(), 3u) << "interval, daypart, recency";
}

TEST_F(ContextRequestTest, WrongRequestsAreToldBeforeReading) {
  const auto refusal = [this](auto change) {
    TrainRequest train = request();
    change(train.data);
    const Status settled = settle(train);
    EXPECT_EQ(settled.ok() ? Code::io : settled.error().code, Code::usage);
    return settled.ok() ? std::string() : settled.error().message;
  };
  EXPECT_NE(refusal([](DataRequest& d) { d.contexts.of = {"weather"}; }).find("'weather'"),
            std::string::npos);
  EXPECT_NE(refusal([](DataRequest& d) { d.contexts.of = {"all", "item"}; }).find("all"), std::string::npos);
  EXPECT_NE(refusal([](DataRequest& d) { d.contexts.day = "noon"; }).find("--day"), std::string::npos);
  EXPECT_NE(refusal([](DataRequest& d) { d.contexts.day = "18-6"; }).find("6-18"), std::string::npos);
  EXPECT_NE(refusal([](DataRequest& d) { d.rating_scale = "5:1"; }).find("scale"), std::string::npos);
  const std::string saved = refusal([](DataRequest& d) {
    d.paths.clear();
    d.split_file = "split.bin";
  });
  EXPECT_NE(saved.find("--data"), std::string::npos) << saved;
}

}  // namespace
}  // namespace sotto::engine
