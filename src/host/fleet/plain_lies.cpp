#include "host/fleet/plain_lies.h"

#include <algorithm>

#include "fed/wire/packed_contribution.h"
#include "privacy/contribution_edit.h"

namespace sotto::host {

namespace {

enum Lie : std::uint32_t {
  immense,     // as much as a number can say
  enlarged,    // seven times as much, and the other way: counts below nothing, ratings beyond the scale
  everything,  // a word of every row up to the last
  beyond,      // a word of a row that no model has
  kinds,
};

constexpr std::uint32_t far_beyond = 1 << 20;

void enlarge(std::span<std::int32_t> values, bool all) {
  for (std::int32_t& value : values) {
    const std::int64_t wanted = all ? (value < 0 ? -fixed_limit : fixed_limit) : std::int64_t{value} * -7;
    value = static_cast<std::int32_t>(std::clamp<std::int64_t>(wanted, -fixed_limit, fixed_limit));
  }
}

void lie(Contribution& contribution, std::uint32_t kind) {
  const ContributionEdit edit(contribution);
  if (kind == immense || kind == enlarged) {
    for (std::size_t n = 0; n < contribution.size(); ++n) enlarge(edit.values(n), kind == immense);
    return;
  }
  const std::uint32_t last = contribution.size() == 0 ? 0 : contribution.row(contribution.size() - 1);
  ContributionEdit filled(contribution);
  if (kind == everything)
    filled.fill(0, last);
  else
    filled.fill(last + far_beyond, last + far_beyond + 1);
}

}  // namespace

std::string lie_in_contribution(const std::string& packed, FleetDraws& draws) {
  const std::uint32_t kind = draws.below(kinds);
  // What the task lets in is the server's to check: here it is what the message says itself.
  Reader in(std::as_bytes(std::span(packed)));
  if (!read_header(in, MessageKind::packed_contribution).ok()) return packed;
  (void)in.number<std::uint32_t>();  // the round
  const auto rows = in.number<std::uint32_t>();
  const auto width = in.number<std::uint32_t>();
  if (in.spoiled()) return packed;
  for (const bool alike : {false, true}) {
    auto message = unpack_contribution(
        packed, {.catalogue = UINT32_MAX, .width = width, .most_rows = rows, .alike = alike});
    if (!message.ok()) continue;
    Contribution& contribution = message->contribution;
    lie(contribution, kind);
    if (alike && contribution.size() > 0) {  // the form has no other
      const std::vector<std::int32_t> first(contribution.values(0), contribution.values(0) + width);
      const ContributionEdit edit(contribution);
      for (std::size_t n = 1; n < contribution.size(); ++n) std::ranges::copy(first, edit.values(n).begin());
    }
    return pack_contribution(*message, alike);
  }
  return packed;
}

}  // namespace sotto::host
