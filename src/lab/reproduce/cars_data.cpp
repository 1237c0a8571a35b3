#include "lab/reproduce/cars_data.h"

#include <fmt/core.h>

#include <array>

#include "base/assert.h"

namespace sotto {

namespace {

constexpr std::uint32_t drawn_test = 20;

struct CarsSet {
  std::string_view name;
  const char* folder;
  const char* ratings;
  const char* items;   // names with genres and years
  const char* people;  // their attributes; empty: not known
  const char* scale;
  bool drawn;
  const char* source;
};

constexpr const char* source_100k = "https://grouplens.org/datasets/movielens/100k/";
constexpr const char* source_latest = "https://grouplens.org/datasets/movielens/latest/ (ml-latest-small)";

constexpr std::array cars_sets{
    CarsSet{movielens_100k, "movielens-100k", "u.data", "u.item", "u.user", "1:5", false, source_100k},
    CarsSet{movielens_100k_drawn, "movielens-100k", "u.data", "u.item", "u.user", "1:5", true, source_100k},
    CarsSet{movielens_latest, "movielens-latest-small", "ratings.csv", "movies.csv", "", "0.5:5", false,
            source_latest},
    CarsSet{movielens_latest_drawn, "movielens-latest-small", "ratings.csv", "movies.csv", "", "0.5:5", true,
            source_latest},
};

const CarsSet* cars_set(std::string_view name) {
  for (const CarsSet& set : cars_sets)
    if (set.name == name) return &set;
  return nullptr;
}

}  // namespace

bool is_cars_data(std::string_view name) { return cars_set(name) != nullptr; }

std::string_view printed_set(std::string_view name) { return name.substr(0, name.find(',')); }

Result<PaperData> find_cars_data(std::string_view name, const DataFolder& folder) {
  const CarsSet* set = cars_set(name);
  SOTTO_ASSERT(set != nullptr, "asked for after is_cars_data()");
  const std::filesystem::path place = folder.root / set->folder;
  PaperData found;
  found.name = found.shown = std::string(name);
  found.remedy =
      fmt::format("{}: put {} and {} into {}", set->source, set->ratings, set->items, place.string());
  SOTTO_TRY(const std::string ratings, plain_or_packed(place, set->ratings));
  SOTTO_TRY(const std::string items, plain_or_packed(place, set->items));
  std::string people;
  if (*set->people != '\0') {
    SOTTO_TRY(people, plain_or_packed(place, set->people));
  }
  found.there = !ratings.empty() && !items.empty();
  if (!found.there) return found;
  found.data.paths = {ratings};
  found.data.names = {items};
  found.data.kg.labels = true;
  found.data.kg.min_items = 2;
  found.data.contexts.people = people;
  found.data.rating_scale = set->scale;
  found.data.split.rule = TemporalHoldout{0.8};
  found.data.split.most_test = set->drawn ? drawn_test : 0;
  found.data.contexts.of = {"all"};
  return found;
}

}  // namespace sotto
