// Transcript: what a curious server could write down while it does its work, and nothing else. Per round the
// shared model it sent out, and per message what arrived:
//   plain     the rows of one device, under its pseudonym
//   shuffled  the same without a name, but for a device's first message (it was met once, at enrolment)
//   secure    the sum over a group; who was in the group is known, who sent what is not
// The attackers of the audit are functions of it (privacy/audit/attack.h).
//
// What the rows are depends on the model: items of FPL, features of KGFlex.
//
// Laws: in a round nobody is in two messages; rows ascend and lie in the shared model; decode(encode(x)) ==
// x; bytes that break a law are refused and name it. A round is read at a time, so that a transcript may be
// larger than memory.
// File: "SOTA", version, head; then 1 and a round, any number of times; then 0. Version 1 is FPL's; version 2
// has three more fields at the end of its head, and is written for other models alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/codec.h"
#include "base/result.h"
#include "base/row_matrix.h"

namespace sotto::privacy {

enum class View : std::uint8_t { plain, shuffled, secure };
[[nodiscard]] const char* to_string(View view);

// The kind of model whose messages are seen.
enum class SeenModel : std::uint8_t { fpl, kgflex };

struct TranscriptHead {
  std::uint32_t users = 0;
  std::uint32_t catalogue = 0;  // rows of the shared model: items of FPL, features of KGFlex
  std::uint32_t width = 0;      // of a shared row: the factors, then the bias
  // What the plan tells everybody.
  float learning_rate = 0.0f;
  float user_reg = 0.0f;
  float positive_reg = 0.0f;
  float negative_reg = 0.0f;
  std::int32_t fixed_bits = 20;
  float noise_sd = 0.0f;  // of each number of a message, in the numbers' own unit
  View view = View::plain;
  std::uint32_t group = 1;  // secure: devices in a sum, at least
  std::string split;        // hash of the data it is about
  SeenModel model = SeenModel::fpl;
  std::uint32_t items = 0;  // KGFlex: that may be in a history; the features may be of more
  std::string features;     // KGFlex: hash of the items' features

  [[nodiscard]] std::size_t factors() const { return width - 1; }
  [[nodiscard]] double unit() const { return 1.0 / static_cast<double>(std::uint64_t{1} << fixed_bits); }
  bool operator==(const TranscriptHead&) const = default;
};
[[nodiscard]] Status check(const TranscriptHead& head);

struct SeenMessage {
  std::vector<std::uint32_t> members;  // ascending; whose rows these are together. Empty: nobody knows
  std::vector<std::uint32_t> rows;     // ascending
  std::vector<std::int64_t> values;    // `width` a row, fixed point

  bool operator==(const SeenMessage&) const = default;
};

struct SeenRound {
  std::uint32_t round = 0;
  RowMatrix shared;  // as it was sent out
  std::vector<SeenMessage> messages;
};

[[nodiscard]] Bytes encode_head(const TranscriptHead& head);
[[nodiscard]] Bytes encode_round(const SeenRound& round);
[[nodiscard]] Bytes encode_end();

class TranscriptReader {
 public:
  // `bytes` outlive the reader.
  [[nodiscard]] static Result<TranscriptReader> open(std::span<const std::byte> bytes);

  [[nodiscard]] const TranscriptHead& head() const { return head_; }
  // The next round, or none at the end.
  [[nodiscard]] Result<std::optional<SeenRound>> next();

 private:
  TranscriptReader(TranscriptHead head, Reader rest) : head_(std::move(head)), rest_(rest) {}
  [[nodiscard]] Result<SeenMessage> message(std::vector<std::uint8_t>& taken);

  TranscriptHead head_;
  Reader rest_;
};

}  // namespace sotto::privacy
