// PersonalPolicy: what one person decided about their device, in their own words: items, categories, features
// and predicates by name. A device keeps it; terms_for() puts it into the numbers of a catalogue.
//
// Precedence, the first that speaks decides:
//   1. withdrawn, paused, or a level that shares nothing: nothing at all leaves
//   2. the rule of the item
//   3. the rules of its categories, `never` before `always` where they differ
//   4. π
// A feature of items (what a knowledge graph says of them) is kept back or not beside all this:
//   1. the rule of the feature, `never` before `always` where it is named twice
//   2. the rule of its whole chain of predicates
//   3. the rules of the single predicates in it, `never` before `always`
// Without a rule it is not kept back. Models that do not look at features ignore these rules.
// How much of a dimension of context enters the model on the device (data/contexts.h):
//   1. the choice for the dimension
//   2. the choice for all others ("*"); off, where any dimension is named
//   3. where none is, the level: full with π = 1, partial from π = 0.5 on, else off
// Of the history its newest share enters; with none of it a person takes no part. The item's `never` goes
// before: what it keeps back counts neither as had nor as new.
// Which criteria a device tells, so that it counts by them: privacy/criteria_choice.h.
// `ask` means: not until I have been asked. Until somebody answers it is `never`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/ids.h"
#include "privacy/consent.h"
#include "privacy/context_choice.h"
#include "privacy/criteria_choice.h"

namespace sotto::privacy {

enum class ConsentAnswer : std::uint8_t { always, never, ask };
[[nodiscard]] Result<ConsentAnswer> parse_answer(const std::string& text);
[[nodiscard]] const char* to_string(ConsentAnswer answer);

struct PersonalRule {
  ConsentAnswer answer = ConsentAnswer::ask;
  std::uint32_t line = 0;  // of the file it was read from; 0: none
};
using PersonalRules = std::map<std::string, PersonalRule>;

struct PersonalPolicy {
  double pi = 1.0;
  MaskKind mask = MaskKind::sticky;
  bool shares = true;      // false: the level that shares nothing
  bool paused = false;     // until resumed
  bool withdrawn = false;  // until a level is chosen anew; what was sent before stays sent
  PersonalRules items = {};
  PersonalRules categories = {};
  PersonalRules features = {};    // "dbo:director The Wachowskis": names as in data/kg/feature_names.h
  PersonalRules predicates = {};  // "dbo:director"
  ContextChoices contexts = {};   // "daypart", "interval" …, and "*" for all others
  double history = 1.0;           // the share of it that enters, the newest
  CriteriaChoices criteria = {};  // "size", "novelty" …, and "*" for all others
  // Whether figures about how good this person's lists are may leave, for a sum of many people's. It is asked
  // for apart from training: no level says yes.
  bool evaluation = false;
  // What a task must promise. A plain sum shows the server each message: it promises a crowd of one.
  bool secure_only = false;
  std::uint32_t least_crowd = 0;  // honest devices that this one is at least summed with, itself included

  [[nodiscard]] bool takes_part() const { return shares && !paused && !withdrawn && history > 0.0; }
};
[[nodiscard]] Status check(const PersonalPolicy& policy);

// Which criteria the device tells, by choices and level.
[[nodiscard]] CriteriaTerms criteria_terms(const PersonalPolicy& policy);

// The levels a person can pick, from the one that shares nothing to the one that shares all.
struct ConsentLevel {
  const char* name;
  const char* about;  // what it shares, for the person
  bool shares;
  double pi;
};
[[nodiscard]] std::span<const ConsentLevel> consent_levels();
// Sets what the level decides and leaves rules, contexts, pause and withdrawal as they are.
[[nodiscard]] Status set_level(PersonalPolicy& policy, const std::string& name);
// The level whose settings these are, or "custom".
[[nodiscard]] const char* level_of(const PersonalPolicy& policy);

// Each of the categories of "Action|Comedy".
template <class Each>
void for_categories(std::string_view joined, const Each& each) {
  for (std::size_t begin = 0; begin <= joined.size();) {
    const std::size_t end = std::min(joined.find('|', begin), joined.size());
    if (end > begin) each(joined.substr(begin, end - begin));
    begin = end + 1;
  }
}

// The items a model knows, by name, with the categories of each: "Action|Comedy". No categories at all:
// empty. No features, no contexts: no model of it looks at any.
struct Catalogue {
  const IdTable& items;
  std::size_t size = 0;  // the first so many items
  std::span<const std::string> categories;
  const ItemFeatures* features = nullptr;
  const Contexts* contexts = nullptr;
};

// The sentence about a rule for something (`what`) that is not there.
[[nodiscard]] Error unknown_in_rule(const std::string& file, const char* what, const std::string& name,
                                    const PersonalRule& rule, const std::string& hint);

// The policy in numbers. A rule for something that the catalogue does not have is an error that names `file`
// and line: a mistyped `never` must not share in silence.
[[nodiscard]] Result<ConsentTerms> terms_for(const PersonalPolicy& policy, const Catalogue& catalogue,
                                             const std::string& file);
// The same for a catalogue that came from elsewhere: a rule for something that it lacks has no effect on it.
// Fails where a rule keeps back a category and the catalogue names none: what must stay cannot be told.
[[nodiscard]] Result<ConsentTerms> terms_where_known(const PersonalPolicy& policy,
                                                     const Catalogue& catalogue);

}  // namespace sotto::privacy
