// What a person may say of themself by what the tasks on their device ask.
#include "device/asked_attributes.h"

#include "device/testing/asking_task.h"
#include "device/testing/moving_vault.h"

namespace sotto::device::asked_attributes_test {
namespace {

class AskedOfAPerson : public ::testing::Test {
 protected:
  // The device received a version of such a task.
  void hold(const std::string& task, const Asked& asked) const {
    const std::string packed = pack_catalogue(encode_catalogue(asking_catalogue(3, asked)));
    auto held = std::make_shared<HeldModel>();
    held->catalogue = blob_hash(packed);
    ASSERT_TRUE(vault_->keep_catalogue(held->catalogue, packed).ok());
    ASSERT_TRUE(vault_->keep_model(task, held).ok());
  }
  [[nodiscard]] std::string refusal(const Attributes& said) const {
    const Status kept = say_attributes(*vault_, said);
    if (kept.ok()) return "";
    EXPECT_EQ(kept.error().code, Code::usage);
    return kept.error().message;
  }

  const storage::ScratchFolder folder_;
  const std::unique_ptr<Vault> vault_ =
      Vault::open(folder_.file("v.db"), Secret(simulated_key(1, "asked")), Making::if_missing).value();
};

TEST_F(AskedOfAPerson, BeforeAnyTaskAsksWhateverIsSaidIsKept) {
  ASSERT_TRUE(VaultWorld().fill(*vault_, "names", 1).ok());  // of names alone
  ASSERT_TRUE(vault_->say(Attributes{{"age", ""}, {"occupation", ""}}).ok());
  EXPECT_TRUE(asked_attributes(*vault_)->empty());
  EXPECT_EQ(refusal({{"age", "25-34"}}), "");
  EXPECT_EQ(*vault_->attributes(), (Attributes{{"age", "25-34"}}));
}

TEST_F(AskedOfAPerson, WhatNoTaskKnowsIsRefusedWithWhatThereIs) {
  hold("films", {{"age", {"25-34", "18-24"}}, {"job", {"cook"}}});
  hold("books", {{"age", {"18-24", "35-44"}}});
  EXPECT_EQ(*asked_attributes(*vault_),
            (Attributes{{"age", "18-24"}, {"age", "35-44"}, {"age", "25-34"}, {"job", "cook"}}))
      << "by task: books, films";
  EXPECT_EQ(refusal({{"age", "35-44"}, {"job", "cook"}}), "");
  EXPECT_EQ(refusal({{"age", "25-34"}, {"shoe", "44"}}),
            "no task on this device asks for an attribute of this name: they ask for age, job");
  EXPECT_EQ(refusal({{"age", "twenty"}}),
            "the tasks on this device do not know this value of 'age': choose from 18-24, 35-44, 25-34");
  EXPECT_EQ(*vault_->attributes(), (Attributes{{"age", "35-44"}, {"job", "cook"}})) << "nothing of them";
  EXPECT_EQ(refusal({{"shoe", ""}, {"age", ""}}), "") << "what was said can always be taken back";
  EXPECT_EQ(*vault_->attributes(), (Attributes{{"job", "cook"}}));
}

TEST_F(AskedOfAPerson, OfVeryManyTheFirstAreListed) {
  Attributes asked{{"age", "1"}};
  for (int n = 100; n < 140; ++n) asked.emplace_back("zip", std::to_string(n));
  EXPECT_EQ(in_a_row(asked), "age, zip");
  EXPECT_EQ(in_a_row(asked, "age"), "1");
  EXPECT_TRUE(has(in_a_row(asked, "zip"), "100, 101, "));
  EXPECT_TRUE(has(in_a_row(asked, "zip"), ", 131 and 8 more"));
}

}  // namespace
}  // namespace sotto::device::asked_attributes_test
