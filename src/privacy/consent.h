// Consent: what a person lets leave the device. It is the first step of every contribution.
//
// An update that comes from an item the person consumed is *positive* evidence; π is the share of it
// that may leave. Negative evidence (items not consumed) always may.
//   redraw   every single update is drawn anew: the papers' experiments. It adds up over rounds.
//   sticky   one decision an item, the same in every round: what is disclosed stays at π.
// Laws: π = 0 lets no positive update out, π = 1 all; a sticky decision depends on the person and the
// item alone, and what is allowed at some π is allowed at any larger one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "data/ids.h"
#include "model/federated_model.h"

namespace sotto {

enum class MaskKind : std::uint8_t { redraw, sticky };

struct ConsentPolicy {
  double pi = 1.0;
  MaskKind mask = MaskKind::sticky;
};

[[nodiscard]] Status check(const ConsentPolicy& policy);
[[nodiscard]] Result<MaskKind> parse_mask(const std::string& text);
[[nodiscard]] const char* to_string(MaskKind mask);

// The policy at work during one visit of one device.
class ConsentGate {
 public:
  ConsentGate() : ConsentGate({.pi = 0.0}, 0, 0, UserIndex{}) {}  // closed
  ConsentGate(const ConsentPolicy& policy, std::uint64_t seed, std::uint32_t round, UserIndex user)
      : policy_(policy),
        seed_(seed),
        user_(user),
        redraws_(seed, Purpose::redraw_consent, round, user.value) {}

  [[nodiscard]] bool allows(Evidence evidence, std::uint32_t item) {
    if (evidence == Evidence::negative || policy_.pi >= 1.0) return true;
    if (policy_.pi <= 0.0) return false;
    if (policy_.mask == MaskKind::redraw) return redraws_.chance(policy_.pi);
    return Stream(seed_, Purpose::sticky_consent, item, user_.value).chance(policy_.pi);
  }

 private:
  ConsentPolicy policy_;
  std::uint64_t seed_;
  UserIndex user_;
  Stream redraws_;
};

// What gates say to the positive items of many pairs. Only allow_positives() fills it.
class ConsentAnswers {
 public:
  explicit ConsentAnswers(std::size_t most) : answers_(most, 0) {}
  [[nodiscard]] bool allows(std::size_t pair) const { return answers_[pair] != 0; }

 private:
  friend void allow_positives(const ConsentPolicy& policy, std::uint64_t seed,
                              std::span<const VisitPlace> visits, std::span<const Pair> pairs,
                              ConsentAnswers& answers);
  std::vector<std::uint8_t> answers_;
};

// The answers to the pairs of visits with equally many: those of each visit's ConsentGate, many at once.
void allow_positives(const ConsentPolicy& policy, std::uint64_t seed, std::span<const VisitPlace> visits,
                     std::span<const Pair> pairs, ConsentAnswers& answers);

}  // namespace sotto
