#include "data/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/math.h"
#include "base/rng.h"
#include "data/split_parts.h"
#include "data/venues.h"

namespace sotto {

namespace {

constexpr std::int64_t first_day = 1672531200;  // 2023-01-01, a Sunday
constexpr std::uint32_t taste_groups = 12;
constexpr std::uint32_t favourites = 3;  // categories a group prefers
constexpr double home_share = 0.88;      // of a person's visits; the rest go to two cities they like
constexpr double taste_share = 0.85;     // of the visits follow the group's taste

// Which stream: people, venues and groups never share numbers.
enum WorldRound : std::uint32_t { people_round = 0, venue_round = 1, group_round = 2 };

struct Visit {
  ItemIndex item;
  std::int64_t time = 0;
};

// Picks from weights that were summed up.
std::uint32_t pick(std::span<const double> running, Stream& stream) {
  const double target = stream.uniform() * running.back();
  const auto at = std::upper_bound(running.begin(), running.end(), target);
  return static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(at - running.begin(), std::ssize(running) - 1));
}

class World {
 public:
  explicit World(const WorldOptions& options);

  // A person's visits, ascending by item.
  void visits_of(std::uint32_t user, std::vector<Visit>& visits);
  [[nodiscard]] std::string name_of(std::uint32_t item) const {
    return venue_name(city_of_[item], kind_of_[item], nth_[item]);
  }
  [[nodiscard]] std::string category_of(std::uint32_t item) const {
    return std::string(venue_kinds()[kind_of_[item]].category);
  }

 private:
  // The venues of one kind in one city, and how well known each is, summed up.
  struct Cell {
    std::vector<ItemIndex> venues;
    std::vector<double> running;
  };
  struct Person {
    std::uint32_t group = 0;
    std::uint32_t cities[3] = {0, 0, 0};  // home, then two that they like
    double home = home_share;
    std::uint32_t visits = 1;
  };

  void place_venues();
  void open_cells();
  void form_tastes();
  Person person(Stream& stream) const;
  [[nodiscard]] std::int64_t visit_time(std::uint32_t kind, Stream& stream) const;
  [[nodiscard]] std::uint32_t kinds() const { return static_cast<std::uint32_t>(venue_kinds().size()); }

  WorldOptions options_;
  std::vector<double> city_running_;
  std::vector<std::uint32_t> city_of_, kind_of_, nth_;  // of each venue
  std::vector<double> fame_;                            // of each venue
  std::vector<Cell> cells_;                             // [city · kinds + kind]
  std::vector<double> tastes_;                     // [(group · cities + city) · kinds + kind], summed up
  std::vector<std::vector<std::uint32_t>> hours_;  // of each kind, repeated as often as busy
  std::vector<std::uint32_t> seen_;                // user + 1 that last visited the venue
};

World::World(const WorldOptions& options) : options_(options), seen_(options.items, 0) {
  options_.cities = std::min(options.cities, options.items);
  double sum = 0.0;
  for (std::uint32_t city = 0; city < options_.cities; ++city)
    city_running_.push_back(sum += 1.0 / (2.0 + static_cast<double>(city)));
  for (const VenueKind& kind : venue_kinds()) {
    auto& hours = hours_.emplace_back();
    for (std::uint32_t hour = 0; hour < 24; ++hour)
      hours.insert(hours.end(), static_cast<std::size_t>(kind.hours[hour] - '0'), hour);
  }
  place_venues();
  open_cells();
  form_tastes();
}

void World::place_venues() {
  std::vector<double> kind_running;
  for (const VenueKind& kind : venue_kinds())
    kind_running.push_back((kind_running.empty() ? 0.0 : kind_running.back()) + kind.share);
  for (std::uint32_t item = 0; item < options_.items; ++item) {
    Stream stream(options_.seed, Purpose::generate_world, venue_round, item);
    const std::uint32_t drawn = pick(city_running_, stream);
    city_of_.push_back(item < options_.cities ? item : drawn);  // no city stays empty
    kind_of_.push_back(pick(kind_running, stream));
    fame_.push_back(1.0 / (0.01 + stream.uniform()));  // sorted, it falls as Zipf's law does
  }
}

void World::open_cells() {
  cells_.resize(std::size_t{options_.cities} * kinds());
  nth_.resize(options_.items);
  for (std::uint32_t item = 0; item < options_.items; ++item) {
    Cell& cell = cells_[city_of_[item] * kinds() + kind_of_[item]];
    nth_[item] = static_cast<std::uint32_t>(cell.venues.size());
    cell.venues.push_back({item});
    cell.running.push_back((cell.running.empty() ? 0.0 : cell.running.back()) + fame_[item]);
  }
}

void World::form_tastes() {
  double shares = 0.0;
  for (const VenueKind& kind : venue_kinds()) shares += kind.share;
  for (std::uint32_t group = 0; group < taste_groups; ++group) {
    Stream stream(options_.seed, Purpose::generate_world, group_round, group);
    std::vector<double> weights;
    for (const VenueKind& kind : venue_kinds()) weights.push_back((1.0 - taste_share) * kind.share / shares);
    for (std::uint32_t k = 0; k < favourites; ++k) weights[stream.below(kinds())] += taste_share / favourites;
    for (std::uint32_t city = 0; city < options_.cities; ++city) {
      double sum = 0.0;
      for (std::uint32_t kind = 0; kind < kinds(); ++kind)
        tastes_.push_back(sum += cells_[city * kinds() + kind].venues.empty() ? 0.0 : weights[kind]);
    }
  }
}

World::Person World::person(Stream& stream) const {
  Person person;
  person.group = stream.below(taste_groups);
  for (std::uint32_t& city : person.cities) city = pick(city_running_, stream);
  if (stream.chance(0.2)) person.home = 0.6;  // some travel a lot
  const double spread = 0.5 - 0.5 * log_f64(1.0 - stream.uniform());
  const double visits = options_.mean_interactions * spread + 0.5;
  person.visits = static_cast<std::uint32_t>(std::clamp(visits, 1.0, static_cast<double>(options_.items)));
  return person;
}

std::int64_t World::visit_time(std::uint32_t kind, Stream& stream) const {
  std::uint32_t day = stream.below(365);
  const bool weekend = day % 7 == 0 || day % 7 == 6;
  if (!weekend && stream.chance(0.3)) day = stream.below(52) * 7 + 6;  // Saturdays are busy
  const auto& hours = hours_[kind];
  const std::uint32_t hour = hours[stream.below(static_cast<std::uint32_t>(hours.size()))];
  return first_day + std::int64_t{day} * 86400 + std::int64_t{hour} * 3600 + stream.below(3600);
}

void World::visits_of(std::uint32_t user, std::vector<Visit>& visits) {
  Stream stream(options_.seed, Purpose::generate_world, people_round, user);
  const Person who = person(stream);
  visits.clear();
  // A person whose places are few may know them all: then the visits end early.
  for (std::uint32_t attempt = 0; visits.size() < who.visits && attempt / 8 < who.visits; ++attempt) {
    const std::uint32_t city = who.cities[stream.chance(who.home) ? 0 : 1 + stream.below(2)];
    const std::size_t taste = (std::size_t{who.group} * options_.cities + city) * kinds();
    const std::uint32_t kind = pick(std::span(tastes_).subspan(taste, kinds()), stream);
    const Cell& cell = cells_[city * kinds() + kind];
    const ItemIndex item = cell.venues[pick(cell.running, stream)];
    if (seen_[item.value] == user + 1) continue;
    seen_[item.value] = user + 1;
    visits.push_back({item, visit_time(kind, stream)});
  }
  std::sort(visits.begin(), visits.end(), [](const Visit& a, const Visit& b) { return a.item < b.item; });
}

// "venue-00317": wide enough for all, so that the letters sort as the numbers do.
IdTable numbered_ids(const char* prefix, std::uint32_t count) {
  const std::size_t width = std::max<std::size_t>(5, std::to_string(count - 1).size());
  IdTable table;
  table.reserve(count, (width + 8) * count);
  for (std::uint32_t k = 0; k < count; ++k) table.intern(fmt::format("{}-{:0{}}", prefix, k, width));
  return table;
}

Status check_options(const WorldOptions& options) {
  constexpr std::uint32_t most = 1'000'000'000;
  if (options.users == 0 || options.items == 0 || options.users > most || options.items > most)
    return fail(Code::usage, "a world has from 1 to 1,000,000,000 users and as many items");
  if (options.cities == 0 || options.cities > 100'000)
    return fail(Code::usage, "a world has from 1 to 100,000 cities");
  if (!(options.mean_interactions >= 1.0 && options.mean_interactions <= 1e6))
    return fail(Code::usage, "the mean number of interactions lies between 1 and 1,000,000");
  return Done{};
}

}  // namespace

Result<Dataset> generate_world(const WorldOptions& options) {
  SOTTO_TRY_DONE(check_options(options));
  World world(options);
  Dataset dataset;
  dataset.users = numbered_ids("person", options.users);
  dataset.time_kind = TimeKind::unix_seconds;
  dataset.interactions.reserve(static_cast<std::size_t>(options.mean_interactions * options.users));
  std::vector<Visit> visits;
  std::vector<std::uint32_t> number(options.items, 0);  // first 1 for visited, then the new index
  for (std::uint32_t user = 0; user < options.users; ++user) {
    world.visits_of(user, visits);
    for (const Visit& visit : visits) {
      dataset.interactions.push_back({{user}, visit.item, 1.0f, visit.time});
      number[visit.item.value] = 1;
    }
  }
  std::vector<std::uint32_t> visited;
  for (std::uint32_t item = 0; item < options.items; ++item) {
    if (number[item] == 0) continue;
    number[item] = static_cast<std::uint32_t>(visited.size());
    visited.push_back(item);
    dataset.item_names.push_back(world.name_of(item));
    dataset.item_categories.push_back(world.category_of(item));
  }
  dataset.items = numbered_ids("venue", options.items).picked(visited);
  for (Interaction& row : dataset.interactions) row.item.value = number[row.item.value];
  return dataset;
}

Result<Split> generate_split(const WorldOptions& options, double train_share) {
  SOTTO_TRY_DONE(check_options(options));
  if (!(train_share > 0.0 && train_share < 1.0))
    return fail(Code::usage, "the training share lies between 0 and 1, such as 0.8");
  World world(options);
  SplitParts parts;
  std::vector<Visit> visits;
  for (std::uint32_t user = 0; user < options.users; ++user) {
    world.visits_of(user, visits);
    // By time, the smaller item last, as split_dataset does: the ids sort as the indices do.
    std::sort(visits.begin(), visits.end(), [](const Visit& a, const Visit& b) {
      return a.time != b.time ? a.time < b.time : b.item < a.item;
    });
    const std::size_t train = visits.size() - share_of(1.0 - train_share, visits.size());
    for (std::size_t k = 0; k < visits.size(); ++k)
      (k < train ? parts.train : parts.test).add(visits[k].item);
    parts.train.end_user();
    parts.validation.end_user();
    parts.test.end_user();
  }
  return assemble_split(numbered_ids("person", options.users), numbered_ids("venue", options.items),
                        std::move(parts), {}, {});
}

}  // namespace sotto
