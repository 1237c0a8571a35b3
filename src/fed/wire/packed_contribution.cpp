#include "fed/wire/packed_contribution.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace sotto::fed {

namespace {

constexpr unsigned plain_field_bits = 5;  // holds the number of a row's plain bits
constexpr unsigned most_plain = 31;

Error refuse_contribution(const char* why) {
  return fail(Code::bad_input, fmt::format("contribution refused: {}", why));
}

// Integers as numbers without a sign, small ones small.
std::uint32_t folded(std::int32_t value) {
  const auto bits = static_cast<std::uint32_t>(value);
  return (bits << 1) ^ (value < 0 ? UINT32_MAX : 0u);
}
std::int32_t unfolded(std::uint32_t number) {
  return static_cast<std::int32_t>((number >> 1) ^ ((number & 1u) != 0 ? UINT32_MAX : 0u));
}

// How many low bits cost least when each number keeps them and counts the rest.
unsigned plain_bits_for(std::span<const std::uint32_t> numbers) {
  std::uint64_t sum = 0;
  for (const std::uint32_t number : numbers) sum += number;
  const auto mean = static_cast<unsigned>(std::bit_width(sum / std::max<std::size_t>(numbers.size(), 1)));
  unsigned best = 0;
  std::uint64_t least = UINT64_MAX;
  for (unsigned plain = mean > 2 ? mean - 2 : 0; plain <= std::min(mean + 1, most_plain); ++plain) {
    std::uint64_t cost = numbers.size() * (plain + std::uint64_t{1});
    for (const std::uint32_t number : numbers) cost += number >> plain;
    if (cost < least) least = cost, best = plain;
  }
  return best;
}

class BitWriter {
 public:
  // The low `count` bits, at most 32.
  void bits(std::uint64_t value, unsigned count) {
    held_ |= value << used_;
    used_ += count;
    for (; used_ >= 8; used_ -= 8, held_ >>= 8) out_.push_back(static_cast<char>(held_ & 0xFFu));
  }
  void number(std::uint32_t number, unsigned plain) {
    std::uint32_t zeros = number >> plain;
    for (; zeros >= 32; zeros -= 32) bits(0, 32);
    bits(std::uint64_t{1} << zeros, zeros + 1);
    bits(number & ((std::uint64_t{1} << plain) - 1), plain);
  }
  [[nodiscard]] std::string take() && {
    if (used_ > 0) out_.push_back(static_cast<char>(held_ & 0xFFu));
    return std::move(out_);
  }

 private:
  std::string out_;
  std::uint64_t held_ = 0;
  unsigned used_ = 0;
};

// After the first failure every further read gives 0.
class BitReader {
 public:
  explicit BitReader(std::string_view in) : in_(in) {}

  [[nodiscard]] std::uint32_t bits(unsigned count) {
    if (count == 0) return 0;
    fill();
    if (have_ < count) return spoil();
    const auto value = static_cast<std::uint32_t>(held_ & ((std::uint64_t{1} << count) - 1));
    drop(count);
    return value;
  }
  [[nodiscard]] std::uint32_t number(unsigned plain) {
    const std::uint32_t most = UINT32_MAX >> plain;
    std::uint64_t zeros = 0;
    for (fill(); held_ == 0 && have_ > 0; fill()) {
      zeros += have_;
      drop(have_);
    }
    if (have_ == 0) return spoil();
    const auto last = static_cast<unsigned>(std::countr_zero(held_));
    zeros += last;
    drop(last + 1);
    if (zeros > most) return spoil();
    return (static_cast<std::uint32_t>(zeros) << plain) | bits(plain);
  }
  [[nodiscard]] bool spoiled() const { return spoiled_; }
  // All was read but the zeros that fill the last byte.
  [[nodiscard]] bool finished() {
    fill();
    return !spoiled_ && have_ < 8 && held_ == 0;
  }

 private:
  void fill() {
    for (; have_ <= 56 && !in_.empty(); have_ += 8, in_.remove_prefix(1))
      held_ |= std::uint64_t{static_cast<unsigned char>(in_.front())} << have_;
  }
  void drop(unsigned count) {
    held_ = count < 64 ? held_ >> count : 0;
    have_ -= count;
  }
  std::uint32_t spoil() {
    spoiled_ = true;
    in_ = {};
    held_ = 0;
    have_ = 0;
    return 0;
  }

  std::string_view in_;
  std::uint64_t held_ = 0;
  unsigned have_ = 0;
  bool spoiled_ = false;
};

}  // namespace

std::string pack_contribution(const ContributionMessage& message, bool alike) {
  const Contribution& contribution = message.contribution;
  Writer header;
  write_header(header, MessageKind::packed_contribution);
  header.number(message.round)
      .number(static_cast<std::uint32_t>(contribution.size()))
      .number(static_cast<std::uint32_t>(contribution.width()));
  BitWriter out;
  std::vector<std::uint32_t> numbers(contribution.size());
  for (std::size_t n = 0; n < numbers.size(); ++n)
    numbers[n] = contribution.row(n) - (n > 0 ? contribution.row(n - 1) : 0);
  const unsigned gap_bits = plain_bits_for(numbers);
  out.bits(gap_bits, plain_field_bits);
  for (const std::uint32_t gap : numbers) out.number(gap, gap_bits);
  numbers.resize(contribution.width());
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    if (alike && n > 0) {
      SOTTO_ASSERT(
          std::equal(contribution.values(0), contribution.values(0) + numbers.size(), contribution.values(n)),
          "the rows of a statistic are alike");
      continue;
    }
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = folded(contribution.values(n)[k]);
    const unsigned plain = plain_bits_for(numbers);
    out.bits(plain, plain_field_bits);
    for (const std::uint32_t number : numbers) out.number(number, plain);
  }
  return std::string(reinterpret_cast<const char*>(header.view().data()), header.size()) +
         std::move(out).take();
}

Result<ContributionMessage> unpack_contribution(std::string_view packed, const ContributionLimits& limits) {
  Reader in(std::as_bytes(std::span(packed)));
  SOTTO_TRY_DONE(read_header(in, MessageKind::packed_contribution));
  const auto round = in.number<std::uint32_t>();
  const auto rows = in.number<std::uint32_t>();
  const auto width = in.number<std::uint32_t>();
  if (in.spoiled()) return refuse_contribution("it ends within its shape");
  if (width != limits.width) return refuse_contribution("its rows are not as wide as the task's");
  if (rows > limits.most_rows) return refuse_contribution("it has more rows than a visit updates");
  // Each number takes a bit or more.
  const std::uint64_t told = limits.alike ? std::min(rows, 1u) : rows;
  if (rows + told * (plain_field_bits + width) > std::uint64_t{in.remaining()} * 8)
    return refuse_contribution("it is too short for its rows");

  BitReader bits(packed.substr(packed.size() - in.remaining()));
  std::vector<std::uint32_t> places(rows);
  std::uint64_t place = 0;
  const unsigned gap_bits = bits.bits(plain_field_bits);
  for (std::size_t n = 0; n < places.size(); ++n) {
    const std::uint32_t gap = bits.number(gap_bits);
    if (limits.alike && n > 0 && gap == 0) return refuse_contribution("it names a row twice");
    place += gap;
    if (place >= limits.catalogue)
      return fail(Code::not_found, "contribution refused: it names a row beyond the last");
    places[n] = static_cast<std::uint32_t>(place);
  }
  // As the plain message has it, whose reader checks the rest.
  Writer plain;
  write_header(plain, MessageKind::contribution);
  plain.number(round).number(rows).number(width);
  std::vector<std::int32_t> values(width);
  for (std::size_t n = 0; n < places.size(); ++n) {
    if (!limits.alike || n == 0) {
      const unsigned kept = bits.bits(plain_field_bits);
      for (std::int32_t& value : values) value = unfolded(bits.number(kept));
    }
    if (bits.spoiled()) break;
    // The rest costs no bits: what does not end here is refused before it is laid out.
    if (limits.alike && n == 0 && !bits.finished()) break;
    plain.number(places[n]).raw(std::as_bytes(std::span<const std::int32_t>(values)));
  }
  if (!bits.finished()) return refuse_contribution("its bits do not fill its length");
  return decode<ContributionMessage>(plain.view());
}

}  // namespace sotto::fed
