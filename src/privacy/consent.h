// Consent: what a person lets leave the device. It is the first step of every contribution.
//
// An update that comes from an item the person consumed is *positive* evidence; π is the share of it
// that may leave. Negative evidence (items not consumed) always may, unless the person takes no part. People
// can have terms of their own, with rules for single items (privacy/consent_book.h).
// Laws: π = 0 lets no positive update out, π = 1 all; a sticky decision depends on the person and the
// item alone, one of a round on the round as well, and what either allows at some π is allowed at any larger
// one; a rule goes before π.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "data/ids.h"
#include "model/federated_model.h"
#include "privacy/consent_book.h"

namespace sotto::privacy {

struct ConsentPolicy {
  double pi = 1.0;
  MaskKind mask = MaskKind::sticky;
  std::shared_ptr<const ConsentBook> people = nullptr;  // their own terms, instead; null: all have the above
};

[[nodiscard]] Status check(const ConsentPolicy& policy);
[[nodiscard]] Result<MaskKind> parse_mask(const std::string& text);
[[nodiscard]] const char* to_string(MaskKind mask);

// Whether a device answers at all. Who has nothing that may be trained on does not.
[[nodiscard]] inline bool takes_part(const ConsentPolicy& policy, UserIndex user) {
  return policy.people == nullptr || policy.people->of(user).takes_part;
}
// Those of so many users, ascending.
[[nodiscard]] std::vector<UserIndex> taking_part(const ConsentPolicy& policy, std::size_t users);
// What devices may train on for others: ConsentBook::shareable, or the histories as they are.
[[nodiscard]] Histories shareable(const ConsentPolicy& policy, const Histories& histories);

// The policy at work during one visit of one device. The policy outlives it.
class ConsentGate {
 public:
  ConsentGate() : ConsentGate({.pi = 0.0}, 0, 0, UserIndex{}) {}  // closed
  ConsentGate(const ConsentPolicy& policy, std::uint64_t seed, std::uint32_t round, UserIndex user)
      : pi_(policy.pi),
        mask_(policy.mask),
        seed_(seed),
        round_(round),
        user_(user),
        redraws_(seed, Purpose::redraw_consent, round, user.value) {
    if (policy.people != nullptr) [[unlikely]]
      take(policy.people->of(user));
  }

  [[nodiscard]] bool allows(Evidence evidence, std::uint32_t item) {
    if (evidence == Evidence::negative) return takes_part_;
    if (rules_ != nullptr && rules_[item] != ItemRule::none) return rules_[item] == ItemRule::always;
    if (pi_ >= 1.0) return true;
    if (pi_ <= 0.0) return false;
    if (mask_ == MaskKind::redraw) return redraws_.chance(pi_);
    if (mask_ == MaskKind::round)
      return Stream(seed_, Purpose::round_consent, item, user_.value, round_).chance(pi_);
    return Stream(seed_, Purpose::sticky_consent, item, user_.value).chance(pi_);
  }

 private:
  void take(const ConsentTerms& terms) {
    takes_part_ = terms.takes_part;
    pi_ = terms.takes_part ? terms.pi : 0.0;
    mask_ = terms.mask;
    rules_ = terms.takes_part && !terms.rules.empty() ? terms.rules.data() : nullptr;
  }

  double pi_;
  MaskKind mask_;
  bool takes_part_ = true;           // else pi_ is 0 and there are no rules
  const ItemRule* rules_ = nullptr;  // one an item, or null
  std::uint64_t seed_;
  std::uint32_t round_;
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

}  // namespace sotto::privacy
