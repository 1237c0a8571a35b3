// The store at every write: the process killed, the write torn, the power cut, the disk full. What is left is
// compared with the PlainStore after as many calls, and the script is played on to its end.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/sqlite_store.h"
#include "server/testing/store_snapshot.h"
#include "tests/faults/faulty_disk.h"
#include "tests/faults/store_script.h"

namespace sotto::tests {
namespace {

constexpr std::size_t reopened_at = 13;  // the script is run in two lives, so that closing is a write too

// What the plain store says at each step, and is after each number of steps.
struct Expected {
  std::vector<std::string> outcomes, states;
  std::vector<std::vector<bool>> blobs;
};

const Expected& expected() {
  static const Expected all = [] {
    Expected made;
    PlainStore store;
    for (std::size_t step = 0;; ++step) {
      made.states.push_back(snapshot(store));
      made.blobs.push_back(blobs_in(store));
      if (step == store_script().size()) return made;
      made.outcomes.push_back(store_script()[step].run(store));
    }
  }();
  return all;
}

// In the child: runs the script and tells each step that was answered, by one letter.
void play(const std::filesystem::path& folder, FaultyDisk& disk, int told, bool dies_of_failure) {
  std::size_t step = 0;
  for (const std::size_t end : {reopened_at, store_script().size()}) {
    auto store = SqliteStore::open(folder, &disk);
    if (!store.ok() && dies_of_failure) die_at_once();
    if (!store.ok()) ::_exit(3);
    for (; step < end; ++step) {
      const std::string outcome = store_script()[step].run(**store);
      const bool is_right = outcome == expected().outcomes[step];
      if (!is_right && dies_of_failure) die_at_once();
      const char letter = is_right ? 'y' : 'n';
      if (::write(told, &letter, 1) != 1) ::_exit(4);
    }
  }
  ::_exit(0);
}

struct Life {
  bool survived = false;
  std::string told;
};

Life live(const std::filesystem::path& folder, FaultyDisk disk, bool dies_of_failure = false) {
  std::array<int, 2> pipe{};
  EXPECT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) play(folder, disk, pipe[1], dies_of_failure);
  ::close(pipe[1]);
  Life life;
  std::array<char, 256> letters{};
  for (ssize_t got = 0; (got = ::read(pipe[0], letters.data(), letters.size())) > 0;)
    life.told.append(letters.data(), static_cast<std::size_t>(got));
  ::close(pipe[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
  life.survived = WIFEXITED(status);
  return life;
}

// Every blob that was there before and after the call is there; none that was in neither.
void expect_blobs(Store& store, std::size_t steps) {
  const auto found = blobs_in(store);
  const auto& before = expected().blobs[steps];
  const auto& later = expected().blobs[std::min(steps + 1, store_script().size())];
  for (std::size_t blob = 0; blob < found.size(); ++blob) {
    EXPECT_TRUE(found[blob] || !before[blob] || !later[blob]) << "blob " << blob << " is lost";
    EXPECT_TRUE(!found[blob] || before[blob] || later[blob]) << "blob " << blob << " came back";
  }
}

// Opens what a dead process left, compares it, and plays the script to its end.
void expect_recovery(const std::filesystem::path& folder, const Life& life) {
  ASSERT_EQ(life.told.find('n'), std::string::npos) << "a call before the fault went wrong";
  const std::size_t steps = life.told.size();
  auto opened = SqliteStore::open(folder);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  Store& store = **opened;
  const std::string state = snapshot(store);
  const auto& states = expected().states;
  const bool is_before = state == states[steps];
  ASSERT_TRUE(is_before || (steps + 1 < states.size() && state == states[steps + 1]))
      << "after " << steps << " calls and a part of "
      << (steps < store_script().size() ? store_script()[steps].name : "closing") << ":\n"
      << state << "where there was\n"
      << states[steps];
  expect_blobs(store, steps);
  for (std::size_t step = is_before ? steps : steps + 1; step < store_script().size(); ++step)
    EXPECT_EQ(store_script()[step].run(store), expected().outcomes[step])
        << store_script()[step].name << ", step " << step;
  EXPECT_EQ(snapshot(store), states.back());
  EXPECT_EQ(tokens_left(store), tokens_left(*after(store_script().size())));
}

void expect_recovery_at_every_write(DiskFault fault, bool dies_of_failure = false) {
  const FaultFolder folder;
  std::uint64_t write = 1;
  for (;; ++write) {
    SCOPED_TRACE("write " + std::to_string(write));
    folder.empty();
    const std::uint64_t length = ~std::uint64_t{0} / 2;
    const Life life = live(folder.state(), FaultyDisk(fault, write, length), dies_of_failure);
    expect_recovery(folder.state(), life);
    if (life.survived || ::testing::Test::HasFailure()) break;
  }
  EXPECT_GT(write, 100u);  // the script writes more than that
  ::testing::Test::RecordProperty("writes", std::to_string(write - 1));
}

TEST(StoreFaults, KilledAtEveryWrite) { expect_recovery_at_every_write(DiskFault::kill); }
TEST(StoreFaults, TornAtEveryWrite) { expect_recovery_at_every_write(DiskFault::torn); }
TEST(StoreFaults, PowerCutAtEveryWrite) { expect_recovery_at_every_write(DiskFault::power_cut); }
TEST(StoreFaults, DiskFullAtEveryWriteAndThenKilled) {
  expect_recovery_at_every_write(DiskFault::full, true);
}

// The process goes on: a call that failed has not happened, and works when there is room again.
void play_with_full_disk(const std::filesystem::path& folder, FaultyDisk& disk, std::uint64_t length) {
  std::size_t step = 0;
  for (const std::size_t end : {reopened_at, store_script().size()}) {
    auto store = SqliteStore::open(folder, &disk);
    for (std::uint64_t tries = 0; !store.ok() && tries <= length; ++tries) {
      EXPECT_EQ(store.error().code, Code::io) << store.error().message;
      store = SqliteStore::open(folder, &disk);
    }
    ASSERT_TRUE(store.ok()) << store.error().message;
    for (; step < end; ++step) {
      SCOPED_TRACE(store_script()[step].name);
      std::string outcome = store_script()[step].run(**store);
      for (std::uint64_t tries = 0; outcome != expected().outcomes[step] && tries <= length; ++tries) {
        EXPECT_EQ(outcome, "error " + std::to_string(static_cast<int>(Code::io)));
        EXPECT_EQ(snapshot(**store), expected().states[step]);
        outcome = store_script()[step].run(**store);
      }
      ASSERT_EQ(outcome, expected().outcomes[step]);
      EXPECT_EQ(snapshot(**store), expected().states[step + 1]);
      EXPECT_EQ(blobs_in(**store), expected().blobs[step + 1]);
    }
  }
}

TEST(StoreFaults, GoesOnAfterAFullDiskAtEveryWrite) {
  const FaultFolder folder;
  for (const std::uint64_t length : {1, 4}) {
    for (std::uint64_t write = 1;; ++write) {
      SCOPED_TRACE("write " + std::to_string(write) + " of " + std::to_string(length));
      folder.empty();
      FaultyDisk disk(DiskFault::full, write, length);
      play_with_full_disk(folder.state(), disk, length);
      if (HasFailure()) return;
      expect_recovery(folder.state(), {true, std::string(store_script().size(), 'y')});
      if (HasFailure() || disk.writes() < write) break;
    }
  }
}

}  // namespace
}  // namespace sotto::tests
