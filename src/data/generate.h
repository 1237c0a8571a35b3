// A made-up world of check-ins, of any size, from a seed: cities of different size, venues with
// categories and names, popular and quiet places, days and nights, and people with tastes.
//
// Laws: the same options give the same bytes everywhere; each person comes from a stream of their own,
// so a person does not change when more are added. People prefer their home city and the categories
// of their taste group, so that a personal model has something to learn.
#pragma once

#include <cstdint>

#include "base/executor.h"
#include "base/result.h"
#include "data/dataset.h"
#include "data/feature_list.h"
#include "data/person_attributes.h"
#include "data/split.h"

namespace sotto::data {

struct WorldOptions {
  std::uint32_t users = 1000;
  std::uint32_t items = 2000;  // venues; those nobody visits do not appear
  std::uint32_t cities = 6;
  double mean_interactions = 40.0;  // different venues a person, on average; each has at least half
  std::uint64_t seed = 1;
};

// With names, categories and times (over the year 2023); ids "person-00042" and "venue-00317".
[[nodiscard]] Result<Dataset> generate_world(const WorldOptions& options);

// The same world, split by TemporalHoldout{train_share} as it is made: equal, hash included, to
// splitting generate_world()'s dataset, without names and categories, in a fraction of the memory.
[[nodiscard]] Result<Split> generate_split(const WorldOptions& options, double train_share = 0.8);
// In parallel; the same split for any number of threads.
[[nodiscard]] Result<Split> generate_split(const WorldOptions& options, double train_share,
                                           Executor& executor);

// What is known about the venues of that world, correlated with what people like there (city and category)
// and with noise beside it: chains of one and two predicates, names under http://example.org/. One venue in
// twenty has no features. A function of the options alone, as the world is.
[[nodiscard]] Result<FeatureList> generate_knowledge(const WorldOptions& options);

// The same world where people rate what they visit, 1 to 5: by how good the venue is, by their own mood and
// taste, by what their age likes, and by whether it is a weekend, which some kinds of venues gain from and
// others suffer.
[[nodiscard]] Result<Dataset> generate_rated_world(const WorldOptions& options);
// Age and occupation of its people. Ages matter to the ratings, occupations do not.
[[nodiscard]] PersonAttributes generate_people(const WorldOptions& options);

}  // namespace sotto::data
