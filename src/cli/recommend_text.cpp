#include "cli/recommend_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/run_text.h"

namespace sotto::cli {

namespace {

// "(0.83)", and never "(-0.00)".
std::string in_brackets(float part) {
  const std::string text = fmt::format("({:.2f})", part);
  return text == "(-0.00)" ? "(0.00)" : text;
}

std::string with_part(const Reason& reason, const ItemFeatures& features) {
  return feature_in_words(features, reason.feature) + " " + in_brackets(reason.part);
}

// The reasons that speak for the item, or those that speak against it, with commas.
std::string listed(const ToldReasons& reasons, const ItemFeatures& features, bool in_favour) {
  std::string text;
  for (const Reason& reason : reasons.told)
    if ((reason.part >= 0.0f) == in_favour) text += (text.empty() ? "" : ", ") + with_part(reason, features);
  return text;
}

// In TSV: reasons with their parts, and what the others add up to.
std::string reasons_cell(const ToldReasons& reasons, const ItemFeatures& features) {
  std::string text;
  for (const Reason& reason : reasons.told) text += (text.empty() ? "" : "; ") + with_part(reason, features);
  if (reasons.others > 0)
    text += fmt::format("{}{} more {}", text.empty() ? "" : "; ", reasons.others,
                        in_brackets(reasons.others_part));
  return text;
}

nlohmann::json reasons_json(const ToldReasons& reasons, const ItemFeatures& features) {
  nlohmann::json json = nlohmann::json::array();
  for (const Reason& reason : reasons.told) {
    json.push_back(feature_json(features, reason.feature));
    json.back()["part"] = reason.part;
    json.back()["weight"] = reason.weight;
  }
  return json;
}

nlohmann::json rank_json(std::uint32_t rank) { return rank == 0 ? nlohmann::json() : nlohmann::json(rank); }

std::string table_of(const TopList& list, const Split& split, const Console& console) {
  const bool names = !split.item_names.empty(), categories = !split.item_categories.empty();
  std::vector<TableColumn> columns{{"#", Align::right, Tone::dim}, {"item"}};
  if (names) columns.push_back({"name"});
  if (categories) columns.push_back({"category"});
  columns.push_back({"score", Align::right});
  Table table(std::move(columns));
  for (std::size_t n = 0; n < list.items.size(); ++n) {
    const auto& [item, score] = list.items[n];
    std::vector<std::string> cells{fmt::format("{}", n + 1), std::string(split.items.name(item.value))};
    if (names) cells.push_back(split.item_names[item.value]);
    if (categories) cells.push_back(item_category(split, item));
    cells.push_back(fmt::format("{:.3f}", score));
    table.row(std::move(cells));
  }
  return table.text(console);
}

std::string with_reasons(const TopList& list, const Split& split, const Console& console) {
  std::string text;
  for (std::size_t n = 0; n < list.items.size(); ++n) {
    const auto& [item, score] = list.items[n];
    text += fmt::format("{:>3}. {}  ({:.2f})\n     {}\n", n + 1,
                        console.paint(Tone::strong, item_title(split, item)), score,
                        reasons_in_words(list.reasons[n], *split.features));
  }
  return text;
}

}  // namespace

std::string reasons_in_words(const ToldReasons& reasons, const ItemFeatures& features) {
  if (reasons.told.empty()) return "no feature of it is among those you care about";
  // Without a view of one's own the features weigh what others' choices say.
  const bool own = std::ranges::any_of(reasons.told, [](const Reason& one) { return one.weight != 0.0f; });
  const std::string liked = listed(reasons, features, true), disliked = listed(reasons, features, false);
  std::string text;
  if (!liked.empty()) text = (own ? "because you care about " : "because others care about ") + liked;
  if (!disliked.empty()) text += (text.empty() ? "against " : ", against ") + disliked;
  if (reasons.others > 0)
    text += fmt::format(", and {} more {} {}", reasons.others, reasons.others == 1 ? "feature" : "features",
                        in_brackets(reasons.others_part));
  return text;
}

std::string changes_in_words(const std::vector<RankChange>& changes, const Split& split) {
  std::string text;
  for (const RankChange& change : changes) {
    text += (text.empty() ? "" : "; ") + item_title(split, change.item);
    if (change.before == 0) {
      text += fmt::format(" new at {}", change.after);
    } else if (change.after == 0) {
      text += fmt::format(" gone (was {})", change.before);
    } else {
      text += fmt::format(" {} → {}", change.before, change.after);
    }
  }
  return text;
}

nlohmann::json feature_json(const ItemFeatures& features, FeatureIndex feature) {
  return {{"feature", feature_in_words(features, feature)},
          {"predicate", features.predicate(feature)},
          {"object", features.object(feature)}};
}

std::string lists_tsv(const std::vector<TopList>& lists, const Split& split) {
  const bool names = !split.item_names.empty(), categories = !split.item_categories.empty();
  const auto any = [&lists](auto field) {
    return std::ranges::any_of(lists, [field](const TopList& list) { return !(list.*field).empty(); });
  };
  const bool why = any(&TopList::reasons), before = any(&TopList::before);
  std::string text = "user\trank\titem\tscore";
  text += names ? "\tname" : "";
  text += categories ? "\tcategory" : "";
  text += why ? "\tbecause" : "";
  text += before ? "\tbefore\n" : "\n";
  for (const TopList& list : lists)
    for (std::size_t n = 0; n < list.items.size(); ++n) {
      const auto& [item, score] = list.items[n];
      text += fmt::format("{}\t{}\t{}\t{}", list.user, n + 1, split.items.name(item.value), score);
      if (names) text += "\t" + split.item_names[item.value];
      if (categories) text += "\t" + split.item_categories[item.value];
      if (why) text += "\t" + reasons_cell(list.reasons[n], *split.features);
      if (before) text += "\t" + (list.before[n] == 0 ? "new" : std::to_string(list.before[n]));
      text += '\n';
    }
  return text;
}

nlohmann::json lists_json(const std::vector<TopList>& lists, const Split& split) {
  nlohmann::json users = nlohmann::json::array();
  for (const TopList& list : lists) {
    nlohmann::json items = nlohmann::json::array();
    for (std::size_t n = 0; n < list.items.size(); ++n) {
      nlohmann::json entry = item_json(split, list.items[n].item);
      entry["score"] = list.items[n].score;
      if (!list.reasons.empty()) {
        const ToldReasons& reasons = list.reasons[n];
        entry["because"] = reasons_json(reasons, *split.features);
        entry["others"] = {{"features", reasons.others}, {"part", reasons.others_part}};
      }
      if (!list.before.empty()) entry["before"] = rank_json(list.before[n]);
      items.push_back(std::move(entry));
    }
    nlohmann::json entry{{"items", std::move(items)}};
    entry["user"] = list.user.empty() ? nlohmann::json() : nlohmann::json(list.user);
    if (!list.before.empty()) {
      entry["changes"] = nlohmann::json::array();
      for (const RankChange& change : list.changes) {
        entry["changes"].push_back(item_json(split, change.item));
        entry["changes"].back()["before"] = rank_json(change.before);
        entry["changes"].back()["after"] = rank_json(change.after);
      }
    }
    users.push_back(std::move(entry));
  }
  return users;
}

std::string lists_text(const std::vector<TopList>& lists, const Split& split, const Console& console) {
  std::string text;
  for (const TopList& list : lists) {
    const std::string whom = list.user.empty() ? "a new user" : list.user;
    text += console.paint(Tone::strong, fmt::format("For {}\n", whom));
    text += list.reasons.empty() ? table_of(list, split, console) : with_reasons(list, split, console);
    if (!list.before.empty())
      text += list.changes.empty()
                  ? "  With the veto these are the same items in the same order; scores may differ.\n"
                  : fmt::format("  Changed by the veto: {}\n", changes_in_words(list.changes, split));
    if (&list != &lists.back()) text += '\n';
  }
  return text;
}

}  // namespace sotto::cli
