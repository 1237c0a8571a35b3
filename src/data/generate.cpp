#include "data/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/math.h"
#include "base/rng.h"
#include "data/split_parts.h"
#include "data/venues.h"

namespace sotto::data {

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

// The same pick with a table of where to begin to look: a step or two in place of a search.
class GuidedWeights {
 public:
  void add(double weight) { running_.push_back((running_.empty() ? 0.0 : running_.back()) + weight); }
  void close() {
    std::uint32_t at = 0;
    const double stretch = running_.empty() ? 0.0 : running_.back() / static_cast<double>(running_.size());
    for (std::size_t n = 0; n < running_.size(); ++n) {
      while (at + 1 < running_.size() && running_[at] <= stretch * static_cast<double>(n)) ++at;
      guide_.push_back(at);
    }
  }
  [[nodiscard]] std::uint32_t pick(Stream& stream) const {
    const double share = stream.uniform();
    const double target = share * running_.back();
    // The guide is rounded, so it is a hint: both ways are looked.
    const auto hint = static_cast<std::size_t>(share * static_cast<double>(guide_.size()));
    std::uint32_t at = guide_[std::min(hint, guide_.size() - 1)];
    while (at > 0 && running_[at - 1] > target) --at;
    while (at + 1 < running_.size() && running_[at] <= target) ++at;
    return at;
  }

 private:
  std::vector<double> running_;
  std::vector<std::uint32_t> guide_;
};

class World {
 public:
  explicit World(const WorldOptions& options);

  // What one thread notes while it draws people: the user + 1 that last visited each venue.
  using Notes = std::vector<std::uint32_t>;
  [[nodiscard]] Notes empty_notes() const { return Notes(options_.items, 0); }

  // A person's visits, in the order they were drawn.
  void visits_of(std::uint32_t user, Notes& notes, std::vector<Visit>& visits) const;
  [[nodiscard]] std::string name_of(std::uint32_t item) const {
    return venue_name(city_of_[item], kind_of_[item], nth_[item]);
  }
  [[nodiscard]] std::string category_of(std::uint32_t item) const {
    return std::string(venue_kinds()[kind_of_[item]].category);
  }
  [[nodiscard]] VenuePlace place_of(std::uint32_t item) const { return {city_of_[item], kind_of_[item]}; }

 private:
  // The venues of one kind in one city, and how well known each is, summed up.
  struct Cell {
    std::vector<ItemIndex> venues;
    GuidedWeights fame;
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
};

World::World(const WorldOptions& options) : options_(options) {
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
    cell.fame.add(fame_[item]);
  }
  for (Cell& cell : cells_) cell.fame.close();
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

void World::visits_of(std::uint32_t user, Notes& notes, std::vector<Visit>& visits) const {
  Stream stream(options_.seed, Purpose::generate_world, people_round, user);
  const Person who = person(stream);
  visits.clear();
  // A person whose places are few may know them all: then the visits end early.
  for (std::uint32_t attempt = 0; visits.size() < who.visits && attempt / 8 < who.visits; ++attempt) {
    const std::uint32_t city = who.cities[stream.chance(who.home) ? 0 : 1 + stream.below(2)];
    const std::size_t taste = (std::size_t{who.group} * options_.cities + city) * kinds();
    const std::uint32_t kind = pick(std::span(tastes_).subspan(taste, kinds()), stream);
    const Cell& cell = cells_[city * kinds() + kind];
    const ItemIndex item = cell.venues[cell.fame.pick(stream)];
    if (notes[item.value] == user + 1) continue;
    notes[item.value] = user + 1;
    visits.push_back({item, visit_time(kind, stream)});
  }
}

IdTable numbered_ids(const char* prefix, std::uint32_t count) {
  IdTable table;
  table.reserve(count, (std::to_string(count).size() + 13) * count);
  for (std::uint32_t k = 0; k < count; ++k) table.intern(numbered_id(prefix, k, count));
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

Result<std::vector<VenuePlace>> venue_places(const WorldOptions& options) {
  SOTTO_TRY_DONE(check_options(options));
  const World world(options);
  std::vector<VenuePlace> places;
  for (std::uint32_t item = 0; item < options.items; ++item) places.push_back(world.place_of(item));
  return places;
}

Result<Dataset> generate_world(const WorldOptions& options) {
  SOTTO_TRY_DONE(check_options(options));
  const World world(options);
  World::Notes notes = world.empty_notes();
  Dataset dataset;
  dataset.users = numbered_ids("person", options.users);
  dataset.time_kind = TimeKind::unix_seconds;
  dataset.interactions.reserve(static_cast<std::size_t>(options.mean_interactions * options.users));
  std::vector<Visit> visits;
  std::vector<std::uint32_t> number(options.items, 0);  // first 1 for visited, then the new index
  for (std::uint32_t user = 0; user < options.users; ++user) {
    world.visits_of(user, notes, visits);
    std::sort(visits.begin(), visits.end(), [](const Visit& a, const Visit& b) { return a.item < b.item; });
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

namespace {

// Draws people and cuts what they visited in two.
class PeopleCutter {
 public:
  PeopleCutter(const World& world, double train_share)
      : world_(world), test_share_(1.0 - train_share), notes_(world.empty_notes()) {}

  void cut(std::uint32_t first, std::uint32_t end) {
    parts_ = {};
    for (std::uint32_t user = first; user < end; ++user) {
      world_.visits_of(user, notes_, visits_);
      // By time, the smaller item last, as split_dataset does: the ids sort as the indices do.
      std::sort(visits_.begin(), visits_.end(), [](const Visit& a, const Visit& b) {
        return a.time != b.time ? a.time < b.time : b.item < a.item;
      });
      const std::size_t train = visits_.size() - share_of(test_share_, visits_.size());
      for (std::size_t k = 0; k < visits_.size(); ++k)
        (k < train ? parts_.train : parts_.test).add(visits_[k].item);
      parts_.train.end_user();
      parts_.test.end_user();
    }
  }
  [[nodiscard]] const SplitParts& parts() const { return parts_; }

 private:
  const World& world_;
  double test_share_;
  World::Notes notes_;
  std::vector<Visit> visits_;
  SplitParts parts_;
};

void append(const PartRows& rows, PartRows& all) {
  const std::uint64_t before = all.items.size();
  for (std::size_t user = 1; user < rows.offsets.size(); ++user)
    all.offsets.push_back(before + rows.offsets[user]);
  all.items.insert(all.items.end(), rows.items.begin(), rows.items.end());
}

void reserve(PartRows& rows, std::uint32_t users, double interactions) {
  rows.offsets.reserve(std::size_t{users} + 1);
  rows.items.reserve(static_cast<std::size_t>(interactions));
}

}  // namespace

Result<Split> generate_split(const WorldOptions& options, double train_share, Executor& executor) {
  SOTTO_TRY_DONE(check_options(options));
  if (!(train_share > 0.0 && train_share < 1.0))
    return fail(Code::usage, "the training share lies between 0 and 1, such as 0.8");
  const World world(options);
  SplitParts parts;
  parts.train.oldest_first = true;
  // A little more than is expected: room that is not used is never touched, room that lacks is a copy.
  const double expected = options.mean_interactions * options.users * 1.01 + 1000.0;
  reserve(parts.train, options.users, expected * train_share + options.users);
  reserve(parts.test, options.users, expected * (1.0 - train_share));
  parts.validation.offsets.assign(std::size_t{options.users} + 1, 0);
  // Blocks of people side by side, put together in their order: the same bytes for any number of threads.
  constexpr std::uint64_t block = 4096;
  std::vector<PeopleCutter> cutters(executor.threads(), PeopleCutter(world, train_share));
  for (std::uint64_t begin = 0; begin < options.users; begin += block * cutters.size()) {
    const auto user = [&](std::size_t n) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(begin + block * n, options.users));
    };
    executor.run(cutters.size(), [&](std::size_t n) { cutters[n].cut(user(n), user(n + 1)); });
    for (const PeopleCutter& cutter : cutters) {
      append(cutter.parts().train, parts.train);
      append(cutter.parts().test, parts.test);
    }
  }
  cutters.clear();
  return assemble_split(numbered_ids("person", options.users), numbered_ids("venue", options.items),
                        std::move(parts), {}, {});
}

Result<Split> generate_split(const WorldOptions& options, double train_share) {
  SerialExecutor alone;
  return generate_split(options, train_share, alone);
}

}  // namespace sotto::data
