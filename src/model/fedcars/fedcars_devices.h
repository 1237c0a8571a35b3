// What the devices of a Fed-CARS federation hold: their rated histories with the contexts that their owners
// let in, and what everybody knows, the attributes of items.
//
// A person's protocol (UDCP; data/contexts.h, ContextTerms) stands before all else: a dimension that is off,
// or that a record does not carry, is not in the record's features; nothing later can tell what it was. What
// a rule keeps back of the history is as if its person did not have it: it is in no example; and who keeps
// back anything has neither intervals nor ages, which would tell of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/split.h"
#include "model/fedcars/fedcars_options.h"
#include "model/fedcars/fm_task.h"
#include "model/rating_predictor.h"

namespace sotto::model {

class FedcarsDevices {
 public:
  // `trained_on` holds the split's training part or less of it. The split has records with ratings, and
  // outlives this; its contexts may be missing. `terms` may be empty: everybody lets everything in. Users
  // count from `first`: a device that knows itself alone has one history and its own index.
  FedcarsDevices(const Split& split, Histories trained_on, ContextTermsOf terms,
                 const FedcarsOptions& options, UserIndex first = UserIndex{0});
  FedcarsDevices(const FedcarsDevices&) = delete;
  FedcarsDevices& operator=(const FedcarsDevices&) = delete;

  // One rated record of a device.
  struct Rated {
    ItemIndex item;
    float target = 0.0f;                  // the rating, from the middle of the scale
    float weight = 1.0f;                  // older ones count less
    float choice_weight = 1.0f;           // the same, among what was chosen
    std::span<const FmFeature> features;  // what the rating is explained by: all of the below
    std::span<const FmFeature>
        timeless;  // without what comes from the record: what the choice is explained by
  };
  [[nodiscard]] std::size_t records(UserIndex user) const { return history(user).size(); }
  [[nodiscard]] std::span<const ItemIndex> history(UserIndex user) const {
    return trained_on_.of(row_of(user));
  }
  [[nodiscard]] Rated record(UserIndex user, std::size_t k) const;
  // Of the test part: for the paper's letter alone, which learns from it.
  [[nodiscard]] std::size_t held_out(UserIndex user) const { return split_.test.of(row_of(user)).size(); }
  [[nodiscard]] float held_out_target(UserIndex user, std::size_t k) const;
  [[nodiscard]] Occasion held_out_occasion(UserIndex user, std::size_t k) const;

  // The features of an item on an occasion, as the person's protocol lets them in; nobody: somebody new, who
  // lets everything in and about whom nothing is known.
  void describe(std::optional<UserIndex> user, const Occasion& occasion, std::vector<FmFeature>& out) const;

  [[nodiscard]] const FedcarsLayout& layout() const { return layout_; }
  [[nodiscard]] const Contexts& contexts() const { return *contexts_; }
  [[nodiscard]] const RatingScale& scale() const { return split_.records->scale; }
  [[nodiscard]] float middle() const { return 0.5f * (scale().lowest + scale().highest); }

 private:
  [[nodiscard]] UserIndex row_of(UserIndex user) const { return UserIndex{user.value - first_.value}; }
  void add_person(UserIndex user, const FedcarsOptions& options);
  // Weights by age.
  void place_in_time(UserIndex user, float half_life, std::vector<float>& placed);
  void add_values(std::optional<UserIndex> user, ItemIndex item, std::span<const std::uint32_t> values,
                  std::vector<FmFeature>& out) const;
  // A dimension beyond the last is recency where nobody was asked about it.
  [[nodiscard]] bool lets_in(std::optional<UserIndex> user, ItemIndex item, std::size_t dimension) const;

  const Split& split_;
  std::shared_ptr<const Contexts> contexts_;  // never null
  Histories trained_on_;
  ContextTermsOf terms_;
  std::uint64_t seed_;
  UserIndex first_;
  std::size_t recency_ = 0;  // the place of the dimension that lets ages in; beyond the last: there is none
  FedcarsLayout layout_;
  // Of each record of trained_on_: where its features end, and those that do not come from the record.
  std::vector<std::uint64_t> ends_{0}, timeless_ends_;
  std::vector<FmFeature> features_;
  std::vector<float> targets_, weights_, choice_weights_;
};

}  // namespace sotto::model
