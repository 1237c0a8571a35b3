// What a person says of themself, in their vault.
#include "base/codec.h"
#include "device/testing/moving_vault.h"

namespace sotto::device::vault_attributes_test {
namespace {

class VaultAttributes : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Vault> open() const {
    return Vault::open(path_, key_, Making::if_missing).value();
  }
  [[nodiscard]] static Status say(Vault& vault, const Attributes& said) { return vault.say(said); }

  const storage::ScratchFolder folder_;
  const std::string path_ = folder_.file("vault.db");
  const Secret key_{simulated_key(1, "attributes")};
};

TEST_F(VaultAttributes, AreSaidAnewAndTakenBack) {
  EXPECT_TRUE(open()->attributes()->empty());
  ASSERT_TRUE(say(*open(), {{"occupation", "student"}, {"age", "25-34"}}).ok());
  EXPECT_EQ(*open()->attributes(), (Attributes{{"occupation", "student"}, {"age", "25-34"}}));
  ASSERT_TRUE(say(*open(), {{"age", "35-44"}, {"occupation", ""}, {"shoe", ""}}).ok());
  EXPECT_EQ(*open()->attributes(), (Attributes{{"age", "35-44"}}));
  ASSERT_TRUE(say(*open(), {{"age", ""}}).ok());
  EXPECT_TRUE(open()->attributes()->empty());
}

TEST_F(VaultAttributes, WhatCannotBeKeptIsRefusedAndNothingOfIt) {
  const auto vault = open();
  const auto refusal = [&](const Attributes& said) {
    const Status kept = say(*vault, said);
    EXPECT_FALSE(kept.ok());
    return kept.ok() ? "" : kept.error().message;
  };
  EXPECT_TRUE(has(refusal({{"age", "25-34"}, {"", "x"}}), "1 to 1024 letters"));
  for (const Attribute& one : {Attribute{"age", "a\nb"},
                               {"a\tb", "c"},
                               {std::string(1025, 'a'), "c"},
                               {"a", std::string(1025, 'c')}})
    EXPECT_TRUE(has(refusal({one}), "on one line"));
  Attributes many;
  for (int n = 0; n < 65; ++n) many.emplace_back(std::to_string(n), "x");
  EXPECT_TRUE(has(refusal(many), "up to 64"));
  EXPECT_TRUE(vault->attributes()->empty());
}

TEST_F(VaultAttributes, OfAnotherVersionOrDamagedAreSaidToBe) {
  ASSERT_TRUE(say(*open(), {{"age", "25-34"}}).ok());
  const auto with = [&](const auto& change) {
    auto records = SealedRecords::open(path_, key_, Making::never).value();
    std::string text = records.get(RecordKind::attributes, "").value().value();
    const std::string before = text;
    change(text);
    EXPECT_TRUE(records.put(RecordKind::attributes, "", text).ok());
    const auto read = Vault::open(path_, key_, Making::never).value()->attributes();
    EXPECT_TRUE(records.put(RecordKind::attributes, "", before).ok());
    return read.ok() ? Error{Code::usage, "it was read"} : read.error();
  };
  const Error later = with([](std::string& text) { text[0] = 2; });
  EXPECT_EQ(later.code, Code::incompatible);
  EXPECT_TRUE(has(later.message, "by another version"));
  const Error cut = with([](std::string& text) { text.pop_back(); });
  EXPECT_EQ(cut.code, Code::bad_input);
  EXPECT_TRUE(has(cut.message, "the attributes in the vault cannot be read"));
  EXPECT_EQ(with([](std::string& text) { text += "x"; }).code, Code::bad_input);
  EXPECT_EQ(with([](std::string& text) { text.clear(); }).code, Code::bad_input);
  EXPECT_EQ(open()->attributes()->size(), 1u);
}

}  // namespace
}  // namespace sotto::device::vault_attributes_test
