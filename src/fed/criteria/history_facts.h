// What a recommender's devices know of themselves, from what their people let be trained on: the facts behind
// criteria (fed/criteria/criterion.h) for models that learn from histories.
//
// Popularity, the classes of items and the bound of records are numbers that everybody knows: popularity is
// the number of people who let the item be trained on, over that of the most popular item; the bound, where
// none is given, is the longest history of those who tell size.
// Laws: an item that its person keeps back changes no fact of theirs; a size that is kept back changes
// nobody's bound; who never took part was away all rounds
// there were; somebody's facts are asked for on their own device alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/histories.h"
#include "data/item_features.h"
#include "fed/criteria/device_facts.h"
#include "privacy/consent_book.h"

namespace sotto::fed {

// The classes that each item belongs to: none, one or many.
class ItemClasses {
 public:
  ItemClasses() = default;  // there are none
  // Categories as data/item_labels.h has them, one text an item: "Action|Comedy".
  explicit ItemClasses(std::span<const std::string> categories);
  explicit ItemClasses(const ItemFeatures& features);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::span<const std::uint32_t> of(ItemIndex item) const;

 private:
  std::size_t count_ = 0;
  std::vector<std::uint64_t> ends_{0};
  std::vector<std::uint32_t> classes_;
};

struct HistoryFactsOptions {
  std::uint64_t most_records = 0;  // everybody's bound; 0: the longest history of who tells size
  ItemClasses classes = {};        //
  std::vector<std::uint8_t> marked =
      {};                          // one an item: whether it has the quality asked for; empty: none has
  std::vector<double> trust = {};  // one a person; empty: all are trusted
};

class HistoryFacts final : public FactsSource {
 public:
  // `histories` are what may be trained on, of items below `catalogue`; `people` null: everybody tells all.
  HistoryFacts(Histories histories, std::size_t catalogue, HistoryFactsOptions options,
               std::shared_ptr<const ConsentBook> people);

  [[nodiscard]] DeviceFacts of(UserIndex device) const override;
  [[nodiscard]] bool tells(UserIndex device, const char* criterion) const override;
  [[nodiscard]] bool everybody_tells() const override;
  // These took part in the round. Rounds are noted in their order.
  void note_round(std::uint32_t round, std::span<const UserIndex> cohort);

 private:
  Histories histories_;
  HistoryFactsOptions options_;
  std::shared_ptr<const ConsentBook> people_;
  std::vector<double> rarity_;              // of each history
  std::uint32_t rounds_ = 0;                // so far
  std::vector<std::uint32_t> heard_until_;  // of each: rounds there were when it last took part; 0: never
};

}  // namespace sotto::fed
