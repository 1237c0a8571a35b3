#include "data/venues.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sotto::data {

namespace {

//                                  0    4   8   12  16  20
constexpr std::string_view morning = "000001389976544332221000";
constexpr std::string_view lunch = "000000001124896312258852";
constexpr std::string_view evening = "210000000001122222358986";
constexpr std::string_view night = "974210000000000111234689";
constexpr std::string_view daytime = "000000012578888887642100";
constexpr std::string_view all_day = "111112468765566678765321";

constexpr std::array<VenueKind, 18> kinds{{
    {"Café", "Café ", "", 12, morning},
    {"Restaurant", "Restaurant ", "", 14, lunch},
    {"Bar", "", " Bar", 9, night},
    {"Museum", "", " Museum", 4, daytime},
    {"Park", "", " Park", 5, daytime},
    {"Bakery", "", " Bakery", 6, morning},
    {"Pizzeria", "Pizzeria ", "", 6, evening},
    {"Bookshop", "", " Books", 4, daytime},
    {"Cinema", "Cinema ", "", 3, evening},
    {"Theatre", "", " Theatre", 3, evening},
    {"Gallery", "Gallery ", "", 4, daytime},
    {"Gym", "", " Gym", 5, all_day},
    {"Market", "", " Market", 4, morning},
    {"Station", "", " Station", 3, all_day},
    {"Nightclub", "Club ", "", 4, night},
    {"Library", "", " Library", 3, daytime},
    {"Hotel", "Hotel ", "", 6, all_day},
    {"Concert Hall", "", " Hall", 3, evening},
}};

constexpr std::array<std::string_view, 32> name_heads{
    "Lind", "Berg", "Hal",  "Oster", "Mar",  "Rosen", "Falk", "Grim",  "Ek",   "Vester", "Thorn",
    "Wid",  "Silf", "Kron", "Dal",   "Norr", "Ash",   "Birk", "Corv",  "Elm",  "Fenn",   "Glad",
    "Hed",  "Isen", "Juni", "Kast",  "Lov",  "Molt",  "Quin", "Strom", "Tarn", "Ulv"};
constexpr std::array<std::string_view, 16> name_tails{"gren",  "holm", "wick",  "feld",  "qvist", "mark",
                                                      "borg",  "lund", "ley",   "stedt", "vall",  "bury",
                                                      "brook", "moor", "ander", "hart"};
constexpr std::array<std::string_view, 20> city_heads{
    "Aster",  "Marlow", "Corin",   "Halden", "Juniper", "Selby",  "Orchard", "Velmont", "Tamsin", "Brindle",
    "Calder", "Eldon",  "Fairway", "Ivory",  "Larkin",  "Mirren", "Norwood", "Pelham",  "Quarry", "Rowan"};
constexpr std::array<std::string_view, 12> city_tails{"Bay",   "Hill", "Falls",  "Harbour", "Bridge", "Heath",
                                                      "Cross", "Lake", "Meadow", "Point",   "Green",  "Vale"};
constexpr std::array<std::string_view, 8> city_sides{"North ", "South ", "East ", "West ",
                                                     "Upper ", "Lower ", "Old ",  "New "};

constexpr std::uint32_t family_names = name_heads.size() * name_tails.size();
constexpr std::uint32_t plain_cities = city_heads.size() * city_tails.size();

// A walk through all family names; the odd stride visits each once.
std::string family_name(std::uint32_t number) {
  const std::uint32_t at = number * 197u % family_names;
  return fmt::format("{}{}", name_heads[at % name_heads.size()], name_tails[at / name_heads.size()]);
}

}  // namespace

std::span<const VenueKind> venue_kinds() { return kinds; }

std::string city_name(std::uint32_t city) {
  const std::size_t plain = city % plain_cities;
  const std::size_t head = plain % city_heads.size();
  const std::size_t tail = (plain / city_heads.size() + head) % city_tails.size();
  const std::uint32_t again = city / plain_cities;  // 0: the first use of this name
  std::string name = fmt::format("{} {}", city_heads[head], city_tails[tail]);
  if (again > 0) name = fmt::format("{}{}", city_sides[(again - 1) % city_sides.size()], name);
  if (again > city_sides.size()) name += fmt::format(" {}", (again - 1) / city_sides.size() + 1);
  return name;
}

std::string venue_name(std::uint32_t city, std::uint32_t kind, std::uint32_t nth) {
  // Each city and kind starts its walk elsewhere, so that not every first café is a Café Lindgren.
  const std::uint32_t first = city * 61u + kind * 29u;
  std::string name = family_name((first + nth) % family_names);
  if (const std::uint32_t again = nth / family_names; again > 0) {
    name += " & " + family_name((first + nth + again) % family_names);
    if (again >= family_names) name += fmt::format(" {}", again / family_names + 1);
  }
  return fmt::format("{}{}{}, {}", kinds[kind].before, name, kinds[kind].after, city_name(city));
}

std::string numbered_id(const char* prefix, std::uint32_t number, std::uint32_t count) {
  return fmt::format("{}-{:0{}}", prefix, number, std::max<std::size_t>(5, std::to_string(count - 1).size()));
}

}  // namespace sotto::data
