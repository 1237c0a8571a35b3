#include "privacy/audit/transcript.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sotto::privacy {

namespace {

constexpr std::uint32_t magic = 0x41544F53;  // "SOTA"
constexpr std::uint16_t version_of_fpl = 1;
constexpr std::uint16_t version = 2;
constexpr std::uint32_t most_users = 1u << 24;
constexpr std::uint32_t most_items = 1u << 24;
constexpr std::uint32_t most_width = 4097;

Error refused(const char* why) {
  return fail(Code::bad_input, fmt::format("transcript refused: {}; record it anew", why));
}

bool ascends(std::span<const std::uint32_t> numbers, std::uint32_t bound) {
  for (std::size_t n = 0; n < numbers.size(); ++n)
    if (numbers[n] >= bound || (n > 0 && numbers[n] <= numbers[n - 1])) return false;
  return true;
}

bool narrow(std::span<const std::int64_t> values) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return std::all_of(values.begin(), values.end(), [](std::int64_t v) { return v >= -most && v <= most; });
}

void write_message(Writer& out, const SeenMessage& message) {
  out.array(std::span<const std::uint32_t>(message.members));
  out.array(std::span<const std::uint32_t>(message.rows));
  const bool small = narrow(message.values);
  out.number(static_cast<std::uint8_t>(small ? 4 : 8));
  if (!small) {
    out.array(std::span<const std::int64_t>(message.values));
    return;
  }
  const std::vector<std::int32_t> values(message.values.begin(), message.values.end());
  out.array(std::span<const std::int32_t>(values));
}

}  // namespace

const char* to_string(View view) {
  switch (view) {
    case View::plain:
      return "plain";
    case View::shuffled:
      return "shuffled";
    case View::secure:
      return "secure";
  }
  return "plain";
}

Status check(const TranscriptHead& head) {
  if (head.users == 0 || head.users > most_users || head.catalogue == 0 || head.catalogue > most_items ||
      head.width < 2 || head.width > most_width)
    return refused("its shape is none of a federation");
  if (head.fixed_bits < 8 || head.fixed_bits > 22)
    return refused("its numbers have fewer than 8 or more than 22 binary places");
  for (const float number :
       {head.learning_rate, head.user_reg, head.positive_reg, head.negative_reg, head.noise_sd})
    if (!(number >= 0.0f && number < 1e30f))
      return refused("a rate in its head is no finite number from 0 up");
  if (head.group == 0 || head.group > head.users) return refused("its groups are larger than the federation");
  const bool kgflex = head.model == SeenModel::kgflex;
  if (head.items > most_items || kgflex != (head.items > 0) || kgflex != !head.features.empty())
    return refused("its model and its items do not go together");
  return Done{};
}

Bytes encode_head(const TranscriptHead& head) {
  const bool fpl = head.model == SeenModel::fpl;
  const std::array<std::uint32_t, 3> sizes{head.users, head.catalogue, head.width};
  const std::array<float, 4> rates{head.learning_rate, head.user_reg, head.positive_reg, head.negative_reg};
  Writer out;
  out.number(magic).number(fpl ? version_of_fpl : version);
  out.raw(std::as_bytes(std::span(sizes))).raw(std::as_bytes(std::span(rates)));
  out.number(head.fixed_bits).number(head.noise_sd).number(static_cast<std::uint8_t>(head.view));
  out.number(head.group).text(head.split);
  if (!fpl) out.number(static_cast<std::uint8_t>(head.model)).number(head.items).text(head.features);
  return std::move(out).take();
}

Bytes encode_round(const SeenRound& round) {
  Writer out;
  out.number(std::uint8_t{1}).number(round.round);
  for (std::size_t row = 0; row < round.shared.rows(); ++row)
    out.raw(std::as_bytes(round.shared.values(row)));
  out.number(static_cast<std::uint32_t>(round.messages.size()));
  for (const SeenMessage& message : round.messages) write_message(out, message);
  return std::move(out).take();
}

Bytes encode_end() {
  Writer out;
  out.number(std::uint8_t{0});
  return std::move(out).take();
}

Result<TranscriptReader> TranscriptReader::open(std::span<const std::byte> bytes) {
  Reader in(bytes);
  if (in.number<std::uint32_t>() != magic) return refused("it does not begin as one");
  const auto written = in.number<std::uint16_t>();
  if (written != version_of_fpl && written != version)
    return fail(Code::incompatible, "transcript refused: another version of sotto wrote it; record it anew");
  TranscriptHead head;
  head.users = in.number<std::uint32_t>();
  head.catalogue = in.number<std::uint32_t>();
  head.width = in.number<std::uint32_t>();
  head.learning_rate = in.number<float>();
  head.user_reg = in.number<float>();
  head.positive_reg = in.number<float>();
  head.negative_reg = in.number<float>();
  head.fixed_bits = in.number<std::int32_t>();
  head.noise_sd = in.number<float>();
  const auto view = in.number<std::uint8_t>();
  if (view > static_cast<std::uint8_t>(View::secure)) return refused("its view is unknown");
  head.view = static_cast<View>(view);
  head.group = in.number<std::uint32_t>();
  head.split = in.text(256);
  if (written == version) {
    if (in.number<std::uint8_t>() != static_cast<std::uint8_t>(SeenModel::kgflex))
      return refused("its model is unknown, or it ends within its head");
    head.model = SeenModel::kgflex;
    head.items = in.number<std::uint32_t>();
    head.features = in.text(256);
  }
  if (in.spoiled()) return refused("it ends within its head");
  SOTTO_TRY_DONE(check(head));
  return TranscriptReader(std::move(head), in);
}

Result<SeenMessage> TranscriptReader::message(std::vector<std::uint8_t>& taken) {
  SeenMessage message;
  message.members = rest_.array<std::uint32_t>();
  message.rows = rest_.array<std::uint32_t>();
  const auto bytes = rest_.number<std::uint8_t>();
  if (bytes == 4) {
    const std::vector<std::int32_t> values = rest_.array<std::int32_t>();
    message.values.assign(values.begin(), values.end());
  } else if (bytes == 8) {
    message.values = rest_.array<std::int64_t>();
    if (narrow(message.values)) return refused("numbers that need 4 bytes are written with 8");
  } else {
    return refused("its numbers have neither 4 nor 8 bytes, or it ends within a message");
  }
  if (rest_.spoiled()) return refused("it ends within a message");
  if (!ascends(message.members, head_.users)) return refused("the members of a message do not ascend");
  if (!ascends(message.rows, head_.catalogue)) return refused("the rows of a message do not ascend");
  if (message.values.size() != message.rows.size() * head_.width)
    return refused("a message has not as many numbers as its rows need");
  for (const std::int64_t value : message.values)
    if (value == std::numeric_limits<std::int64_t>::min())
      return refused("a number of a message is out of range");
  for (const std::uint32_t member : message.members) {
    if (taken[member] != 0) return refused("somebody is in two messages of a round");
    taken[member] = 1;
  }
  return message;
}

Result<std::optional<SeenRound>> TranscriptReader::next() {
  const auto more = rest_.number<std::uint8_t>();
  if (rest_.spoiled() || more > 1) return refused("it ends between two rounds");
  if (more == 0) {
    if (!rest_.finished()) return refused("bytes follow its end");
    return std::optional<SeenRound>();
  }
  SeenRound round;
  round.round = rest_.number<std::uint32_t>();
  const std::size_t row_bytes = head_.width * sizeof(float);
  if (rest_.remaining() / row_bytes < head_.catalogue) return refused("it ends within a shared model");
  round.shared = RowMatrix(head_.catalogue, head_.width);
  for (std::size_t row = 0; row < head_.catalogue; ++row) {
    std::memcpy(round.shared.row(row), rest_.raw(row_bytes).data(), row_bytes);
    for (const float value : round.shared.values(row))
      if (!std::isfinite(value)) return refused("a shared model holds a number that is not finite");
  }
  const auto messages = rest_.number<std::uint32_t>();
  if (rest_.spoiled()) return refused("it ends within a round");
  std::vector<std::uint8_t> taken(head_.users, 0);
  for (std::uint32_t n = 0; n < messages; ++n) {
    SOTTO_TRY(SeenMessage one, message(taken));
    round.messages.push_back(std::move(one));
  }
  return std::optional(std::move(round));
}

}  // namespace sotto::privacy
