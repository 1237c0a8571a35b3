#include "engine/files/files.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "base/compression.h"

namespace sotto::engine {
namespace {

namespace fs = std::filesystem;

// A folder of its own that is gone afterwards.
class FilesTest : public ::testing::Test {
 public:
  FilesTest() {
    std::string pattern = (fs::temp_directory_path() / "sotto-files-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~FilesTest() override { fs::remove_all(folder_); }

 protected:
  void put(const fs::path& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::string get(const fs::path& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

TEST_F(FilesTest, reads_what_is_there) {
  put("plain.txt", std::string("a\0b\n", 4));
  put("empty.txt", "");
  EXPECT_EQ(*read_text(folder_ / "plain.txt"), std::string("a\0b\n", 4));
  EXPECT_EQ(*read_text(folder_ / "empty.txt"), "");
}

TEST_F(FilesTest, unpacks_zstd_by_content_not_by_name) {
  const std::string text(100000, 'x');
  const Bytes packed = compress(std::as_bytes(std::span(text)));
  put("packed.txt", std::string(reinterpret_cast<const char*>(packed.data()), packed.size()));
  put("not.zst", "plain");
  EXPECT_EQ(*read_text(folder_ / "packed.txt"), text);
  EXPECT_EQ(*read_text(folder_ / "not.zst"), "plain");
}

TEST_F(FilesTest, a_cut_zstd_stream_names_the_file) {
  const std::string text(100000, 'x');
  const Bytes packed = compress(std::as_bytes(std::span(text)));
  put("cut.zst", std::string(reinterpret_cast<const char*>(packed.data()), packed.size() / 2));
  const auto read = read_text(folder_ / "cut.zst");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, Code::bad_input);
  EXPECT_NE(read.error().message.find("cut.zst"), std::string::npos);
}

TEST_F(FilesTest, says_what_is_missing_or_a_folder) {
  const auto missing = read_file(folder_ / "none.tsv");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, Code::not_found);
  EXPECT_NE(missing.error().message.find("none.tsv"), std::string::npos);
  EXPECT_EQ(read_file(folder_).error().code, Code::bad_input);
}

TEST_F(FilesTest, writes_whole_and_leaves_nothing_else) {
  put("out.txt", "old and longer");
  ASSERT_TRUE(write_file(folder_ / "out.txt", std::string_view("new")).ok());
  EXPECT_EQ(get("out.txt"), "new");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FilesTest, a_failed_write_keeps_the_old_and_leaves_nothing) {
  fs::create_directories(folder_ / "taken" / "inside");  // a folder that rename cannot replace
  const auto status = write_file(folder_ / "taken", std::string_view("new"));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::io);
  EXPECT_TRUE(fs::is_directory(folder_ / "taken" / "inside"));
  EXPECT_EQ(entries(), 1u);
  EXPECT_EQ(write_file(folder_ / "no" / "such" / "x", std::string_view("y")).error().code, Code::not_found);
}

// What a full disk looks like to a process: no file grows past `bytes`.
class DiskLimit {
 public:
  explicit DiskLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit tight{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &tight);
  }
  DiskLimit(const DiskLimit&) = delete;
  DiskLimit& operator=(const DiskLimit&) = delete;
  ~DiskLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(FilesTest, a_full_disk_keeps_the_old_file_and_says_so) {
  put("out.txt", "old");
  auto log = AppendFile::open(folder_ / "log.txt", 0);
  ASSERT_TRUE(log.ok());
  ASSERT_TRUE(log->line(std::string(9000, 'x')).ok());
  Status written = Done{}, flushed = Done{};
  {
    const DiskLimit limit(4096);
    written = write_file(folder_ / "out.txt", std::string(9000, 'x'));
    flushed = log->flush();
  }
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, Code::io);
  EXPECT_NE(written.error().message.find("out.txt"), std::string::npos);
  EXPECT_EQ(get("out.txt"), "old");
  EXPECT_EQ(entries(), 2u);
  ASSERT_FALSE(flushed.ok());
  EXPECT_EQ(flushed.error().code, Code::io);
}

TEST_F(FilesTest, makes_folders_unless_a_file_is_in_the_way) {
  EXPECT_TRUE(make_folder(folder_ / "a" / "b").ok());
  EXPECT_TRUE(make_folder(folder_ / "a" / "b").ok());
  put("file", "");
  EXPECT_FALSE(make_folder(folder_ / "file").ok());
  EXPECT_FALSE(make_folder(folder_ / "file" / "below").ok());
}

TEST_F(FilesTest, a_folder_means_its_data_files) {
  for (const char* name :
       {"b.tsv", "a.csv.zst", "u.data", "r.dat", "t.txt", "README.txt", "movies.dat.zst", "items.tsv",
        "world.items.tsv", "Users.dat", "category_top_level.tsv", "notes.md", "x.zst", ".hidden.part"})
    put(name, "");
  put("below/c.tsv", "");
  const auto files = data_files({folder_.string()});
  ASSERT_TRUE(files.ok());
  std::vector<std::string> names;
  for (const auto& file : *files) names.push_back(file.filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"a.csv.zst", "b.tsv", "r.dat", "t.txt", "u.data"}));
}

TEST_F(FilesTest, named_files_are_taken_as_they_are_and_once) {
  put("odd.name", "");
  put("movies.dat", "");
  const std::string odd = (folder_ / "odd.name").string();
  const std::string movies = (folder_ / "movies.dat").string();
  const auto files = data_files({odd, movies, odd});
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(*files, (std::vector<fs::path>{movies, odd}));
}

TEST_F(FilesTest, missing_paths_and_empty_folders_fail) {
  EXPECT_EQ(data_files({(folder_ / "none").string()}).error().code, Code::not_found);
  put("README.md", "");
  const auto empty = data_files({folder_.string()});
  ASSERT_FALSE(empty.ok());
  EXPECT_NE(empty.error().message.find(folder_.string()), std::string::npos);
}

TEST_F(FilesTest, a_log_grows_and_is_cut_back) {
  const fs::path path = folder_ / "log.jsonl";
  {
    auto log = AppendFile::open(path, 0);
    ASSERT_TRUE(log.ok());
    for (const char* text : {"one", "two", "three"}) ASSERT_TRUE(log->line(text).ok());
    ASSERT_TRUE(log->flush().ok());
    EXPECT_EQ(get("log.jsonl"), "one\ntwo\nthree\n");
    EXPECT_EQ(log->lines(), 3u);
  }
  {
    auto log = AppendFile::open(path, 2);
    ASSERT_TRUE(log.ok());
    EXPECT_EQ(log->lines(), 2u);
    ASSERT_TRUE(log->line("3").ok());
  }
  EXPECT_EQ(get("log.jsonl"), "one\ntwo\n3\n");
  { ASSERT_TRUE(AppendFile::open(path, 0).ok()); }
  EXPECT_EQ(get("log.jsonl"), "");
}

TEST_F(FilesTest, a_log_that_lost_lines_is_refused_and_kept) {
  put("log.jsonl", "one\ntwo, without an end");
  const auto log = AppendFile::open(folder_ / "log.jsonl", 2);
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, Code::bad_input);
  EXPECT_EQ(get("log.jsonl"), "one\ntwo, without an end");
}

TEST_F(FilesTest, long_logs_reach_the_disk_without_flush) {
  auto log = AppendFile::open(folder_ / "log.jsonl", 0);
  ASSERT_TRUE(log.ok());
  const std::string text(1000, 'x');
  for (int n = 0; n < 1000; ++n) ASSERT_TRUE(log->line(text).ok());
  EXPECT_GT(get("log.jsonl").size(), 900000u);
}

TEST_F(FilesTest, a_private_file_is_its_owners_alone_from_the_start) {
  const auto mode = [&](const char* name) { return fs::status(folder_ / name).permissions(); };
  const std::string text = "secret";
  const mode_t before = ::umask(0);
  put("kept", "old");
  fs::permissions(folder_ / "kept", fs::perms::all);
  // A leftover of a process with this number: its mode must not be taken over.
  put(fmt::format(".kept.{}.part", ::getpid()), "old");
  ASSERT_TRUE(write_file(folder_ / "kept", std::as_bytes(std::span(text)), Privacy::owner_only).ok());
  ASSERT_TRUE(write_file(folder_ / "open", std::as_bytes(std::span(text))).ok());
  ::umask(before);
  EXPECT_EQ(mode("kept"), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(static_cast<unsigned>(mode("open")), 0666u);
  EXPECT_EQ(get("kept"), "secret");
  EXPECT_EQ(entries(), 2u);
}

TEST_F(FilesTest, what_cannot_be_looked_at_is_an_error_not_an_exception) {
  put("there", "x");
  EXPECT_TRUE(*is_there(folder_ / "there"));
  EXPECT_FALSE(*is_there(folder_ / "absent"));
  EXPECT_FALSE(*is_there(folder_ / "there" / "below a file"));
  fs::create_symlink("nowhere", folder_ / "link");
  EXPECT_TRUE(*is_there(folder_ / "link"));
  fs::create_symlink("loop", folder_ / "loop");
  const auto looked = is_there(folder_ / "loop" / "file");
  ASSERT_FALSE(looked.ok());
  EXPECT_EQ(looked.error().code, Code::io);
  EXPECT_NE(looked.error().message.find("loop/file"), std::string::npos);
  ASSERT_TRUE(remove_file(folder_ / "there").ok());
  EXPECT_FALSE(*is_there(folder_ / "there"));
  EXPECT_TRUE(remove_file(folder_ / "there").ok());
  put("full/file", "x");
  EXPECT_EQ(remove_file(folder_ / "full").error().code, Code::io);
}

}  // namespace
}  // namespace sotto::engine
