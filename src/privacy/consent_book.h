// ConsentBook: what single people of a federation chose, where they differ from the plan or have rules.
//
// ConsentTerms are one person's policy (privacy/personal_policy.h) put into the numbers of a catalogue.
// Precedence: who takes no part sends nothing at all; then the rule of the item; then π.
// Law: an item under `never` is as if its person did not have it: shareable() leaves it out before anything
// is computed for others, so that no contribution, of whatever row, depends on it. (It is still known as
// consumed, so that it is not drawn as something the person does not have.) A feature that is kept back is as
// if no item had it (privacy/feature_consent.h); models that do not look at features ignore it. Of what the
// rules leave, shareable() lets in the newest ⌈share·n⌉ where only a share of the history enters; where its
// order in time is not known, each item by a draw that stays (data/contexts.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/assert.h"
#include "data/contexts.h"
#include "data/histories.h"
#include "data/item_features.h"
#include "privacy/criteria_choice.h"

namespace sotto::privacy {

//   redraw   every single update is drawn anew, so that an item may be drawn several times in a round.
//   round    one decision an item and round (thesis eq. 4.8 and 4.9). Like redraw it adds up over rounds.
//   sticky   one decision an item, the same in every round: what is disclosed stays at π.
enum class MaskKind : std::uint8_t { redraw, round, sticky };

enum class ItemRule : std::uint8_t { none, always, never };

struct ConsentTerms {
  double pi = 1.0;
  MaskKind mask = MaskKind::sticky;
  bool takes_part = true;
  std::vector<ItemRule> rules = {};          // one an item of the catalogue; empty: none has one
  std::vector<FeatureIndex> kept_back = {};  // ascending, in the numbers of the split's features
  ContextTerms contexts = {};                // what enters the model on the device; models that look at none
                                             // ignore all of it but the history
  CriteriaTerms criteria = {};               // which of its criteria the device tells
};

class ConsentBook {
 public:
  // `kind_of` says for each user which of the kinds is theirs; `seed` is of what is drawn and stays.
  ConsentBook(std::vector<ConsentTerms> kinds, std::vector<std::uint16_t> kind_of, std::uint64_t seed = 0);
  // One person's, on their own device: whoever asks is that person, `self` in draws.
  explicit ConsentBook(ConsentTerms own, std::uint64_t seed = 0, UserIndex self = {});

  [[nodiscard]] std::size_t users() const { return kind_of_.size(); }  // 0: one person's own
  [[nodiscard]] const ConsentTerms& of(UserIndex user) const { return kinds_[kind_of(user)]; }
  [[nodiscard]] std::span<const ConsentTerms> kinds() const { return kinds_; }
  [[nodiscard]] std::uint16_t kind_of(UserIndex user) const {
    return kind_of_.empty() ? std::uint16_t{0} : kind_of_[user.value];
  }

  // The histories without the items that a rule or the share keeps back, empty for who takes no part.
  [[nodiscard]] Histories shareable(const Histories& histories) const;
  // The same book, but this one takes no part, and nothing of their history may be used.
  [[nodiscard]] ConsentBook without(UserIndex user) const;

 private:
  // Takes out of `items`, one person's, what is outside their share; `ages` are one an item, or none.
  void keep_newest(UserIndex user, std::vector<ItemIndex>& items, std::span<const std::uint16_t> ages) const;

  std::vector<ConsentTerms> kinds_;
  std::vector<std::uint16_t> kind_of_;
  std::uint64_t seed_;
  UserIndex self_{};
};

// Those of the cohort who answer: who has nothing that may be trained on does not. They lie in `room`.
[[nodiscard]] std::span<const UserIndex> answering(std::span<const UserIndex> cohort,
                                                   const Histories& shareable, std::vector<UserIndex>& room);

}  // namespace sotto::privacy
