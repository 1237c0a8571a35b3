// Contexts: under what circumstances something was rated, by whom and what it is, in numbers. A dimension is
// a question with a few answers ("how long since the last rating?"); its answers, the values, are numbered
// through all dimensions, so that a model can keep one row a value.
//
// A value comes from the record (interval, part of the day, any column), from the item (genre, year, tags:
// the features of data/item_features.h) or from the person (age, occupation). The paper calls some of them
// user context and some item context; figure 4 switches each on and off.
// Laws: values of a dimension are consecutive; rows ascend; what was not seen in training is no value of its
// own: its record, item or person has none there (no_context), and nothing else changes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/ids.h"
#include "data/records.h"

namespace sotto::data {

enum class ContextSide : std::uint8_t { user, item };
enum class ContextSource : std::uint8_t { record, item, person };

inline constexpr std::uint32_t no_context = 0xFFFFFFFFu;

struct ContextDimension {
  std::string name;
  ContextSide side = ContextSide::user;
  ContextSource source = ContextSource::record;
  std::vector<std::string> values = {};  // their names
  std::uint32_t first = 0;               // the number of the first one
  bool looks_back = false;               // a record's value comes from the person's other records, too

  // What a person says of themself; recency is no such thing.
  [[nodiscard]] bool is_attribute() const { return source == ContextSource::person && !looks_back; }
};

// For each of so many things the numbers of its values.
struct ContextRows {
  std::vector<std::uint64_t> ends{0};
  std::vector<std::uint32_t> values;

  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t thing) const {
    if (thing + 1 >= ends.size()) return {};
    return std::span(values).subspan(ends[thing], ends[thing + 1] - ends[thing]);
  }
};

// The values of a part's records: `width` numbers each (one a dimension that comes from the record; or
// no_context), in the order of the part's Histories::items().
struct PartContexts {
  std::size_t width = 0;
  std::vector<std::uint32_t> values;

  [[nodiscard]] std::span<const std::uint32_t> of(std::uint64_t record) const {
    return std::span(values).subspan(record * width, width);
  }
};

struct Contexts {
  std::vector<ContextDimension> dimensions;  // those of records first
  ContextRows items;                         // one row an item of the split
  ContextRows people;                        // one row a user of the split
  PartContexts train, validation, test;

  // How many values there are in all.
  [[nodiscard]] std::size_t values() const {
    return dimensions.empty() ? 0 : dimensions.back().first + dimensions.back().values.size();
  }
  // The place of the value's dimension.
  [[nodiscard]] std::size_t dimension_of(std::uint32_t value) const {
    std::size_t at = 0;
    while (at + 1 < dimensions.size() && dimensions[at + 1].first <= value) ++at;
    return at;
  }
  // Names dimensions and all values.
  [[nodiscard]] std::string hash() const;
};

// What a person lets into the model on their own device: of each dimension the share of the records that
// carry it (1: full, 0: off, between: partial), and the share of the history, its newest part.
struct ContextTerms {
  std::vector<float> shares = {};  // one a dimension; empty: all full
  float history = 1.0f;
  // Whether all of the history may leave. If not, what one record says about another (an interval, an age) is
  // not looked at: it would tell of what is kept back.
  bool whole = true;

  [[nodiscard]] float share(std::size_t dimension) const { return shares.empty() ? 1.0f : shares[dimension]; }
};
using ContextTermsOf = std::function<const ContextTerms&(UserIndex)>;

// Whether a person's record of an item carries its value of a dimension that is let in with this share. Drawn
// once: the same person, item and dimension get the same answer, and what is carried at some share is carried
// at any larger one.
[[nodiscard]] bool carries(std::uint64_t seed, UserIndex user, ItemIndex item, std::size_t dimension,
                           float share);
// In the place of a dimension: whether the item itself belongs to a history of which a share is let in and
// whose order in time is not known.
inline constexpr std::size_t whole_record = 0xFFFFFFFFu;

}  // namespace sotto::data
