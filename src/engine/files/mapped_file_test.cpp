#include "engine/files/mapped_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/compression.h"
#include "base/row_matrix.h"
#include "data/generate.h"
#include "data/split_parts.h"
#include "engine/files/files.h"
#include "engine/files/split_file.h"
#include "engine/train/training.h"

namespace sotto::engine {
namespace {

namespace fs = std::filesystem;

class MappedFileTest : public ::testing::Test {
 public:
  MappedFileTest() {
    std::string pattern = (fs::temp_directory_path() / "sotto-mapped-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~MappedFileTest() override { fs::remove_all(folder_); }

 protected:
  [[nodiscard]] fs::path put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  fs::path folder_;
};

std::string text_of(const SharedBytes& shared) {
  return {reinterpret_cast<const char*>(shared.bytes.data()), shared.bytes.size()};
}

Split mapped_world() {
  return generate_split({.users = 60, .items = 80, .cities = 3, .mean_interactions = 9.0, .seed = 5}).value();
}

TEST_F(MappedFileTest, HoldsTheFilesBytes) {
  const std::string text(10'000, 'x');
  EXPECT_EQ(text_of(map_file(put("long", text)).value()), text);
  EXPECT_TRUE(map_file(put("empty", "")).value().bytes.empty());
  EXPECT_EQ(map_file(folder_ / "absent").error().code, Code::not_found);
  EXPECT_EQ(map_file(folder_).error().code, Code::bad_input);
  // Packed files are unpacked, whichever way they are read.
  const Bytes packed = compress(std::as_bytes(std::span(text)));
  const fs::path file = put("packed", {reinterpret_cast<const char*>(packed.data()), packed.size()});
  EXPECT_EQ(text_of(read_or_map(file).value()), text);
}

TEST_F(MappedFileTest, OutlivesItsNameAndItsSuccessor) {
  const fs::path file = put("f", "first");
  const SharedBytes mapped = map_file(file).value();
  ASSERT_TRUE(write_file(file, std::string_view("second")).ok());
  EXPECT_EQ(text_of(mapped), "first");
  EXPECT_EQ(text_of(map_file(file).value()), "second");
}

TEST_F(MappedFileTest, AMappedSplitEqualsAnOwnedOne) {
  const Split split = mapped_world();
  const fs::path file = folder_ / "w.split";
  ASSERT_TRUE(write_split_file(file, split).ok());
  EXPECT_TRUE(is_split_file(file));
  EXPECT_FALSE(is_split_file(put("text", "a\tb\n")));
  const Split mapped = open_split_file(file).value();
  EXPECT_EQ(hash_of(mapped), split.hash);
  EXPECT_EQ(mapped.hash, split.hash);
  EXPECT_EQ(save_split(mapped), save_split(split));
  for (std::uint32_t user = 0; user < split.users.size(); ++user)
    EXPECT_EQ(mapped.users.find(split.users.name(user)), user);
  EXPECT_FALSE(mapped.users.find("nobody").has_value());
  const Bytes packed = compress(save_split(split));
  const fs::path small = put("w.split.zst", {reinterpret_cast<const char*>(packed.data()), packed.size()});
  EXPECT_EQ(hash_of(open_split_file(small).value()), split.hash);
}

TEST_F(MappedFileTest, DamagedSplitFilesAreRefused) {
  const Bytes bytes = save_split(mapped_world());
  const std::string whole(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const std::size_t size : {std::size_t{0}, std::size_t{11}, std::size_t{1000}, whole.size() - 1}) {
    const auto cut = open_split_file(put("cut", whole.substr(0, size)));
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.error().code, Code::bad_input);
    EXPECT_NE(cut.error().message.find("sotto data split"), std::string::npos);
  }
  std::string older = whole;
  older[12] = 1;
  EXPECT_EQ(open_split_file(put("old", older)).error().code, Code::incompatible);
  EXPECT_FALSE(open_split_file(put("long", whole + '\0')).ok());
  std::string changed = whole;
  changed[whole.size() - 3] = static_cast<char>(changed[whole.size() - 3] ^ 1);
  EXPECT_FALSE(open_split_file(put("changed", changed)).ok());
}

// The signal itself, in a process of its own.
TEST_F(MappedFileTest, ACutFileEndsTheProgramWithASentence) {
  const fs::path file = put("cut", std::string(100'000, 'x'));
  const auto touch = [&] {
    const MappingGuard guard;
    const SharedBytes mapped = map_file(file).value();
    if (::truncate(file.c_str(), 0) != 0) ::_exit(3);
    ::_exit(mapped.bytes[50'000] == std::byte{0} ? 4 : 5);
  };
  EXPECT_EXIT(touch(), ::testing::ExitedWithCode(1), "/cut' was cut short.*make it again");
}

TEST_F(MappedFileTest, OtherLostPagesEndAsEver) {
  const auto raise_at_no_mapping = [] {
    const MappingGuard guard;
    ::raise(SIGBUS);
    ::raise(SIGBUS);
    ::_exit(0);
  };
  EXPECT_EXIT(raise_at_no_mapping(), ::testing::KilledBySignal(SIGBUS), "");
}

TEST_F(MappedFileTest, ScratchIsMemoryWithoutAName) {
  const auto storage = ScratchStorage::make(folder_, 100 * 16 * sizeof(float)).value();
  EXPECT_EQ(entries(), 0u);
  RowMatrix rows(100, 5, *storage);
  for (std::size_t row = 0; row < 100; ++row) {
    EXPECT_EQ(rows.row(row)[0], 0.0f);
    rows.row(row)[0] = static_cast<float>(row);
  }
  const RowMatrix more(10, 5, *storage);  // the file is used up: these lie on the heap
  EXPECT_EQ(more.row(9)[4], 0.0f);
  const RowMatrix copy = rows;
  rows.row(7)[0] = -1.0f;
  EXPECT_EQ(copy.row(7)[0], 7.0f);
  EXPECT_EQ(rows.row(99)[0], 99.0f);
}

TEST_F(MappedFileTest, ScratchSaysWhatTheDiskLacks) {
  const auto full = ScratchStorage::make(folder_, std::uint64_t{1} << 50);
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().code, Code::io);
  EXPECT_NE(full.error().message.find("1125899.91 GB"), std::string::npos) << full.error().message;
  EXPECT_NE(full.error().message.find("--scratch"), std::string::npos) << full.error().message;
  EXPECT_EQ(entries(), 0u);
  EXPECT_EQ(ScratchStorage::make(folder_ / "absent", 64).error().code, Code::not_found);
}

TEST_F(MappedFileTest, AModelTrainedInScratchHasTheSameBytes) {
  const Split split = mapped_world();
  TrainRequest request;
  request.data.paths = {"w"};
  request.plan.epochs = 2;
  ASSERT_TRUE(settle(request).ok());
  SerialExecutor executor;
  TrainHooks hooks;
  const Trained heap = train(request, split, executor, hooks).value();
  const auto storage = ScratchStorage::make(folder_, 60 * 128).value();
  hooks.private_memory = storage.get();
  const Trained scratch = train(request, split, executor, hooks).value();
  EXPECT_EQ(scratch.model_hash, heap.model_hash);
  EXPECT_EQ(hash_rows(scratch.parameters->users.on_device()), hash_rows(heap.parameters->users.on_device()));
}

}  // namespace
}  // namespace sotto::engine
