#include "device/consent_file.h"

#include <fmt/format.h>

#include <sstream>

#include "device/consent_change.h"
#include "storage/toml.h"

namespace sotto::device {

namespace {

class PolicyReader {
 public:
  PolicyReader(const toml::table& root, std::string name) : root_(root), name_(std::move(name)) {}

  [[nodiscard]] Result<PersonalPolicy> read() {
    // Who does not say how much is shared has not chosen.
    if (!root_.contains("level") && !root_.contains("shares") && !root_.contains("pi"))
      SOTTO_TRY_DONE(set_level(policy_, "closed"));
    // The level first: single settings change it, wherever they stand.
    if (const toml::node* level = root_.get("level")) SOTTO_TRY_DONE(take("level", *level));
    for (const auto& [key, node] : root_)
      if (key.str() != "level") SOTTO_TRY_DONE(take(std::string(key.str()), node));
    return policy_;
  }

 private:
  [[nodiscard]] Status take(const std::string& key, const toml::node& node) {
    if (key == "level")
      return named(key, node, [&](const std::string& text) { return set_level(policy_, text); });
    if (key == "pi") return share(node);
    if (key == "mask")
      return named(key, node, [&](const std::string& text) -> Status {
        SOTTO_TRY(policy_.mask, parse_mask(text));
        return Done{};
      });
    if (key == "shares") return flag(key, node, policy_.shares);
    if (key == "paused") return flag(key, node, policy_.paused);
    if (key == "withdrawn") return flag(key, node, policy_.withdrawn);
    if (key == "items") return rules(key, node, policy_.items);
    if (key == "categories") return rules(key, node, policy_.categories);
    if (key == "features") return rules(key, node, policy_.features);
    if (key == "predicates") return rules(key, node, policy_.predicates);
    if (key == "contexts") return contexts(node);
    if (key == "criteria") return criteria(node);
    if (key == "history") return part(key, node, "none", policy_.history);
    if (key == "sums")
      return named(key, node, [&](const std::string& text) { return choose_sums(policy_, text); });
    if (key == "least_crowd") return crowd(node);
    if (key == "evaluation")
      return named(key, node, [&](const std::string& text) { return choose_evaluation(policy_, text); });
    return unknown_key(
        node, name_, key,
        {"categories", "contexts", "criteria", "evaluation", "features", "history", "items", "least_crowd",
         "level", "mask", "paused", "pi", "predicates", "shares", "sums", "withdrawn"});
  }

  [[nodiscard]] Error wrong(const std::string& key, const toml::node& node, const std::string& what) const {
    return fail(Code::usage, fmt::format("{}: {}: {}", place_of(node, name_), key, what));
  }
  template <class Set>
  [[nodiscard]] Status named(const std::string& key, const toml::node& node, const Set& set) const {
    if (!node.is_string()) return wrong(key, node, "a word in quotes is needed");
    const Status done = set(node.as_string()->get());
    if (!done.ok()) return wrong(key, node, done.error().message);
    return Done{};
  }
  [[nodiscard]] Status flag(const std::string& key, const toml::node& node, bool& field) const {
    if (!node.is_boolean()) return wrong(key, node, "true or false is needed");
    field = node.as_boolean()->get();
    return Done{};
  }
  [[nodiscard]] Status share(const toml::node& node) {
    const auto value = node.value<double>();
    if (!value) return wrong("pi", node, "a number from 0 to 1 is needed");
    policy_.pi = *value;
    const Status fits = check(policy_);
    if (!fits.ok()) return wrong("pi", node, fits.error().message);
    return Done{};
  }
  [[nodiscard]] Status crowd(const toml::node& node) {
    const auto devices = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
    if (!devices || *devices < 0) return wrong("least_crowd", node, "a whole number is needed");
    const Status fits = choose_crowd(policy_, static_cast<std::uint64_t>(*devices));
    return fits.ok() ? fits : wrong("least_crowd", node, fits.error().message);
  }
  [[nodiscard]] Status rules(const std::string& key, const toml::node& node, PersonalRules& out) const {
    if (!node.is_table()) return wrong(key, node, "a section of names and rules is needed");
    for (const auto& [name, rule] : *node.as_table()) {
      PersonalRule& own = out[std::string(name.str())];
      own.line = static_cast<std::uint32_t>(rule.source().begin.line);
      SOTTO_TRY_DONE(named(key, rule, [&](const std::string& text) -> Status {
        SOTTO_TRY(own.answer, parse_answer(text));
        return Done{};
      }));
    }
    return Done{};
  }
  // A word or a number.
  [[nodiscard]] Status part(const std::string& key, const toml::node& node, const char* nothing,
                            double& field) const {
    if (node.is_string())
      return named(key, node, [&](const std::string& text) -> Status {
        SOTTO_TRY(field, parse_choice(text, nothing));
        return Done{};
      });
    const auto number = node.is_boolean() ? std::nullopt : node.value<double>();
    if (!number)
      return wrong(key, node, fmt::format("full, partial, {} or a number from 0 to 1 is needed", nothing));
    const Status fits = check_part(*number);
    if (!fits.ok()) return wrong(key, node, fits.error().message);
    field = *number;
    return Done{};
  }
  [[nodiscard]] Status contexts(const toml::node& node) {
    if (!node.is_table()) return wrong("contexts", node, "a section of names and choices is needed");
    for (const auto& [name, choice] : *node.as_table()) {
      ContextChoice& own = policy_.contexts[std::string(name.str())];
      own.line = static_cast<std::uint32_t>(choice.source().begin.line);
      if (choice.is_boolean())
        own.share = choice.as_boolean()->get() ? 1.0 : 0.0;
      else
        SOTTO_TRY_DONE(part("contexts", choice, "off", own.share));
    }
    return Done{};
  }

  [[nodiscard]] Status criteria(const toml::node& node) {
    if (!node.is_table()) return wrong("criteria", node, "a section of names and choices is needed");
    for (const auto& [name, choice] : *node.as_table()) {
      const std::string criterion(name.str());
      SOTTO_TRY_DONE(named("criteria", choice, [&](const std::string& text) -> Status {
        return choose_criterion(policy_, criterion, text);
      }));
    }
    return Done{};
  }

  const toml::table& root_;
  std::string name_;
  PersonalPolicy policy_;
};

std::string in_quotes(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

std::string section(const char* title, const PersonalRules& rules) {
  std::string text;
  for (const auto& [name, rule] : rules)
    text += fmt::format("{} = \"{}\"\n", in_quotes(name), to_string(rule.answer));
  return text.empty() ? "" : fmt::format("\n[{}]\n{}", title, text);
}

std::string part_text(double share, const char* nothing) {
  const bool has_word = share <= 0.0 || share >= 1.0 || share == usual_part;
  return has_word ? fmt::format("\"{}\"", choice_word(share, nothing)) : fmt::format("{}", share);
}

}  // namespace

Result<PersonalPolicy> read_policy(const std::string& text, const std::string& name) {
  SOTTO_TRY(const toml::table table, parse_toml(text, name));
  return PolicyReader(table, name).read();
}

Result<PersonalPolicy> read_kept_policy(const std::string& text, const std::string& where) {
  SOTTO_TRY(PersonalPolicy policy, read_policy(text, "the consent kept in " + where));
  for (PersonalRules* rules : {&policy.items, &policy.categories, &policy.features, &policy.predicates})
    for (auto& [name, rule] : *rules) rule.line = 0;
  for (auto& [name, choice] : policy.contexts) choice.line = 0;
  return policy;
}

std::string to_toml(const PersonalPolicy& policy) {
  std::string text =
      fmt::format("shares = {}\npi = {}\nmask = \"{}\"\n", policy.shares, policy.pi, to_string(policy.mask));
  if (policy.paused) text += "paused = true\n";
  if (policy.withdrawn) text += "withdrawn = true\n";
  if (policy.history < 1.0) text += fmt::format("history = {}\n", part_text(policy.history, "none"));
  if (policy.secure_only) text += "sums = \"secure\"\n";
  if (policy.least_crowd > 0) text += fmt::format("least_crowd = {}\n", policy.least_crowd);
  if (policy.evaluation) text += "evaluation = \"yes\"\n";
  text += section("items", policy.items) + section("categories", policy.categories) +
          section("features", policy.features) + section("predicates", policy.predicates);
  if (!policy.contexts.empty()) text += "\n[contexts]\n";
  for (const auto& [name, choice] : policy.contexts)
    text += fmt::format("{} = {}\n", in_quotes(name), part_text(choice.share, "off"));
  if (!policy.criteria.empty()) text += "\n[criteria]\n";
  for (const auto& [name, tells] : policy.criteria)
    text += fmt::format("{} = \"{}\"\n", in_quotes(name), telling_word(tells));
  return text;
}

}  // namespace sotto::device
