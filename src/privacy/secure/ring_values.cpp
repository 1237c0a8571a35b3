#include "privacy/secure/ring_values.h"

#include <fmt/core.h>

#include <cstring>

#include "base/assert.h"
#include "base/secret_stream.h"

namespace sotto::privacy {

namespace {

// Values of `bits` bits, one after the other, low bits first.
template <class Word>
void pack_words(std::span<const Word> words, std::uint32_t bits, std::byte* out) {
  if (bits == 8 * sizeof(Word)) {
    std::memcpy(out, words.data(), words.size_bytes());
    return;
  }
  const std::uint64_t kept = (std::uint64_t{1} << bits) - 1;
  unsigned __int128 waiting = 0;
  std::uint32_t count = 0;
  for (const Word word : words) {
    waiting |= static_cast<unsigned __int128>(word & kept) << count;
    for (count += bits; count >= 8; count -= 8, waiting >>= 8) *out++ = static_cast<std::byte>(waiting);
  }
  if (count > 0) *out = static_cast<std::byte>(waiting);
}

template <class Word>
void add_packed_words(std::span<Word> words, std::uint32_t bits, const std::byte* in) {
  if (bits == 8 * sizeof(Word)) {
    for (std::size_t n = 0; n < words.size(); ++n) {
      Word word;
      std::memcpy(&word, in + n * sizeof(Word), sizeof(Word));
      words[n] += word;
    }
    return;
  }
  const std::uint64_t kept = (std::uint64_t{1} << bits) - 1;
  unsigned __int128 waiting = 0;
  std::uint32_t count = 0;
  for (Word& word : words) {
    for (; count < bits; count += 8)
      waiting |= static_cast<unsigned __int128>(static_cast<std::uint8_t>(*in++)) << count;
    word += static_cast<Word>(static_cast<std::uint64_t>(waiting) & kept);
    waiting >>= bits;
    count -= bits;
  }
}

}  // namespace

Result<SumRange> plan_range(std::uint32_t devices, std::int32_t limit, std::uint32_t bits) {
  if (limit < 1) return fail(Code::usage, "secure sum refused: the limit of a value is at least 1");
  if (bits > 64) return fail(Code::usage, "secure sum refused: a ring has at most 64 bits");
  const std::uint64_t most = std::uint64_t{devices} * static_cast<std::uint64_t>(limit);
  std::uint32_t needed = 2;
  while (most >> (needed - 1) != 0) ++needed;
  if (bits == 0) return SumRange{needed, limit};
  if (bits < needed)
    return fail(
        Code::usage,
        fmt::format("secure sum refused: the sum of {} devices within ±{} needs {} bits, the plan has "
                    "{}; take a wider ring, smaller groups or a lower limit",
                    devices, limit, needed, bits));
  return SumRange{bits, limit};
}

RingValues::RingValues(std::size_t entries, std::uint32_t bits) : entries_(entries), bits_(bits) {
  SOTTO_ASSERT(bits >= 2 && bits <= 64, "a ring has 2 to 64 bits");
  if (bits <= 32)
    narrow_.assign(entries, 0);
  else
    wide_.assign(entries, 0);
}

void RingValues::add(std::span<const std::int32_t> values) {
  SOTTO_ASSERT(values.size() == entries_, "one value an entry");
  for (std::size_t n = 0; n < narrow_.size(); ++n) narrow_[n] += static_cast<std::uint32_t>(values[n]);
  for (std::size_t n = 0; n < wide_.size(); ++n)
    wide_[n] += static_cast<std::uint64_t>(std::int64_t{values[n]});
}

void RingValues::add_mask(const Secret& key) {
  SecretStream stream = key.stream();
  if (bits_ <= 32)
    stream.add_to(std::span(narrow_));
  else
    stream.add_to(std::span(wide_));
}

void RingValues::subtract_mask(const Secret& key) {
  SecretStream stream = key.stream();
  if (bits_ <= 32)
    stream.subtract_from(std::span(narrow_));
  else
    stream.subtract_from(std::span(wide_));
}

std::int64_t RingValues::value(std::size_t entry) const {
  const std::uint64_t word = bits_ <= 32 ? narrow_[entry] : wide_[entry];
  const std::uint32_t unused = 64 - bits_;
  return static_cast<std::int64_t>(word << unused) >> unused;
}

std::vector<std::int64_t> RingValues::values() const {
  std::vector<std::int64_t> out(entries_);
  for (std::size_t n = 0; n < entries_; ++n) out[n] = value(n);
  return out;
}

std::vector<std::byte> RingValues::packed() const {
  std::vector<std::byte> out(packed_bytes());
  if (bits_ <= 32)
    pack_words(std::span(narrow_), bits_, out.data());
  else
    pack_words(std::span(wide_), bits_, out.data());
  return out;
}

void RingValues::add_packed(std::span<const std::byte> bytes) {
  SOTTO_ASSERT(is_packed(bytes), "packed values have their length");
  if (bits_ <= 32)
    add_packed_words(std::span(narrow_), bits_, bytes.data());
  else
    add_packed_words(std::span(wide_), bits_, bytes.data());
}

bool RingValues::is_packed(std::span<const std::byte> bytes) const {
  if (bytes.size() != packed_bytes()) return false;
  const std::size_t last = entries_ * bits_ % 8;
  return last == 0 || static_cast<std::uint8_t>(bytes.back()) >> last == 0;
}

}  // namespace sotto::privacy
