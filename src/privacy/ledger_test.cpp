#include "privacy/ledger.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace sotto::privacy::ledger_test {

LedgerKey key_of(std::uint8_t letter) {
  std::array<std::byte, LedgerKey::seed_bytes> seed{};
  seed.fill(static_cast<std::byte>(letter));
  return LedgerKey(seed);
}

struct Written {
  std::vector<std::string> lines;
  std::vector<std::string> heads;  // heads[n]: after n lines
  std::vector<LedgerEntry> entries;

  [[nodiscard]] std::string text() const { return text_of(lines); }
  [[nodiscard]] static std::string text_of(const std::vector<std::string>& some) {
    std::string text;
    for (const std::string& line : some) text += line + "\n";
    return text;
  }
};

Written written(const LedgerKey& key, std::uint32_t count) {
  Written ledger;
  LedgerHead head(key.public_key());
  ledger.heads.push_back(head.text(key));
  for (std::uint32_t n = 0; n < count; ++n) {
    LedgerEntry entry{.round = n * 3, .task = "fpl demo", .mechanism = "plain", .bytes = 100 + n};
    if (n % 2 == 1) entry.epsilon = 0.1 * n;
    if (n % 4 == 2) entry.bytes.reset();
    if (n % 3 != 0) entry.items = {"item 1", "50%,\toff", "ü-" + std::to_string(n)};
    ledger.lines.push_back(head.append(entry, key));
    ledger.heads.push_back(head.text(key));
    ledger.entries.push_back(entry);
  }
  return ledger;
}

TEST(Ledger, ReadsBackWhatWasWritten) {
  const LedgerKey key = key_of(1);
  const Written ledger = written(key, 7);
  const auto reading = read_ledger(ledger.text(), ledger.heads.back(), key.public_key());
  ASSERT_TRUE(reading.ok()) << reading.error().message;
  EXPECT_EQ(reading->entries, ledger.entries);
  EXPECT_EQ(reading->head.lines(), 7u);
  EXPECT_EQ(reading->whole_bytes, ledger.text().size());
  EXPECT_FALSE(reading->torn || reading->head_behind);
  const auto empty = read_ledger("", ledger.heads.front(), key.public_key());
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(empty->entries.empty());
}

// RFC 8032, test 2: the signature is Ed25519's.
TEST(Ledger, SignsAsTheStandardSays) {
  const auto bytes = [](std::string_view hex) {
    std::vector<std::byte> out;
    for (std::size_t n = 0; n < hex.size(); n += 2)
      out.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(n, 2)), nullptr, 16)));
    return out;
  };
  const auto seed = bytes("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
  const LedgerKey key(std::span<const std::byte, 32>(seed.data(), 32));
  EXPECT_EQ(key.public_key(), "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  EXPECT_EQ(key.sign("\x72"),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
  EXPECT_TRUE(is_signed("\x72", key.sign("\x72"), key.public_key()));
  EXPECT_FALSE(is_signed("\x73", key.sign("\x72"), key.public_key()));
}

RC_GTEST_PROP(LedgerLaw, NoLetterCanBeChanged, ()) {
  const LedgerKey key = key_of(1);
  const Written ledger = written(key, 4);
  std::string text = ledger.text();
  // The last letter is the end of a line that was torn: that is a crash, seen by the head.
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  const char other = static_cast<char>(*rc::gen::inRange(0, 256));
  RC_PRE(text[at] != other);
  text[at] = other;
  RC_ASSERT(!read_ledger(text, ledger.heads.back(), key.public_key()).ok());
}

RC_GTEST_PROP(LedgerLaw, NoLetterOfTheHeadCanBeChanged, ()) {
  const LedgerKey key = key_of(1);
  const Written ledger = written(key, 2);
  std::string head = ledger.heads.back();
  const auto at = *rc::gen::inRange<std::size_t>(0, head.size() - 1);
  const char other = static_cast<char>(*rc::gen::inRange(0, 256));
  RC_PRE(head[at] != other);
  head[at] = other;
  RC_ASSERT(!read_ledger(ledger.text(), head, key.public_key()).ok());
}

TEST(Ledger, ASignatureInCapitalsIsNoSignature) {
  const LedgerKey key = key_of(1);
  const Written ledger = written(key, 2);
  std::string head = ledger.heads.back();
  for (char& c : head)
    if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
  EXPECT_FALSE(read_ledger(ledger.text(), head, key.public_key()).ok());
}

RC_GTEST_PROP(LedgerLaw, LinesCannotBeRemovedRepeatedOrMoved, ()) {
  const LedgerKey key = key_of(1);
  const Written ledger = written(key, 5);
  const auto picks = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 5));
  std::vector<std::string> lines;
  for (const std::size_t pick : picks) lines.push_back(ledger.lines[pick]);
  RC_PRE(lines != ledger.lines);
  RC_ASSERT(!read_ledger(Written::text_of(lines), ledger.heads.back(), key.public_key()).ok());
}

TEST(Ledger, AnErrorNamesTheLineAndNoItem) {
  const LedgerKey key = key_of(1);
  Written ledger = written(key, 5);
  std::swap(ledger.lines[1], ledger.lines[2]);
  const auto moved = read_ledger(ledger.text(), ledger.heads.back(), key.public_key());
  ASSERT_FALSE(moved.ok());
  EXPECT_NE(moved.error().message.find("line 2"), std::string::npos) << moved.error().message;
  EXPECT_EQ(moved.error().message.find("item"), std::string::npos) << moved.error().message;
}

TEST(Ledger, ACutEndIsFoundByTheHead) {
  const LedgerKey key = key_of(1);
  Written ledger = written(key, 5);
  ledger.lines.pop_back();
  const auto cut = read_ledger(ledger.text(), ledger.heads.back(), key.public_key());
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().message, "lines were cut off the ledger: it has 4 of 5");
  EXPECT_FALSE(read_ledger("", ledger.heads.back(), key.public_key()).ok());
  EXPECT_FALSE(read_ledger(ledger.text(), "", key.public_key()).ok());
}

TEST(Ledger, ACrashWhileAppendingIsSaidAndAccepted) {
  const LedgerKey key = key_of(1);
  const Written ledger = written(key, 3);
  const std::string two = Written::text_of({ledger.lines[0], ledger.lines[1]});
  for (const std::size_t part : {std::size_t{1}, std::size_t{40}, ledger.lines[2].size()}) {
    const auto torn = read_ledger(two + ledger.lines[2].substr(0, part), ledger.heads[2], key.public_key());
    ASSERT_TRUE(torn.ok()) << torn.error().message;
    EXPECT_TRUE(torn->torn);
    EXPECT_EQ(torn->entries.size(), 2u);
    EXPECT_EQ(torn->whole_bytes, two.size());
  }
  const auto behind = read_ledger(ledger.text(), ledger.heads[2], key.public_key());
  ASSERT_TRUE(behind.ok()) << behind.error().message;
  EXPECT_TRUE(behind->head_behind);
  EXPECT_EQ(behind->entries.size(), 3u);
  // Two lines that the head does not know are no crash.
  EXPECT_FALSE(read_ledger(ledger.text(), ledger.heads[1], key.public_key()).ok());
}

TEST(Ledger, AnotherKeysLinesAreRefused) {
  const LedgerKey key = key_of(1), other = key_of(2);
  const Written ledger = written(other, 3);
  EXPECT_FALSE(read_ledger(ledger.text(), ledger.heads.back(), key.public_key()).ok());
  EXPECT_TRUE(read_ledger(ledger.text(), ledger.heads.back(), other.public_key()).ok());
}

}  // namespace sotto::privacy::ledger_test
