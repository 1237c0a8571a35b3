#include "privacy/audit/transcript.h"

#include <gtest/gtest.h>

#include <cstring>

#include "privacy/audit/testing/small_federation.h"

namespace sotto::privacy::transcript_test {

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

struct Recorded {
  TranscriptHead head;
  SeenRound first, second;
  Bytes bytes;
};

Recorded recorded() {
  audit_test::SmallOptions options;
  options.users = 5, options.items = 20, options.factors = 2, options.triples = 4, options.history = 3;
  audit_test::SmallFederation world(options);
  Recorded made{world.head(), world.play(), world.play(), {}};
  made.second.messages[1].members.clear();
  made.second.messages[2].values[0] = std::int64_t{1} << 40;
  made.bytes =
      joined({encode_head(made.head), encode_round(made.first), encode_round(made.second), encode_end()});
  return made;
}

TEST(Transcript, IsReadAsItWasWritten) {
  const Recorded made = recorded();
  auto reader = TranscriptReader::open(made.bytes);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->head(), made.head);
  for (const SeenRound* expected : {&made.first, &made.second}) {
    const auto round = reader->next();
    ASSERT_TRUE(round.ok());
    ASSERT_TRUE(round->has_value());
    EXPECT_EQ((*round)->round, expected->round);
    EXPECT_EQ((*round)->messages, expected->messages);
    for (std::size_t row = 0; row < 20; ++row)
      EXPECT_EQ(std::memcmp((*round)->shared.row(row), expected->shared.row(row), 12), 0);
  }
  const auto end = reader->next();
  ASSERT_TRUE(end.ok());
  EXPECT_FALSE(end->has_value());
}

// Reads to the end; the first failure, or fine.
Status read_all(const Bytes& bytes) {
  SOTTO_TRY(TranscriptReader reader, TranscriptReader::open(bytes));
  for (;;) {
    SOTTO_TRY(const std::optional<SeenRound> round, reader.next());
    if (!round) return Done{};
  }
}

TEST(Transcript, EveryCutIsRefused) {
  const Bytes whole = recorded().bytes;
  ASSERT_TRUE(read_all(whole).ok());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read_all(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))).ok())
        << size;
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(read_all(longer).ok());
}

TEST(Transcript, BrokenLawsAreRefusedByName) {
  const auto says = [](Recorded made, const char* why) {
    const Status read = read_all(joined({encode_head(made.head), encode_round(made.first), encode_end()}));
    ASSERT_FALSE(read.ok()) << why;
    EXPECT_NE(read.error().message.find(why), std::string::npos) << read.error().message;
  };
  Recorded made = recorded();
  made.first.messages[0].members = {1};
  says(made, "two messages");
  made = recorded();
  made.first.messages[0].members = {9};
  says(made, "members");
  made = recorded();
  std::swap(made.first.messages[0].rows[0], made.first.messages[0].rows[1]);
  says(made, "rows");
  made = recorded();
  made.first.messages[0].values.pop_back();
  says(made, "as many numbers");
  made = recorded();
  made.first.shared.row(0)[0] = NAN;
  says(made, "not finite");
  made = recorded();
  made.head.fixed_bits = 40;
  says(made, "binary places");
  made = recorded();
  made.head.group = 6;
  says(made, "groups");
}

// What is written for FPL stays version 1, byte for byte: older programs read it, and this one reads theirs.
TEST(Transcript, OfOtherModelsIsVersionTwo) {
  Recorded made = recorded();
  std::uint16_t version = 0;
  std::memcpy(&version, made.bytes.data() + 4, 2);
  EXPECT_EQ(version, 1);
  made.head.model = SeenModel::kgflex;
  made.head.items = 7;
  made.head.features = "abc";
  const Bytes bytes = joined({encode_head(made.head), encode_round(made.first), encode_end()});
  std::memcpy(&version, bytes.data() + 4, 2);
  EXPECT_EQ(version, 2);
  auto reader = TranscriptReader::open(bytes);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->head(), made.head);
  EXPECT_TRUE(read_all(bytes).ok());
  const std::size_t head_bytes = encode_head(made.head).size();
  for (std::size_t size = 0; size < head_bytes; ++size)
    EXPECT_FALSE(read_all(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))).ok());
  made.head.items = 0;
  EXPECT_FALSE(read_all(joined({encode_head(made.head), encode_end()})).ok());
}

}  // namespace sotto::privacy::transcript_test
