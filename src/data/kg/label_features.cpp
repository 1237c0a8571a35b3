#include "data/kg/label_features.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace sotto::data {

namespace {

// The year of "Heat (1995)", or nothing.
std::string_view year_of(std::string_view name) {
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  if (name.size() < 6 || name.back() != ')' || name[name.size() - 6] != '(') return {};
  const std::string_view year = name.substr(name.size() - 5, 4);
  const auto digit = [](char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; };
  return std::all_of(year.begin(), year.end(), digit) ? year : std::string_view();
}

}  // namespace

void add_label_features(const IdTable& items, std::span<const std::string> names,
                        std::span<const std::string> categories, FeatureList& list) {
  for (std::uint32_t item = 0; item < items.size(); ++item) {
    const auto add = [&](std::string_view predicate, std::string_view object) {
      if (object.empty()) return;
      list.facts.push_back({list.items.intern(items.name(item)), list.intern_predicate(predicate),
                            list.objects.intern(object)});
    };
    if (item < categories.size()) {
      std::string_view rest = categories[item];
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('|'), rest.size());
        add("category", rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    if (item >= names.size()) continue;
    const std::string_view year = year_of(names[item]);
    add("year", year);
    if (!year.empty()) add("decade", std::string(year.substr(0, 3)) + "0s");
  }
  list.settle();
}

}  // namespace sotto::data
