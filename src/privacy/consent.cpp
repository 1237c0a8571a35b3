#include "privacy/consent.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/assert.h"
#include "base/kernels.h"

namespace sotto::privacy {

Status check(const ConsentPolicy& policy) {
  if (policy.pi >= 0.0 && policy.pi <= 1.0) return Done{};
  return fail(
      Code::usage,
      fmt::format(
          "pi is {}, but it is a share: give a number from 0 (no positive item leaves) to 1 (all may)",
          policy.pi));
}

Result<MaskKind> parse_mask(const std::string& text) {
  for (const MaskKind mask : {MaskKind::redraw, MaskKind::round, MaskKind::sticky})
    if (text == to_string(mask)) return mask;
  return fail(Code::usage, fmt::format("unknown mask '{}': choose redraw, round or sticky", text));
}

const char* to_string(MaskKind mask) {
  return mask == MaskKind::redraw ? "redraw" : mask == MaskKind::round ? "round" : "sticky";
}

std::vector<UserIndex> taking_part(const ConsentPolicy& policy, std::size_t users) {
  std::vector<UserIndex> people;
  for (std::uint32_t user = 0; user < users; ++user)
    if (takes_part(policy, UserIndex{user})) people.push_back(UserIndex{user});
  return people;
}

Histories shareable(const ConsentPolicy& policy, const Histories& histories) {
  return policy.people == nullptr ? histories : policy.people->shareable(histories);
}

namespace {

constexpr std::size_t blocks_at_once = 32;

// Random blocks for (number, user, round) triples, as a Stream of the purpose draws them.
struct Blocks {
  alignas(64) std::uint32_t number[blocks_at_once] = {};
  alignas(64) std::uint32_t user[blocks_at_once] = {};
  alignas(64) std::uint32_t round[blocks_at_once] = {};
  alignas(64) std::uint32_t words[4 * blocks_at_once];

  void draw(Purpose purpose, std::uint64_t seed) {
    const kernels::PhiloxRun run{{number, user, round},
                                 static_cast<std::uint32_t>(purpose),
                                 {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
    kernels::philox_blocks(run, blocks_at_once, words);
  }
};

std::uint8_t is_below(std::uint32_t word, double pi) {
  return static_cast<double>(word) < pi * 0x1.0p32 ? 1 : 0;
}

void redraw_many(double pi, std::uint64_t seed, std::span<const VisitPlace> visits, std::size_t each,
                 std::uint8_t* allowed) {
  Blocks blocks;
  std::uint8_t* outs[blocks_at_once];  // where each block's answers go
  std::size_t filled = 0;
  const auto draw = [&] {
    blocks.draw(Purpose::redraw_consent, seed);
    for (std::size_t n = 0; n < filled; ++n) {
      const std::size_t words = std::min<std::size_t>(4, each - blocks.number[n] * std::size_t{4});
      for (std::size_t w = 0; w < words; ++w) outs[n][w] = is_below(blocks.words[w * blocks_at_once + n], pi);
    }
    filled = 0;
  };
  for (const VisitPlace& visit : visits) {
    for (std::size_t first = 0; first < each; first += 4) {
      blocks.number[filled] = static_cast<std::uint32_t>(first / 4);
      blocks.user[filled] = visit.user.value;
      blocks.round[filled] = visit.round;
      outs[filled] = allowed + first;
      if (++filled == blocks_at_once) draw();
    }
    allowed += each;
  }
  draw();
}

// One decision an item, for ever or in each round.
void decide_many(const ConsentPolicy& policy, std::uint64_t seed, std::span<const VisitPlace> visits,
                 std::size_t each, std::span<const Pair> pairs, std::uint8_t* allowed) {
  const bool by_round = policy.mask == MaskKind::round;
  Blocks blocks;
  std::size_t visit = 0;
  for (std::size_t done = 0; done < pairs.size(); done += blocks_at_once) {
    const std::size_t now = std::min(blocks_at_once, pairs.size() - done);
    for (std::size_t n = 0; n < now; ++n) {
      if (done + n == (visit + 1) * each) ++visit;
      if (by_round) blocks.number[n] = visits[visit].round;
      blocks.user[n] = visits[visit].user.value;
      blocks.round[n] = pairs[done + n].positive.value;
    }
    blocks.draw(by_round ? Purpose::round_consent : Purpose::sticky_consent, seed);
    for (std::size_t n = 0; n < now; ++n) allowed[done + n] = is_below(blocks.words[n], policy.pi);
  }
}

// Where people have terms of their own, each is asked by itself.
void ask_gates(const ConsentPolicy& policy, std::uint64_t seed, std::span<const VisitPlace> visits,
               std::span<const Pair> pairs, std::uint8_t* allowed) {
  const std::size_t each = pairs.size() / visits.size();
  for (std::size_t v = 0; v < visits.size(); ++v) {
    SOTTO_ASSERT(takes_part(policy, visits[v].user), "who takes no part is not visited");
    ConsentGate gate(policy, seed, visits[v].round, visits[v].user);
    for (std::size_t n = v * each; n < (v + 1) * each; ++n)
      allowed[n] = gate.allows(Evidence::positive, pairs[n].positive.value) ? 1 : 0;
  }
}

}  // namespace

void allow_positives(const ConsentPolicy& policy, std::uint64_t seed, std::span<const VisitPlace> visits,
                     std::span<const Pair> pairs, ConsentAnswers& answers) {
  SOTTO_ASSERT(answers.answers_.size() >= pairs.size(), "one answer a pair");
  if (pairs.empty()) return;
  const std::size_t each = pairs.size() / visits.size();
  std::uint8_t* allowed = answers.answers_.data();
  if (policy.people != nullptr) {
    ask_gates(policy, seed, visits, pairs, allowed);
  } else if (policy.pi >= 1.0 || policy.pi <= 0.0) {
    std::fill_n(allowed, pairs.size(), policy.pi >= 1.0 ? 1 : 0);
  } else if (policy.mask == MaskKind::redraw) {
    redraw_many(policy.pi, seed, visits, each, allowed);
  } else {
    decide_many(policy, seed, visits, each, pairs, allowed);
  }
}

}  // namespace sotto::privacy
