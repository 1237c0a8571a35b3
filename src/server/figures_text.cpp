#include "server/figures_text.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "metrics/diversity.h"

namespace sotto::server {

namespace {

using Json = nlohmann::ordered_json;

// In how many lists how many items stand: none, 1, 2, 3 to 4, 5 to 8 and so on.
Json histogram(const std::vector<std::uint64_t>& lists) {
  Json bins = Json::array();
  const std::uint64_t most = *std::max_element(lists.begin(), lists.end());
  for (std::uint64_t from = 0, to = 0; from <= most; from = to + 1, to = from == 1 ? 1 : 2 * from - 2) {
    const auto items = std::count_if(lists.begin(), lists.end(),
                                     [&](std::uint64_t count) { return from <= count && count <= to; });
    bins.push_back({from, to, items});
  }
  return bins;
}

}  // namespace

std::string figures_text(const LiveFigures& figures, const EvaluationTerms& terms) {
  if (terms.classifies) {
    Json counts{{"metrics", Json::object()}};
    if (figures.answers) {
      counts["metrics"][accuracy_name] = figures.answers->accuracy;
      counts["examples"] = std::llround(figures.answers->examples);
    }
    return counts.dump();
  }
  Json out{{"cutoff", terms.cutoff}};
  for (std::size_t n = 0; n < figure_names.size(); ++n)
    out["metrics"][fmt::format("{}@{}", figure_names[n], terms.cutoff)] = figures.means[n];
  if (figures.ratings) {
    for (std::size_t n = 0; n < error_names.size(); ++n)
      out["metrics"][error_names[n]] = figures.ratings->errors[n];
    out["ratings"] = std::llround(figures.ratings->ratings);
  }
  if (!figures.lists.empty())
    out["coverage"] = {{"items", item_coverage(figures.lists)},
                       {"gini", gini(figures.lists)},
                       {"entropy", shannon_entropy(figures.lists)},
                       {"lists", histogram(figures.lists)}};
  return out.dump();
}

}  // namespace sotto::server
