#include "data/examples/deal.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "data/split_parts.h"

namespace sotto::data {
namespace {

using Places = std::vector<std::uint32_t>;

// What is drawn; a hand's own draws are also keyed by its device.
enum DealRound : std::uint32_t {
  training_round = 0,
  test_round = 1,
  shard_round = 2,
  sample_round = 3,
  people_round = 4,
  cut_training_round = 5,
  cut_test_round = 6,
  validation_round = 7,
  hold_out_round = 8,
};

Places range(std::size_t from, std::size_t to) {
  Places places(to - from);
  std::iota(places.begin(), places.end(), static_cast<std::uint32_t>(from));
  return places;
}

// Puts `count` of them, drawn at random, in front.
void draw_in_front(Places& places, std::size_t count, Stream stream) {
  for (std::size_t k = 0; k < count && k + 1 < places.size(); ++k)
    std::swap(places[k], places[k + stream.below(static_cast<std::uint32_t>(places.size() - k))]);
}

// Takes `count` of them out, at random; both are in order afterwards.
Places drawn_from(Places& places, std::size_t count, Stream stream) {
  draw_in_front(places, count, stream);
  const auto end = places.begin() + static_cast<std::ptrdiff_t>(count);
  Places drawn(places.begin(), end);
  places.erase(places.begin(), end);
  std::sort(drawn.begin(), drawn.end());
  std::sort(places.begin(), places.end());
  return drawn;
}

// A part of each hand, rounded down, but one at least where that leaves another.
std::size_t some_of(double share, std::size_t count) {
  if (share <= 0.0 || count < 2) return 0;
  return std::clamp<std::size_t>(share_of(share, count), 1, count - 1);
}

Status check_options(const Examples& examples, const DealOptions& options) {
  if (!(options.validation_share >= 0.0 && options.validation_share < 1.0))
    return fail(Code::usage,
                fmt::format("a validation share of {} cannot be; choose one from 0 up to below 1",
                            options.validation_share));
  if (examples.count() > most_ids)
    return fail(Code::bad_input,
                fmt::format("{} examples are more than can be dealt; take fewer of them", examples.count()));
  return Done{};
}

// A hand cut down to what options allow, and its validation part taken out.
void finish_hand(Dealt::Hand& hand, std::uint32_t device, const DealOptions& options) {
  const auto stream = [&](DealRound round) {
    return Stream(options.seed, Purpose::deal_examples, round, device);
  };
  const std::size_t most = options.most_examples;
  if (most != 0 && hand.train.size() > most) {
    const std::size_t tests =
        hand.test.empty() ? 0 : std::max<std::size_t>(hand.test.size() * most / hand.train.size(), 1);
    hand.train = drawn_from(hand.train, most, stream(cut_training_round));
    hand.test = drawn_from(hand.test, tests, stream(cut_test_round));
  }
  std::sort(hand.train.begin(), hand.train.end());
  std::sort(hand.test.begin(), hand.test.end());
  hand.validation =
      drawn_from(hand.train, some_of(options.validation_share, hand.train.size()), stream(validation_round));
}

// Cuts `places` into so many pieces, as equal as can be, and gives piece k to the hand taker(k).
template <class Taker>
void cut(const Places& places, std::size_t pieces, const Taker& taker) {
  for (std::size_t k = 0; k < pieces; ++k) {
    const auto at = [&](std::size_t piece) {
      return places.begin() + static_cast<std::ptrdiff_t>(places.size() * piece / pieces);
    };
    Places& hand = taker(k);
    hand.insert(hand.end(), at(k), at(k + 1));
  }
}

Status check_pieces(const Examples& examples, std::uint64_t pieces, const char* what) {
  if (pieces == 0)
    return fail(Code::usage, fmt::format("0 {} cannot be dealt to; choose at least one", what));
  if (pieces > examples.for_training)
    return fail(Code::usage, fmt::format("{} {} need as many examples for training, and there are {}; choose "
                                         "fewer",
                                         pieces, what, examples.for_training));
  return Done{};
}

Dealt finished(std::vector<Dealt::Hand> hands, const DealOptions& options) {
  if (options.most_devices != 0 && hands.size() > options.most_devices) hands.resize(options.most_devices);
  for (std::uint32_t device = 0; device < hands.size(); ++device) finish_hand(hands[device], device, options);
  return Dealt(std::move(hands));
}

}  // namespace

Result<Dealt> deal_evenly(const Examples& examples, std::uint32_t devices, const DealOptions& options) {
  SOTTO_TRY_DONE(check_options(examples, options));
  SOTTO_TRY_DONE(check_pieces(examples, devices, "devices"));
  Places training = range(0, examples.for_training);
  Places test = range(examples.for_training, examples.count());
  draw_in_front(training, training.size(), Stream(options.seed, Purpose::deal_examples, training_round));
  draw_in_front(test, test.size(), Stream(options.seed, Purpose::deal_examples, test_round));
  std::vector<Dealt::Hand> hands(devices);
  cut(training, devices, [&](std::size_t k) -> Places& { return hands[k].train; });
  cut(test, devices, [&](std::size_t k) -> Places& { return hands[k].test; });
  return finished(std::move(hands), options);
}

Result<Dealt> deal_shards(const Examples& examples, std::uint32_t devices, std::uint32_t shards_each,
                          const DealOptions& options) {
  SOTTO_TRY_DONE(check_options(examples, options));
  const std::uint64_t shards = std::uint64_t{devices} * shards_each;
  SOTTO_TRY_DONE(check_pieces(examples, shards, "shards"));
  const auto by_label = [&](std::uint32_t a, std::uint32_t b) {
    return examples.labels[a] < examples.labels[b];
  };
  Places training = range(0, examples.for_training);
  Places test = range(examples.for_training, examples.count());
  std::stable_sort(training.begin(), training.end(), by_label);
  std::stable_sort(test.begin(), test.end(), by_label);
  // The device of shard k is order[k] / shards_each.
  Places order = range(0, shards);
  draw_in_front(order, order.size(), Stream(options.seed, Purpose::deal_examples, shard_round));
  std::vector<Dealt::Hand> hands(devices);
  cut(training, shards, [&](std::size_t k) -> Places& { return hands[order[k] / shards_each].train; });
  cut(test, shards, [&](std::size_t k) -> Places& { return hands[order[k] / shards_each].test; });
  return finished(std::move(hands), options);
}

Result<Dealt> deal_by_owner(const Examples& examples, std::span<const std::uint32_t> owners,
                            const OwnerDeal& deal, const DealOptions& options) {
  SOTTO_TRY_DONE(check_options(examples, options));
  if (owners.size() != examples.count())
    return fail(Code::bad_input, fmt::format("{} owners for {} examples; give one an example", owners.size(),
                                             examples.count()));
  if (!(deal.sample_share > 0.0 && deal.sample_share <= 1.0))
    return fail(Code::usage,
                fmt::format("a sample of {} of the examples cannot be drawn; choose a share above "
                            "0 and up to 1",
                            deal.sample_share));
  if (!(deal.test_share >= 0.0 && deal.test_share < 1.0))
    return fail(Code::usage, fmt::format("a test share of {} cannot be; choose one from 0 up to below 1",
                                         deal.test_share));
  Places rest = range(0, examples.count());
  const Places sample = drawn_from(rest, share_of(deal.sample_share, examples.count()),
                                   Stream(options.seed, Purpose::deal_examples, sample_round));
  std::vector<Places> held;
  for (const std::uint32_t place : sample) {
    // More people than examples there cannot be; and so memory is not a matter of what the numbers are.
    if (owners[place] >= examples.count())
      return fail(Code::bad_input, "an owner's number is above the count of examples; number people from 0");
    if (owners[place] >= held.size()) held.resize(std::size_t{owners[place]} + 1);
    held[owners[place]].push_back(place);
  }
  const std::size_t least = std::max<std::size_t>(deal.least, 1);
  std::erase_if(held, [&](const Places& places) { return places.size() < least; });
  if (held.empty())
    return fail(Code::bad_input,
                fmt::format("nobody has {} examples in a sample of {}; ask for fewer, or take "
                            "a larger share",
                            least, sample.size()));
  Places people = range(0, held.size());
  if (options.most_devices != 0 && people.size() > options.most_devices)
    people =
        drawn_from(people, options.most_devices, Stream(options.seed, Purpose::deal_examples, people_round));
  std::vector<Dealt::Hand> hands(people.size());
  for (std::size_t k = 0; k < hands.size(); ++k) {
    hands[k].train = std::move(held[people[k]]);
    hands[k].test = drawn_from(hands[k].train, some_of(deal.test_share, hands[k].train.size()),
                               Stream(options.seed, Purpose::deal_examples, hold_out_round, people[k]));
  }
  return finished(std::move(hands), options);
}

}  // namespace sotto::data
