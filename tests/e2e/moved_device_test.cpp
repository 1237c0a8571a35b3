// Real vaults with a real coordinator, in one process: a device that moved answers from one machine, and one
// whose task's catalogue grew goes on.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "device/agent.h"
#include "device/enrol.h"
#include "device/recommend.h"
#include "device/vault.h"
#include "device/vault_move.h"
#include "server/coordinator.h"
#include "server/testing/memory_store.h"
#include "server/testing/world_device.h"
#include "storage/testing/scratch_folder.h"

namespace sotto::tests::e2e {
namespace {

namespace fs = std::filesystem;

TaskConfig things(std::uint32_t items) {
  TaskConfig config = world_config(1);
  config.spec.set_items(items);
  config.spec.set_reproducible(false);
  for (std::uint32_t item = 0; item < items; ++item) config.catalogue += fmt::format("thing {}\n", item);
  return config;
}

class VaultsAndACoordinator : public testing::Test, public Transport {
 protected:
  VaultsAndACoordinator() {
    auto opened = Coordinator::open(store, {}, {things(30)}, log, now);
    coordinator = std::move(*opened);
    EXPECT_TRUE(store.add_tokens(std::vector<std::string>{blob_hash("token")}).ok());
    const auto vault = open("old.db");
    EXPECT_TRUE(enrol_vault(*vault, *this, "token").ok());
    EXPECT_TRUE(vault->set_policy({}).ok());
    for (const int item : {1, 3, 4, 12, 29, 35})
      EXPECT_TRUE(vault->add(std::vector<KeptInteraction>{{fmt::format("thing {}", item)}}).ok());
  }
  Result<std::string> call(Method method, const std::string& request) override {
    return coordinator->handle(method, request, now);
  }
  [[nodiscard]] std::string at(const std::string& name) const { return folder.file(name); }
  [[nodiscard]] std::unique_ptr<Vault> open(const std::string& name) const {
    auto vault = Vault::open(at(name), key, Making::if_missing);
    EXPECT_TRUE(vault.ok()) << vault.error().message;
    return std::move(*vault);
  }
  // One exchange of a vault, to its end.
  ExchangeReport run(const std::string& name) {
    now += 60'000;  // or an older nonce alone would tell
    const auto vault = open(name);
    Exchange exchange(*vault, {});
    for (int n = 0; n < 100; ++n) {
      const auto next = exchange.advance(*this, now);
      EXPECT_TRUE(next.ok()) << next.error().message;
      if (next->what != Exchange::Next::What::wait) return next->report;
      now += next->wait_ms;
    }
    return {};
  }
  Status take_in(const std::string& file, const std::string& name, const std::string& machine) {
    return move_in(at(file), words, at(name), key, at(machine));
  }

  ScratchFolder folder;
  Secret key{simulated_key(1, "moved")};
  Passphrase words{"four plain words here"};
  Stretching cheap{.salt = {}, .passes = 1, .memory_kib = 8 * 1024};
  MemoryStore store;
  LogLines log;
  std::int64_t now = 1'700'000'000'000;
  std::unique_ptr<Coordinator> coordinator;
};

TEST_F(VaultsAndACoordinator, AFileTakenInTwiceAnswersOnce) {
  EXPECT_EQ(run("old.db").ending, Ending::answered);
  for (const char* ending : {"", "-wal"})
    if (fs::exists(at("old.db") + ending)) fs::copy(at("old.db") + ending, at("backup.db") + ending);
  ASSERT_TRUE(move_out(at("old.db"), key, at("file"), words, cheap).ok());
  fs::copy(at("file"), at("copy"));
  ASSERT_TRUE(take_in("file", "new.db", "machine").ok());
  ASSERT_TRUE(take_in("copy", "second.db", "another machine").ok());
  EXPECT_EQ(run("new.db").ending, Ending::answered);
  for (const char* other : {"second.db", "backup.db"}) {
    const ExchangeReport report = run(other);
    EXPECT_EQ(report.ending, Ending::refused_by_server) << other;
    EXPECT_EQ(report.refusal, static_cast<int>(v1::REFUSAL_MOVED)) << other;
    EXPECT_NE(report.why.find("in use on another machine since 2023-11-14"), std::string::npos) << report.why;
  }
  EXPECT_EQ(run("new.db").ending, Ending::answered);
}

TEST_F(VaultsAndACoordinator, ACopyThatIsDeletedLeavesTheOtherEnrolled) {
  ASSERT_TRUE(move_out(at("old.db"), key, at("file"), words, cheap).ok());
  fs::copy(at("file"), at("copy"));
  ASSERT_TRUE(take_in("file", "new.db", "machine").ok());
  ASSERT_TRUE(take_in("copy", "second.db", "another machine").ok());
  EXPECT_EQ(run("new.db").ending, Ending::answered);
  const auto leaves = [&](const std::string& name) {
    now += 60'000;
    return leave(*open(name), *this, true, now);
  };
  const Status copy = leaves("second.db");
  ASSERT_FALSE(copy.ok());
  EXPECT_NE(copy.error().message.find("'sotto device delete --offline'"), std::string::npos)
      << copy.error().message;
  EXPECT_EQ(run("new.db").ending, Ending::answered);
  EXPECT_TRUE(leaves("new.db").ok());
  EXPECT_EQ(run("new.db").ending, Ending::refused_by_server) << "it is not enrolled any more";
}

TEST_F(VaultsAndACoordinator, ACatalogueThatGrowsBringsItsItemsToThePerson) {
  EXPECT_EQ(run("old.db").ending, Ending::answered);
  ASSERT_TRUE(coordinator->reload({}, {things(60)}).ok());
  const ExchangeReport report = run("old.db");
  EXPECT_EQ(report.ending, Ending::answered) << report.why;
  EXPECT_EQ(report.download, Download::delta);
  EXPECT_EQ(report.round, 1u);
  const auto vault = open("old.db");
  const auto person = LocalRecommender::load(*vault, "small");
  ASSERT_TRUE(person.ok()) << person.error().message;
  std::set<std::string> names;
  for (const Recommended& one : person->top(60)) names.insert(one.item);
  EXPECT_TRUE(names.contains("thing 59"));
  EXPECT_FALSE(names.contains("thing 35")) << "the person has it, and the task knows it now";
  EXPECT_EQ(names.size(), 54u);
}

}  // namespace
}  // namespace sotto::tests::e2e
