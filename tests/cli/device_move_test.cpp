// A device goes to another machine: the machines are folders, each with a memory of its own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class CliDeviceMove : public ::testing::Test {
 protected:
  CliDeviceMove() {
    on_machine("a");
    shop_.put("words", "carry these five words\n");
    EXPECT_EQ(device({"init"}, "old").code, 0);
    EXPECT_EQ(device({"add", "Alien (1979)", "50"}, "old").code, 0);
    EXPECT_EQ(device({"consent", "preset", "careful"}, "old").code, 0);
  }
  ~CliDeviceMove() override { ::unsetenv("XDG_STATE_HOME"); }

  void on_machine(const std::string& name) const {
    ::setenv("XDG_STATE_HOME", (shop_.folder() / name).c_str(), 1);
  }
  [[nodiscard]] Outcome device(Words words, const std::string& dir) const {
    words.insert(words.begin(), "device");
    words.insert(words.end(), {"--dir", dir, "--json"});
    return shop_.sotto(words);
  }
  [[nodiscard]] Outcome out(const std::string& file = "me.device") const {
    return device({"move-out", "--out", file, "--passphrase-file", "words"}, "old");
  }
  [[nodiscard]] Outcome in(const std::string& dir, const std::string& file = "me.device") const {
    return device({"move-in", "--from", file, "--passphrase-file", "words"}, dir);
  }
  [[nodiscard]] static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  Workshop shop_;
};

TEST_F(CliDeviceMove, to_another_machine_with_all_it_has) {
  const Outcome gone = out();
  ASSERT_EQ(gone.code, 0) << gone.err;
  EXPECT_EQ(gone.json()["moved_out"], true);
  for (const Words& words :
       {Words{"list"}, Words{"run", "--once"}, Words{"export"}, Words{"init"}, Words{"new-key"}}) {
    const Outcome refused = device(words, "old");
    EXPECT_EQ(refused.code, 1) << words[0];
    EXPECT_TRUE(has(refused.err, "has moved to another machine and answers no more here")) << refused.err;
  }
  on_machine("b");
  const Outcome come = in("new");
  ASSERT_EQ(come.code, 0) << come.err;
  EXPECT_EQ(come.json()["items"], 2u);
  EXPECT_EQ(come.json()["level"], "careful");
  EXPECT_EQ(come.json()["file_removed"], true);
  EXPECT_FALSE(shop_.has("me.device"));
  EXPECT_EQ(device({"list"}, "new").json()["items"].size(), 2u);
  EXPECT_EQ(device({"ledger", "verify"}, "new").code, 0);
  // What is left behind is removed without asking a coordinator to forget the device.
  EXPECT_EQ(device({"delete", "--yes"}, "old").json()["coordinator_told"], false);
  EXPECT_FALSE(shop_.has("old/vault.db"));
}

TEST_F(CliDeviceMove, a_lost_file_is_written_again_and_a_copy_is_of_no_use) {
  ASSERT_EQ(out().code, 0);
  std::filesystem::remove(shop_.folder() / "me.device");
  ASSERT_EQ(out().code, 0);
  std::filesystem::copy(shop_.folder() / "me.device", shop_.folder() / "copy");
  ASSERT_EQ(in("new").code, 0);
  const Outcome again = in("third", "copy");
  EXPECT_EQ(again.code, 2);
  EXPECT_TRUE(has(again.err, "taken in on this machine already")) << again.err;
  EXPECT_FALSE(shop_.has("third"));
  EXPECT_EQ(in("new", "copy").code, 2);
}

TEST_F(CliDeviceMove, the_device_is_taken_back) {
  ASSERT_EQ(out().code, 0);
  ASSERT_EQ(in("old").code, 0);
  EXPECT_EQ(device({"list"}, "old").json()["items"].size(), 2u);
}

TEST_F(CliDeviceMove, mistakes_change_nothing_and_say_what_to_do) {
  shop_.put("short", "word\n");
  EXPECT_TRUE(has(device({"move-out", "--out", "f", "--passphrase-file", "short"}, "old").err,
                  "at least 12 letters"));
  const Outcome unasked = device({"move-out", "--out", "f"}, "old");
  EXPECT_EQ(unasked.code, 2);
  EXPECT_TRUE(has(unasked.err, "--passphrase-file")) << unasked.err;
  EXPECT_EQ(device({"move-out", "--out", "f"}, "nowhere").code, 1);
  shop_.put("there", "mine");
  EXPECT_TRUE(has(out("there").err, "this file exists"));
  EXPECT_EQ(device({"list"}, "old").code, 0);
  ASSERT_EQ(out().code, 0);
  shop_.put("wrong", "carry those five words\n");
  const Outcome wrong = device({"move-in", "--from", "me.device", "--passphrase-file", "wrong"}, "new");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_TRUE(has(wrong.err, "does not open with this passphrase")) << wrong.err;
  EXPECT_FALSE(has(wrong.err, "those five")) << wrong.err;
  EXPECT_FALSE(shop_.has("new"));
  shop_.put("half", shop_.get("me.device").substr(0, 1000));
  EXPECT_TRUE(has(in("new", "half").err, "the file is not whole: copy it again"));
  EXPECT_EQ(in("new", "absent").code, 1);
  EXPECT_EQ(device({"init"}, "other").code, 0);
  EXPECT_TRUE(has(in("other").err, "there is a device already, and nothing was changed"));
  EXPECT_TRUE(shop_.has("me.device"));
  ASSERT_EQ(in("new").code, 0);
}

TEST_F(CliDeviceMove, the_terminal_asks_twice_and_shows_nothing) {
  const Words going{"device", "move-out", "--out", "me.device", "--dir", "old"};
  const std::string words = "carry these five words\n";
  const std::string different = shop_.on_terminal(going, 80, {words, "carry these six words\n"});
  EXPECT_TRUE(has(different, "the two passphrases differ")) << different;
  for (const char* given_up : {"carry\x03", "\x04"})
    EXPECT_TRUE(has(shop_.on_terminal(going, 80, {given_up}), "no passphrase was given"));
  EXPECT_FALSE(shop_.has("me.device"));
  // A letter taken back, and a line begun again.
  const std::string shown =
      shop_.on_terminal(going, 80, {"carry thesé\x7f" + words.substr(10), "no\x15" + words});
  EXPECT_TRUE(has(shown, "It answers no more here")) << shown;
  EXPECT_FALSE(has(shown, "carry")) << shown;
  const Words coming{"device", "move-in", "--from", "me.device", "--keep-file", "--dir", "new"};
  EXPECT_TRUE(has(shop_.on_terminal(coming, 80, {words}), "The device is here now"));
  EXPECT_TRUE(shop_.has("me.device"));
}

TEST_F(CliDeviceMove, another_key) {
  const std::string key = shop_.get("old/vault.key");
  shop_.put("before/vault.key", key);
  ASSERT_EQ(device({"new-key"}, "old").json()["changed"], true);
  EXPECT_NE(shop_.get("old/vault.key"), key);
  EXPECT_EQ(device({"list"}, "old").json()["items"].size(), 2u);
  shop_.put("old/vault.key", key);
  EXPECT_TRUE(has(device({"list"}, "old").err, "does not open with this key"));
}

}  // namespace
}  // namespace sotto::cli
