// Ratings and people of a generated world (data/generate.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/rng.h"
#include "data/context_schema.h"
#include "data/generate.h"
#include "data/venues.h"

namespace sotto::data {

namespace {

// After the rounds of the world and its knowledge.
enum RatingRound : std::uint32_t { quality_round = 4, rater_round = 5, kind_round = 6, person_round = 7 };

constexpr std::array<std::string_view, 4> age_groups{"18-29", "30-44", "45-59", "60-89"};
constexpr std::array<std::string_view, 5> jobs{"artist", "cook", "engineer", "student", "teacher"};
constexpr double usual = 3.4;        // the mean of all, before anything is known
constexpr double quality_sd = 0.45;  // of a venue
constexpr double mood_sd = 0.4;      // of a person, over all they rate
constexpr double taste_sd = 0.5;     // of a person for a kind of venue
constexpr double weekend_sd = 0.6;   // of a kind of venue, by working day or weekend
constexpr double age_sd = 0.4;       // of an age for a kind of venue
constexpr double noise_sd = 0.5;

struct Attributes {
  std::uint32_t age = 0, job = 0;
};

Attributes attributes_of(std::uint64_t seed, std::uint32_t user) {
  Stream stream(seed, Purpose::generate_world, person_round, user);
  Attributes who;
  who.age = stream.below(static_cast<std::uint32_t>(age_groups.size()));
  who.job = stream.below(static_cast<std::uint32_t>(jobs.size()));
  return who;
}

// What a kind of venue gains at weekends, and with each age.
struct KindEffects {
  double weekend = 0.0;
  std::array<double, age_groups.size()> by_age{};
};

std::vector<KindEffects> kind_effects(std::uint64_t seed) {
  std::vector<KindEffects> effects;
  for (std::uint32_t kind = 0; kind < venue_kinds().size(); ++kind) {
    Stream stream(seed, Purpose::generate_world, kind_round, kind);
    KindEffects& made = effects.emplace_back();
    made.weekend = weekend_sd * stream.normal();
    for (double& effect : made.by_age) effect = age_sd * stream.normal();
  }
  return effects;
}

// The number in "venue-00317": the same venue whoever else was visited.
std::uint32_t number_in(std::string_view id) {
  const std::string_view digits = id.substr(id.rfind('-') + 1);
  std::uint32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

std::uint32_t kind_number(std::string_view category) {
  const auto kinds = venue_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const VenueKind& kind) { return kind.category == category; });
  return static_cast<std::uint32_t>(found - kinds.begin());
}

}  // namespace

Result<Dataset> generate_rated_world(const WorldOptions& options) {
  SOTTO_TRY(Dataset world, generate_world(options));
  const std::vector<KindEffects> effects = kind_effects(options.seed);
  std::vector<double> quality;
  std::vector<std::uint32_t> kind_of;
  for (std::uint32_t item = 0; item < world.items.size(); ++item) {
    Stream stream(options.seed, Purpose::generate_world, quality_round, number_in(world.items.name(item)));
    quality.push_back(quality_sd * stream.normal());
    kind_of.push_back(kind_number(world.item_categories[item]));
  }
  const ContextSchema clock;
  std::vector<double> tastes(effects.size());
  double mood = 0.0;
  std::uint32_t age = 0;
  std::optional<Stream> stream;
  for (std::size_t k = 0; k < world.interactions.size(); ++k) {
    Interaction& row = world.interactions[k];
    if (k == 0 || world.interactions[k - 1].user != row.user) {
      stream.emplace(options.seed, Purpose::generate_world, rater_round, row.user.value);
      mood = mood_sd * stream->normal();
      for (double& taste : tastes) taste = taste_sd * stream->normal();
      age = attributes_of(options.seed, row.user.value).age;
    }
    const std::uint32_t kind = kind_of[row.item.value];
    const double sign = daypart_of(row.time, clock) >= 2 ? 0.5 : -0.5;
    const double liking = usual + quality[row.item.value] + mood + tastes[kind] + effects[kind].by_age[age] +
                          sign * effects[kind].weekend + noise_sd * stream->normal();
    row.rating = static_cast<float>(std::clamp(std::floor(liking + 0.5), 1.0, 5.0));
  }
  world.has_ratings = true;
  return world;
}

PersonAttributes generate_people(const WorldOptions& options) {
  PersonAttributes people;
  people.columns = {{"age", {}}, {"occupation", {}}};
  people.values.resize(2);
  for (std::uint32_t user = 0; user < options.users; ++user) {
    const Attributes who = attributes_of(options.seed, user);
    people.people.intern(numbered_id("person", user, options.users));
    people.values[0].push_back(people.columns[0].values.intern(age_groups[who.age]));
    people.values[1].push_back(people.columns[1].values.intern(jobs[who.job]));
  }
  return people;
}

}  // namespace sotto::data
