#include "fed/messages.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

namespace sotto::fed::messages_test {

ModelMessage model_message(std::size_t rows, std::size_t width) {
  ModelMessage message{.round = 17, .shared = RowMatrix(rows, width)};
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < width; ++k) message.shared.row(r)[k] = static_cast<float>(r * 10 + k) / 8.0f;
  return message;
}

ContributionMessage contribution_message(const std::vector<std::uint32_t>& rows, std::size_t width) {
  ContributionMessage message{.round = 4, .contribution = Contribution(width)};
  ConsentGate gate({.pi = 1.0}, 1, 0, UserIndex{0});
  ContributionPipeline pipeline(gate, {}, message.contribution);
  for (const std::uint32_t row : rows) {
    std::int32_t* out = pipeline.open(Evidence::negative, row);
    std::fill_n(out, message.contribution.stride(), 0);
    for (std::size_t k = 0; k < width; ++k) out[k] = static_cast<std::int32_t>(row * 100 + k) - 50;
  }
  message.contribution.make_canonical();
  return message;
}

TEST(Messages, ModelComesBackAsItWas) {
  const ModelMessage sent = model_message(5, 21);
  const Bytes bytes = encode(sent);
  EXPECT_EQ(bytes.size(), encoded_model_bytes(5, 21));
  const ModelMessage received = decode<ModelMessage>(bytes).value();
  EXPECT_EQ(received.round, 17u);
  ASSERT_EQ(received.shared.rows(), 5u);
  ASSERT_EQ(received.shared.width(), 21u);
  for (std::size_t r = 0; r < 5; ++r)
    for (std::size_t k = 0; k < received.shared.stride(); ++k)
      EXPECT_EQ(received.shared.row(r)[k], sent.shared.row(r)[k]);
}

RC_GTEST_PROP(MessagesLaw, ContributionComesBackAsItWas, ()) {
  const auto width = *rc::gen::inRange<std::size_t>(1, 40);
  const auto rows = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 1000));
  const ContributionMessage sent = contribution_message(rows, width);
  const Bytes bytes = encode(sent);
  RC_ASSERT(bytes.size() == encoded_contribution_bytes(1, sent.contribution.size(), width));
  const ContributionMessage received = decode<ContributionMessage>(bytes).value();
  RC_ASSERT(received.round == sent.round);
  RC_ASSERT(received.contribution.size() == sent.contribution.size());
  for (std::size_t n = 0; n < sent.contribution.size(); ++n) {
    RC_ASSERT(received.contribution.row(n) == sent.contribution.row(n));
    for (std::size_t k = 0; k < sent.contribution.stride(); ++k)
      RC_ASSERT(received.contribution.values(n)[k] == sent.contribution.values(n)[k]);
  }
}

TEST(Messages, EveryTruncationAndAnyExtraByteIsRefused) {
  const Bytes bytes = encode(contribution_message({3, 9}, 4));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode<ContributionMessage>(std::span(bytes).first(size)).ok()) << size;
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode<ContributionMessage>(longer).ok());
}

TEST(Messages, OtherVersionsAndKindsAreRefusedByName) {
  Bytes bytes = encode(model_message(1, 2));
  EXPECT_FALSE(decode<ContributionMessage>(bytes).ok());
  bytes[4] = std::byte{9};
  const auto newer = decode<ModelMessage>(bytes);
  ASSERT_FALSE(newer.ok());
  EXPECT_EQ(newer.error().code, Code::incompatible);
}

TEST(Messages, ValuesOutOfRangeAreRefused) {
  ModelMessage message = model_message(2, 2);
  message.shared.row(1)[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(decode<ModelMessage>(encode(message)).ok());

  Bytes bytes = encode(contribution_message({3}, 1));
  const std::int32_t beyond = std::numeric_limits<std::int32_t>::min();
  std::memcpy(bytes.data() + bytes.size() - sizeof(beyond), &beyond, sizeof(beyond));
  EXPECT_FALSE(decode<ContributionMessage>(bytes).ok());
}

TEST(Messages, RowsThatDoNotAscendAreRefused) {
  Bytes bytes = encode(contribution_message({3, 9}, 1));
  const std::uint32_t earlier = 1;
  std::memcpy(bytes.data() + bytes.size() - 8, &earlier, sizeof(earlier));
  EXPECT_FALSE(decode<ContributionMessage>(bytes).ok());
}

}  // namespace sotto::fed::messages_test
