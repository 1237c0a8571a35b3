#include "cli/demo_person.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/run_text.h"
#include "engine/terminal/table.h"
#include "metrics/top_k.h"

namespace sotto::cli {

namespace {

constexpr std::size_t list_length = 10;
constexpr std::size_t history_length = 6;

// The world's names end in the city: "Café Lindgren, Aster Bay".
struct Venue {
  std::string name;
  std::string city;
};
Venue venue_of(const Split& split, ItemIndex item) {
  const std::string title = item_title(split, item);
  const std::size_t comma = title.rfind(", ");
  if (comma == std::string::npos) return {title, ""};
  return {title.substr(0, comma), title.substr(comma + 2)};
}

// "12 Café, 9 Park, 5 Bar": the most frequent of some words.
template <class WordOf>
std::string most_frequent(std::span<const ItemIndex> items, std::size_t words, WordOf word_of) {
  std::map<std::string, std::size_t> counts;
  for (const ItemIndex item : items) ++counts[word_of(item)];
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  sorted.resize(std::min(words, sorted.size()));
  std::string text;
  for (const auto& [word, count] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word);
  return text;
}

std::size_t hits_of(const Split& split, UserIndex person, const std::vector<ScoredItem>& list) {
  return static_cast<std::size_t>(std::count_if(list.begin(), list.end(), [&](const ScoredItem& entry) {
    return split.test.contains(person, entry.item);
  }));
}

std::string history_text(const Split& split, UserIndex person, const Console& console) {
  const auto history = split.train.of(person);
  const auto city = [&](ItemIndex item) { return venue_of(split, item).city; };
  const auto category = [&](ItemIndex item) { return item_category(split, item); };
  std::string text = console.paint(
      Tone::strong, fmt::format("{} was at {} venues\n", split.users.name(person.value), history.size()));
  Table sums = fact_table();
  sums.row({"cities", most_frequent(history, 3, city)});
  sums.row({"categories", most_frequent(history, 5, category)});
  text += sums.text(console);
  Table table({{"venue"}, {"city"}, {"category"}});
  for (const ItemIndex item : history.first(std::min(history.size(), history_length))) {
    const Venue venue = venue_of(split, item);
    table.row({venue.name, venue.city, item_category(split, item)});
  }
  text += "\n" + table.text(console);
  if (history.size() > history_length)
    text += fmt::format("  … and {} more\n", history.size() - history_length);
  return text;
}

}  // namespace

UserIndex person_to_show(const Split& split, const Recommender& model, double precision) {
  const auto usual_hits = static_cast<std::size_t>(std::lround(precision * static_cast<double>(list_length)));
  const auto city = [&](ItemIndex item) { return venue_of(split, item).city; };
  for (std::uint32_t user = 0; user < split.users.size(); ++user) {
    const auto history = split.train.of({user});
    if (history.size() < 24 || history.size() > 40) continue;
    if (most_frequent(history, 2, city).find(',') == std::string::npos) continue;
    if (hits_of(split, {user}, recommend(model, {user}, history, list_length)) == usual_hits) return {user};
  }
  return {0};
}

std::string person_text(const Split& split, const Recommender& model, UserIndex person,
                        const Console& console) {
  std::string text = history_text(split, person, console);
  Table table({{"#", Align::right, Tone::dim},
               {"venue"},
               {"city"},
               {"category"},
               {"went there", Align::left, Tone::good}});
  const auto list = recommend(model, person, split.train.of(person), list_length);
  for (std::size_t n = 0; n < list.size(); ++n) {
    const ItemIndex item = list[n].item;
    const Venue venue = venue_of(split, item);
    const bool hit = split.test.contains(person, item);
    table.row(
        {fmt::format("{}", n + 1), venue.name, venue.city, item_category(split, item), hit ? "yes" : ""});
  }
  text +=
      "\n" +
      console.paint(Tone::strong,
                    fmt::format("FPL recommends ({} of {} they did visit later, which the model never saw)\n",
                                hits_of(split, person, list), list.size()));
  return text + table.text(console);
}

}  // namespace sotto::cli
