#include "host/fleet/secure_lies.h"

#include "fed/secure/sum_messages.h"

namespace sotto::host {

namespace {

template <class M, class Change>
std::string changed(const std::string& message, const Change& change) {
  auto decoded = decode<M>(std::as_bytes(std::span(message)));
  if (!decoded.ok()) return message;  // a piece of a long one
  change(*decoded);
  const Bytes bytes = encode(*decoded);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string lie_in_sum(v1::Phase phase, const std::string& message) {
  switch (phase) {
    case v1::PHASE_LETTERS:
      return changed<LettersMessage>(message, [](LettersMessage& all) {
        for (Letter& letter : all.letters) letter.sealed[0] ^= 1;
      });
    case v1::PHASE_MASKED:
      return changed<MaskedMessage>(message, [](MaskedMessage& all) {
        // The last byte has bits that must be none.
        for (std::size_t n = 0; n + 1 < all.values.size(); ++n) all.values[n] ^= std::byte{0x5a};
      });
    case v1::PHASE_REVEAL:
      return changed<RevealMessage>(message, [](RevealMessage& all) {
        for (RevealedShare& one : all.shares) one.share.limbs[0] = field_add(one.share.limbs[0], 1);
      });
    default:
      return message;
  }
}

}  // namespace sotto::host
