#include "cli/device_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/criteria_text.h"
#include "cli/level_figures.h"
#include "cli/protocol_text.h"
#include "cli/rule_remarks.h"
#include "device/export_data.h"
#include "engine/protect/training_consent.h"
#include "engine/terminal/table.h"

namespace sotto::cli {

namespace {

std::string state_sentence(const PersonalPolicy& policy) {
  if (policy.withdrawn) return "You have withdrawn: nothing leaves this device, and it no longer takes part.";
  if (policy.paused) return "Paused: nothing leaves this device until you resume.";
  if (policy.history <= 0.0)
    return "Nothing of your history may be used: nothing leaves this device, and you get what suits "
           "everybody.";
  if (!policy.shares)
    return "Closed: nothing leaves this device, and it asks nobody. It goes on with the model it has, if it "
           "has "
           "one.";
  if (policy.pi >= 1.0) return "This device shares what it learns from everything you have.";
  if (policy.pi <= 0.0)
    return "This device shares nothing it learns from the things you have; it still answers about things "
           "you do not have.";
  const std::string share = fmt::format("{:.4g}%", policy.pi * 100.0);
  return policy.mask == MaskKind::sticky
             ? fmt::format(
                   "This device shares what it learns from {} of the things you have. Which ones was "
                   "drawn once and stays.",
                   share)
             : fmt::format(
                   "This device shares what it learns from {} of the things you have, drawn again {}: "
                   "over many rounds nearly all of them will have been shared.",
                   share, policy.mask == MaskKind::round ? "in each round" : "each time");
}

std::string rules_text(const char* what, const PersonalRules& rules) {
  std::string text;
  for (const ConsentAnswer answer : {ConsentAnswer::never, ConsentAnswer::ask, ConsentAnswer::always}) {
    std::string names;
    for (const auto& [name, rule] : rules)
      if (rule.answer == answer) names += (names.empty() ? "" : ", ") + name;
    if (names.empty()) continue;
    const char* means = answer == ConsentAnswer::ask      ? "not until you are asked"
                        : answer == ConsentAnswer::always ? "always shared"
                                                          : "never shared";
    text += fmt::format("  {} {}: {}\n", what, means, names);
  }
  return text;
}

// What the state sentence alone would hide: one for all categories.
std::string standing_remark(const PersonalPolicy& policy) {
  for (const auto& [name, rule] : policy.categories)
    if (const std::string note = remark_on_category(name, to_string(rule.answer)); !note.empty())
      return "\nNote: " + note + "\n";
  return {};
}

nlohmann::json rules_json(const PersonalRules& rules) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, rule] : rules) json[name] = to_string(rule.answer);
  return json;
}

// No noise, for certain; else there may be some that the device knows nothing of.
bool has_no_bound(const LedgerEntry& entry) {
  return !entry.epsilon && entry.mechanism.find(without_noise) != std::string::npos;
}

bool knows_no_epsilon(const LedgerEntry& entry) { return !entry.epsilon && !has_no_bound(entry); }

std::string epsilon_text(const LedgerEntry& entry) {
  if (has_no_bound(entry)) return "no bound";
  return entry.epsilon ? fmt::format("{:.4g}", *entry.epsilon) : "none known";
}

std::string figures_table(const Console& console) {
  Table table({{"level"},
               {"good ones of ten", Align::right},
               {"a server that reads your messages finds"},
               {"under one secure sum"}});
  for (const LevelFigures& one : level_figures)
    table.row({std::string(one.level), fmt::format("{:.2f}", 10.0 * one.precision),
               one.found_open > 0.0 ? fmt::format("{:.1f}% of what you have", 100.0 * one.found_open)
                                    : "nothing: there are none",
               "no more than by guessing"});
  return table.text(console) +
         fmt::format(
             "  Guessing by what is popular finds {:.0f}%. Lists depend on what others share, hardly on what "
             "you do. (Where this was measured, in a simulation, closed devices had the others' model "
             "too.)\n",
             100.0 * found_by_popularity);
}

nlohmann::json figures_json(std::string_view level) {
  for (const LevelFigures& one : level_figures)
    if (one.level == level)
      return {
          {"data", "MovieLens 100K"}, {"P@10", one.precision}, {"found_in_open_messages", one.found_open}};
  return nullptr;
}

// All runs together: what each spent by its last round, added up. One line without a bound leaves none.
std::string whole_epsilon(const std::vector<LedgerEntry>& entries) {
  if (std::ranges::any_of(entries, has_no_bound)) return "no bound";
  if (std::ranges::any_of(entries, knows_no_epsilon)) return "none known";
  double sum = 0.0;
  for (std::size_t n = 0; n < entries.size(); ++n) {
    const bool goes_on = n + 1 < entries.size() && entries[n + 1].task == entries[n].task &&
                         entries[n + 1].round > entries[n].round;
    if (!goes_on) sum += *entries[n].epsilon;
  }
  return fmt::format("{:.4g}", sum);
}

std::string items_text(const LedgerEntry& entry, const ItemTitles& titles) {
  std::vector<std::string> names;
  for (const std::string& item : entry.items) names.push_back(titles.of(item, entry.task));
  return fmt::format("  round {}, {}:\n    {}\n", entry.round, entry.task,
                     names.empty() ? "nothing of yours" : fmt::format("{}", fmt::join(names, ", ")));
}

std::set<std::string> all_items(const LedgerReading& reading) {
  std::set<std::string> items;
  for (const LedgerEntry& entry : reading.entries) items.insert(entry.items.begin(), entry.items.end());
  return items;
}

// As far as they are known.
std::uint64_t all_bytes(const LedgerReading& reading) {
  std::uint64_t bytes = 0;
  for (const LedgerEntry& entry : reading.entries) bytes += entry.bytes.value_or(0);
  return bytes;
}

std::string sent_text(const LedgerReading& reading) {
  const auto uncounted = static_cast<std::size_t>(
      std::ranges::count_if(reading.entries, [](const LedgerEntry& entry) { return !entry.bytes; }));
  if (uncounted == reading.entries.size()) return "bytes not counted";
  const std::string sent = human_bytes(static_cast<double>(all_bytes(reading))) + " sent";
  return uncounted == 0 ? sent : fmt::format("{} (not counting {} of them)", sent, human_count(uncounted));
}

bool is_of_examples(const LedgerEntry& entry) { return entry.mechanism.starts_with("examples of "); }

// What the words in the table mean, where they stand there.
std::string ledger_notes(const LedgerReading& reading) {
  std::string text;
  if (std::ranges::any_of(reading.entries, has_no_bound)) text += "ε no bound: a simulation without noise.\n";
  if (std::ranges::any_of(reading.entries, knows_no_epsilon))
    text +=
        "ε none known: no noise that this device knows of. A coordinator may add noise to the sums it "
        "releases; the task does not state how much, and no device could check it: ask its operator.\n";
  if (std::ranges::any_of(reading.entries, is_of_examples))
    text +=
        "Examples: what left is how a network moved by so many of yours together. They themselves stay.\n";
  if (std::ranges::any_of(reading.entries, [](const LedgerEntry& entry) { return !entry.bytes; }))
    text +=
        "Bytes not counted: a simulation writes the line before noise or a secure sum decides how much is "
        "sent.\n";
  return text;
}

}  // namespace

std::string choices_text(const PersonalPolicy& policy) {
  std::string text = state_sentence(policy) + "\n";
  const std::string rules = rules_text("things", policy.items) + rules_text("categories", policy.categories);
  if (!rules.empty()) text += "\nYour rules come before the share:\n" + rules;
  const std::string about =
      rules_text("features", policy.features) + rules_text("predicates", policy.predicates);
  if (!about.empty()) text += "\nRules for features (for models that use features of items):\n" + about;
  text += "\n" + protocol_text(policy);
  if (!policy.criteria.empty()) text += "\n" + criteria_text(policy);
  if (policy.secure_only)
    text +=
        "\nIt takes part only in secure sums: a task with plain sums is refused before anything leaves.\n";
  if (policy.least_crowd > 0)
    text += fmt::format(
        "\nIt takes part only if a task promises a crowd of at least {} honest devices, itself included.\n",
        policy.least_crowd);
  if (policy.evaluation)
    text +=
        "\nIn tasks that ask for it, your newest things (or some of your examples) are held out of training, "
        "and how well your list finds them (or how many are recognised) leaves this device for a sum over "
        "many people.\n";
  return text;
}

std::string policy_text(const PersonalPolicy& policy, const Console& console) {
  std::string text = choices_text(policy) + standing_remark(policy);
  if (policy.criteria.empty()) text += "\n" + criteria_text(policy);
  text += "\nLevels to choose from:\n";
  for (const ConsentLevel& level : consent_levels()) {
    const bool chosen = std::string_view(level_of(policy)) == level.name;
    text += fmt::format("  {} {} {}\n", chosen ? '*' : ' ',
                        console.paint(Tone::strong, fmt::format("{:<9}", level.name)), level.about);
  }
  text += "\nWhat they meant on MovieLens 100K, where most others were open:\n" + figures_table(console);
  return text +
         "\nThe share is what you give, not what a curious server could work out from it: a single open "
         "message can reveal most of what you have. Secure sums keep single messages closed; the service "
         "switches them on, and your ledger lists for each round whether they were on. With 'consent sums "
         "secure' this device takes part in no others.\n";
}

nlohmann::json policy_json(const PersonalPolicy& policy) {
  nlohmann::json levels = nlohmann::json::array();
  for (const ConsentLevel& level : consent_levels())
    levels.push_back({{"name", level.name},
                      {"shares", level.shares},
                      {"pi", level.pi},
                      {"about", level.about},
                      {"measured", figures_json(level.name)}});
  return {{"level", level_of(policy)},
          {"takes_part", policy.takes_part()},
          {"shares", policy.shares},
          {"pi", policy.pi},
          {"mask", to_string(policy.mask)},
          {"paused", policy.paused},
          {"withdrawn", policy.withdrawn},
          {"secure_only", policy.secure_only},
          {"least_crowd", policy.least_crowd},
          {"evaluation", policy.evaluation},
          {"items", rules_json(policy.items)},
          {"categories", rules_json(policy.categories)},
          {"features", rules_json(policy.features)},
          {"predicates", rules_json(policy.predicates)},
          {"contexts", contexts_in_use(policy)},
          {"protocol", protocol_json(policy)},
          {"criteria", criteria_json(policy)},
          {"levels", levels}};
}

std::string ledger_table(const LedgerReading& reading, std::size_t most, const ItemTitles* titles,
                         const Console& console) {
  if (reading.entries.empty()) return "Nothing has left this device.\n";
  Table table({{"round", Align::right},
               {"for"},
               {"on its way"},
               {"bytes", Align::right},
               {"ε of its run"},
               {"things in it", Align::right}});
  std::string which;
  const std::size_t first = reading.entries.size() - std::min(most, reading.entries.size());
  for (std::size_t n = first; n < reading.entries.size(); ++n) {
    const LedgerEntry& entry = reading.entries[n];
    table.row({std::to_string(entry.round), entry.task, entry.mechanism,
               entry.bytes ? human_count(*entry.bytes) : "not counted", epsilon_text(entry),
               human_count(entry.items.size())});
    if (titles != nullptr) which += items_text(entry, *titles);
  }
  std::string text = first == 0 ? "" : fmt::format("  … {} earlier lines\n", human_count(first));
  text += table.text(console);
  if (titles != nullptr) text += "\nThings in each, yours or of a list that was judged:\n" + which;
  return text +
         fmt::format("\n{} line{}, {}, {} things in at least one; ε of all: {}\n",
                     human_count(reading.entries.size()), reading.entries.size() == 1 ? "" : "s",
                     sent_text(reading), human_count(all_items(reading).size()),
                     whole_epsilon(reading.entries)) +
         ledger_notes(reading);
}

nlohmann::json ledger_json(const LedgerReading& reading) {
  nlohmann::json entries = nlohmann::json::array();
  for (const LedgerEntry& entry : reading.entries) entries.push_back(entry_json(entry));
  return {{"lines", reading.head.lines()},
          {"head", reading.head.hash()},
          {"bytes", all_bytes(reading)},
          {"items", all_items(reading)},
          {"entries", entries}};
}

}  // namespace sotto::cli
