// Knowledge about the venues of a generated world (data/generate.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/rng.h"
#include "data/generate.h"
#include "data/venues.h"

namespace sotto::data {

namespace {

constexpr std::uint32_t knowledge_round = 3;  // after those of the world itself
constexpr double unknown_share = 0.05;        // of the venues
constexpr std::uint32_t regions = 3;
constexpr std::uint32_t venues_an_owner = 40;
constexpr std::array<std::string_view, 5> walks_of_life{"Food_and_drink", "Culture", "Night_life",
                                                        "Everyday_life", "Travel"};
constexpr std::array<std::string_view, 4> countries{"Northland", "Eastland", "Southland", "Westland"};

// What a kind of venue belongs to.
std::string_view field_of(std::string_view category) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), category) != names.end();
  };
  if (is_one_of({"Café", "Restaurant", "Bakery", "Pizzeria", "Market"})) return walks_of_life[0];
  if (is_one_of({"Museum", "Bookshop", "Cinema", "Theatre", "Gallery", "Library", "Concert Hall"}))
    return walks_of_life[1];
  if (is_one_of({"Bar", "Nightclub"})) return walks_of_life[2];
  return is_one_of({"Station", "Hotel"}) ? walks_of_life[4] : walks_of_life[3];
}

std::string resource(std::string_view name) {
  std::string uri = fmt::format("http://example.org/resource/{}", name);
  std::replace(uri.begin(), uri.end(), ' ', '_');
  return uri;
}

class VenueFacts {
 public:
  explicit VenueFacts(FeatureList& list) : list_(list) {}

  void begin(const std::string& item) { item_ = list_.items.intern(item); }
  void add(std::initializer_list<std::string_view> predicates, const std::string& object) {
    std::string chain;
    for (const std::string_view predicate : predicates) {
      if (!chain.empty()) chain += chain_separator;
      chain += fmt::format("http://example.org/ontology/{}", predicate);
    }
    list_.facts.push_back({item_, list_.intern_predicate(chain), list_.objects.intern(object)});
  }

 private:
  FeatureList& list_;
  std::uint32_t item_ = 0;
};

}  // namespace

Result<FeatureList> generate_knowledge(const WorldOptions& options) {
  SOTTO_TRY(const std::vector<VenuePlace> places, venue_places(options));
  FeatureList list;
  VenueFacts facts(list);
  const std::uint32_t owners = options.items / venues_an_owner + 1;
  for (std::uint32_t item = 0; item < options.items; ++item) {
    Stream stream(options.seed, Purpose::generate_world, knowledge_round, item);
    if (stream.chance(unknown_share)) continue;
    const auto [city_number, kind] = places[item];
    const std::string_view category = venue_kinds()[kind].category;
    const std::string city = city_name(city_number);
    const std::uint32_t owner = stream.below(owners), architect = stream.below(owners);
    facts.begin(numbered_id("venue", item, options.items));
    facts.add({"category"}, resource(category));
    facts.add({"category", "field"}, resource(field_of(category)));
    facts.add({"city"}, resource(city));
    facts.add({"city", "region"}, resource(fmt::format("Region_{}", city_number % regions + 1)));
    facts.add({"subject"}, resource(fmt::format("Category:{} in {}", category, city)));
    // What nobody's taste follows.
    facts.add({"owner"}, resource(fmt::format("Owner_{}", owner)));
    facts.add({"owner", "country"}, resource(countries[owner % countries.size()]));
    facts.add({"architect"}, resource(fmt::format("Architect_{}", architect)));
    facts.add({"opened"}, std::to_string(1950 + stream.below(70)));
  }
  list.settle();
  return list;
}

}  // namespace sotto::data
