// A task whose catalogue grew since the device was there: it fetches what is new, and keeps what is its own.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/row_hash.h"
#include "device/agent.h"
#include "device/testing/fake_coordinator.h"
#include "device/testing/kill_at_write.h"
#include "device/vault.h"
#include "fed/models/testing/usual_spec.h"

namespace sotto::device::growth_exchange_test {
namespace {

namespace fs = std::filesystem;

TaskCatalogue things(std::uint32_t items, std::uint32_t other = UINT32_MAX) {
  TaskCatalogue made;
  for (std::uint32_t item = 0; item < items; ++item) {
    made.names.intern((item == other ? "another " : "thing ") + std::to_string(item));
    made.titles.push_back("A title of number " + std::to_string(item));
  }
  return made;
}

class AGrownTask : public testing::Test {
 protected:
  explicit AGrownTask(const v1::TaskSpec& spec = small_task(30))
      : folder_(fs::temp_directory_path() / ("sotto-grown-" + std::to_string(::getpid()))), server(spec) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    give(things(30), pack_catalogue(encode_catalogue(things(30))));
    reopen();
    EXPECT_TRUE(enrol_vault(*vault, server, "token").ok());
    EXPECT_TRUE(vault->set_policy({}).ok());
    for (const int item : {1, 3, 4, 12, 29, 33, 38})
      EXPECT_TRUE(vault->add(std::vector<KeptInteraction>{{"thing " + std::to_string(item)}}).ok());
  }
  ~AGrownTask() override { fs::remove_all(folder_); }

  void reopen() {
    vault.reset();
    auto opened =
        Vault::open((folder_ / "vault.db").string(), Secret(simulated_key(1, "grown")), Making::if_missing);
    vault = std::move(*opened);
  }
  // The coordinator's task has these items from now on; a device of before is offered a delta.
  void give(const TaskCatalogue& catalogue, const std::string& packed) {
    const RowMatrix before = server.master;
    const std::string encoded = server.encoded;
    server.spec.set_items(static_cast<std::uint32_t>(catalogue.names.size()));
    *server.spec.mutable_catalogue() = server.keep(packed);
    server.task = *read_task(server.spec);
    const ServerState start = server.task.model->server(server.task)->start();
    server.master =
        before.rows() < start.shared.rows() ? grown_by_rows(server.task, {before, {}}).shared : start.shared;
    server.publish_master();
    if (encoded.size() >= server.encoded.size() || before.width() != server.master.width()) return;
    const ModelShape shape{server.master.rows(), server.master.width(), server.spec.down()};
    server.delta = server.keep(make_delta(with_rows(encoded, shape), server.encoded, shape));
    server.offers_delta = true;
  }
  Exchange::Next run() {
    Exchange exchange(*vault, {});
    Exchange::Next next;
    for (int n = 0; n < 100; ++n) {
      next = *exchange.advance(server, server.now_ms);
      if (next.what != Exchange::Next::What::wait) break;
      server.now_ms += next.wait_ms;
    }
    ++server.round;
    return next;
  }
  // Bytes that an exchange fetched.
  std::uint64_t fetched_by(const std::function<void()>& work) {
    const std::uint64_t before = server.fetched_bytes;
    work();
    return server.fetched_bytes - before;
  }
  std::string answered() {
    const Exchange::Next next = run();
    return next.report.ending == Ending::answered ? "" : next.report.why;
  }

  fs::path folder_;
  FakeCoordinator server;
  std::unique_ptr<Vault> vault;
};

TEST_F(AGrownTask, IsFetchedByWhatIsNew) {
  ASSERT_EQ(answered(), "");
  const std::string first = server.spec.catalogue().hash();
  const auto own = *vault->own_row("small");
  const std::string packed = pack_grown(server.blobs[first], things(30), things(40));
  give(things(40), packed);
  reopen();
  const std::uint64_t fetched = fetched_by([&] { ASSERT_EQ(answered(), ""); });
  EXPECT_EQ(fetched, packed.size() - server.blobs[first].size() + server.delta.bytes());
  // The catalogue of before is gone, the private row went on from where it was.
  EXPECT_EQ(*vault->catalogue(first), nullptr);
  EXPECT_EQ((*vault->catalogue(server.spec.catalogue().hash()))->title(38), "A title of number 38");
  EXPECT_EQ((*vault->own_row("small"))->on_device().width(), own->on_device().width());
  EXPECT_EQ(hash_rows((*vault->model("small"))->rows), hash_rows(server.master));
  // What the person has of the new items is used now.
  for (int n = 0; n < 12; ++n) ASSERT_EQ(answered(), "");
  const KeptLedger ledger = *vault->ledger();
  std::set<std::string> sent;
  const LedgerReading reading = read_ledger(ledger.lines, ledger.head, ledger.public_key).value();
  for (const LedgerEntry& entry : reading.entries) sent.insert(entry.items.begin(), entry.items.end());
  EXPECT_TRUE(sent.contains("thing 33"));
  EXPECT_TRUE(sent.contains("thing 38"));
  EXPECT_FALSE(sent.contains("thing 39"));
}

// Who packs a catalogue anew sends all of it: bytes of before are tried, and then left out.
TEST_F(AGrownTask, IsFetchedWholeWhereItsBytesAreOthers) {
  ASSERT_EQ(answered(), "");
  const std::string anew = pack_catalogue(encode_catalogue(things(40)));
  give(things(40), anew);
  server.offers_delta = false;
  EXPECT_GT(fetched_by([&] { ASSERT_EQ(answered(), ""); }), anew.size() + server.full.bytes() - 1);
  EXPECT_EQ((*vault->catalogue(server.spec.catalogue().hash()))->names.size(), 40u);
}

TEST_F(AGrownTask, IsRefusedWhereItKeepsNotItsRows) {
  ASSERT_EQ(answered(), "");
  const v1::TaskSpec spec = server.spec;
  give(things(40, 7), pack_catalogue(encode_catalogue(things(40, 7))));
  EXPECT_NE(answered().find("does not keep the items that it had"), std::string::npos);
  // Nor if another task brought that catalogue before.
  ASSERT_TRUE(
      vault->keep_catalogue(server.spec.catalogue().hash(), server.blobs[server.spec.catalogue().hash()])
          .ok());
  EXPECT_NE(answered().find("does not keep the items that it had"), std::string::npos);
  // A task of fewer items, or of other options, is another task.
  server.spec.set_learning_rate(0.5f);
  EXPECT_NE(answered().find("not what it was"), std::string::npos);
  server.spec = spec;
  server.spec.set_items(20);
  EXPECT_NE(answered().find("not what it was"), std::string::npos);
}

v1::TaskSpec pairs_of_things() {
  v1::TaskSpec spec = usual_spec(fedease_task, 30);
  spec.set_name("small");
  return spec;
}

class AGrownTaskOfPairs : public AGrownTask {
 protected:
  AGrownTaskOfPairs() : AGrownTask(pairs_of_things()) {}
};

// No version is fetched for an answer: what the task is held to grows all the same.
TEST_F(AGrownTaskOfPairs, IsHeldToWhatItIsNow) {
  ASSERT_EQ(answered(), "");
  const std::string first = server.spec.catalogue().hash();
  EXPECT_EQ((*vault->model("small"))->catalogue, first);
  give(things(40), pack_grown(server.blobs[first], things(30), things(40)));
  ASSERT_EQ(answered(), "");
  EXPECT_FALSE((*vault->model("small"))->has_version());
  EXPECT_EQ((*vault->model("small"))->catalogue, server.spec.catalogue().hash());
  EXPECT_EQ(*vault->catalogue(first), nullptr);
  give(things(40, 7), pack_catalogue(encode_catalogue(things(40, 7))));
  EXPECT_NE(answered().find("not what it was"), std::string::npos);
}

// Who holds a version hears of new items with an assignment, whose work needs none: it is held to them from
// then on, its lists go on, and its person reads of it.
TEST_F(AGrownTaskOfPairs, IsPinnedBesideAVersionToo) {
  ASSERT_EQ(answered(), "");
  server.brings_news = true;
  (void)run();
  server.brings_news = false;
  ASSERT_TRUE((*vault->model("small"))->has_version());
  const std::string first = server.spec.catalogue().hash();
  give(things(40), pack_grown(server.blobs[first], things(30), things(40)));
  server.offers_delta = false;
  ASSERT_EQ(answered(), "");
  EXPECT_EQ((*vault->model("small"))->catalogue, server.spec.catalogue().hash());
  EXPECT_EQ((*vault->model("small"))->rows.rows(), 40u);
  EXPECT_EQ(*vault->catalogue(first), nullptr);
  const KeptLedger ledger = *vault->ledger();
  const LedgerReading reading = read_ledger(ledger.lines, ledger.head, ledger.public_key).value();
  EXPECT_NE(reading.entries.back().mechanism.find("a catalogue that grew from 30 to 40 items"),
            std::string::npos);
  // Another catalogue of so many items is not what it was held to.
  give(things(40, 35), pack_catalogue(encode_catalogue(things(40, 35))));
  EXPECT_NE(answered().find("not what it was"), std::string::npos);
}

class AGrownTaskOfPopularItems : public AGrownTask {
 protected:
  AGrownTaskOfPopularItems() : AGrownTask(spec()) { server.told = {3, {0, 1, 2, 3, 4}}; }
  static v1::TaskSpec spec() {
    v1::TaskSpec made = popular_spec(fedease_task, 5, 30);
    made.set_name("small");
    return made;
  }
};

// Its rows are as many as before: the version stays, what it is of does not.
TEST_F(AGrownTaskOfPopularItems, IsPinnedThoughTheVersionIsTheSame) {
  ASSERT_EQ(answered(), "");
  server.brings_news = true;
  (void)run();
  server.brings_news = false;
  const std::string version = (*vault->model("small"))->version;
  ASSERT_NE(version, "");
  give(things(40), pack_grown(server.blobs[server.spec.catalogue().hash()], things(30), things(40)));
  ASSERT_EQ(answered(), "");
  EXPECT_EQ((*vault->model("small"))->version, version);
  EXPECT_EQ((*vault->model("small"))->catalogue, server.spec.catalogue().hash());
  give(things(40, 35), pack_catalogue(encode_catalogue(things(40, 35))));
  EXPECT_NE(answered().find("not what it was"), std::string::npos);
}

// What cannot be compared is not believed.
TEST_F(AGrownTaskOfPairs, IsRefusedWhereTheCatalogueOfBeforeIsMissing) {
  ASSERT_EQ(answered(), "");
  HeldModel held = **vault->model("small");
  held.catalogue = std::string(32, 'x');
  ASSERT_TRUE(vault->keep_model("small", std::make_shared<const HeldModel>(held)).ok());
  give(things(40), pack_catalogue(encode_catalogue(things(40))));
  EXPECT_NE(answered().find("not here any more"), std::string::npos);
}

// The version and the catalogue of before change in one step.
TEST_F(AGrownTask, IsWholeAfterAKillAtAnyWrite) {
  ASSERT_EQ(answered(), "");
  const auto before = *vault->model("small");
  const std::string packed = pack_grown(server.blobs[before->catalogue], things(30), things(40));
  HeldModel after = *before;
  after.catalogue = blob_hash(packed);
  ASSERT_TRUE(vault->keep_catalogue(after.catalogue, packed).ok());
  vault.reset();
  const fs::path copy = folder_ / "copy.db";
  fs::copy_file(folder_ / "vault.db", copy);
  for (unsigned n = 1;; ++n) {
    ASSERT_LT(n, 200u);
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove((folder_ / "vault.db").string() + ending);
    fs::copy_file(copy, folder_ / "vault.db");
    const WorkEnd end = killed_at_write(n, [&] {
      reopen();
      return vault->keep_model("small", std::make_shared<const HeldModel>(after)).ok();
    });
    ASSERT_NE(end, WorkEnd::failed) << n;
    reopen();
    const bool grew = (*vault->model("small"))->catalogue == after.catalogue;
    EXPECT_EQ(*vault->catalogue(before->catalogue) == nullptr, grew) << n;
    vault.reset();
    if (end == WorkEnd::done) break;
  }
  reopen();
}

}  // namespace
}  // namespace sotto::device::growth_exchange_test
