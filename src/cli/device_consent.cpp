// sotto device consent: what a person lets leave their device, said and changed.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/device_command.h"
#include "cli/device_text.h"
#include "cli/rule_remarks.h"
#include "cli/values.h"
#include "device/consent_change.h"
#include "engine/plan/device_folder.h"

namespace sotto::cli {

namespace {

struct ConsentOptions {
  CommonOptions common;
  std::string dir;
  std::string name;                 // of a level, an item, a category, a feature …
  std::string answer;               // of a rule or a switch
  std::optional<double> pi;         // set
  std::optional<std::string> mask;  // set
};

using Change = Status (*)(const ConsentOptions& options, PersonalPolicy& policy);
// What the person should know about a change; empty: nothing.
using Remark = Result<std::string> (*)(const ConsentOptions& options, Vault& vault);

Result<std::string> no_remark(const ConsentOptions& /*options*/, Vault& /*vault*/) { return std::string(); }

Result<std::string> item_remark(const ConsentOptions& options, Vault& vault) {
  if (options.answer == "none") return std::string();
  return remark_on_item(vault, options.name);
}

Result<std::string> category_remark(const ConsentOptions& options, Vault& vault) {
  return remark_on_category(vault, options.name, options.answer);
}

Status show(ConsentOptions& options, const Console& console) {
  SOTTO_TRY(const PersonalPolicy policy, DeviceFolder(options.dir).policy());
  if (options.common.json)
    print_json(console, policy_json(policy));
  else
    console.print(policy_text(policy, console));
  return Done{};
}

template <Change change, Remark remark = no_remark>
Status edit(ConsentOptions& options, const Console& console) {
  SOTTO_TRY(const std::unique_ptr<Vault> vault, DeviceFolder(options.dir).open());
  SOTTO_TRY(PersonalPolicy policy, vault->policy());
  SOTTO_TRY_DONE(change(options, policy));
  SOTTO_TRY(const std::string note, remark(options, *vault));
  SOTTO_TRY_DONE(vault->set_policy(policy));
  if (options.common.json) {
    nlohmann::json json = policy_json(policy);
    if (!note.empty()) json["note"] = note;
    print_json(console, json);
    return Done{};
  }
  console.print("Saved. It applies from the next round on.\n");
  if (!note.empty()) console.print(console.paint(Tone::warn, "Note: ") + note + "\n");
  console.print(fmt::format(
      "\n{}\nWhat the levels mean, and what is reported about you: 'sotto device consent show --dir {}'.\n",
      choices_text(policy), shell_word(options.dir)));
  return Done{};
}

Status set_share(const ConsentOptions& options, PersonalPolicy& policy) {
  if (!options.pi && !options.mask) return fail(Code::usage, "nothing to set: give --pi or --mask");
  if (options.mask) SOTTO_TRY_DONE(choose_mask(policy, *options.mask));
  if (options.pi) SOTTO_TRY_DONE(choose_share(policy, *options.pi));
  return Done{};
}

Status set_preset(const ConsentOptions& options, PersonalPolicy& policy) {
  return choose_level(policy, options.name);
}

Status set_item(const ConsentOptions& options, PersonalPolicy& policy) {
  return choose_rule(policy.items, options.name, options.answer);
}
Status set_category(const ConsentOptions& options, PersonalPolicy& policy) {
  return choose_rule(policy.categories, options.name, options.answer);
}
Status set_feature(const ConsentOptions& options, PersonalPolicy& policy) {
  return choose_rule(policy.features, options.name, options.answer);
}
Status set_predicate(const ConsentOptions& options, PersonalPolicy& policy) {
  return choose_rule(policy.predicates, options.name, options.answer);
}

Status set_context(const ConsentOptions& options, PersonalPolicy& policy) {
  return choose_context(policy, options.name, options.answer);
}
Status set_criterion(const ConsentOptions& options, PersonalPolicy& policy) {
  return choose_criterion(policy, options.name, options.answer);
}
Status set_history(const ConsentOptions& options, PersonalPolicy& policy) {
  return choose_history(policy, options.name);
}

Status set_sums(const ConsentOptions& options, PersonalPolicy& policy) {
  return choose_sums(policy, options.name);
}
Status set_crowd(const ConsentOptions& options, PersonalPolicy& policy) {
  std::uint64_t devices = 0;
  const char* end = options.name.data() + options.name.size();
  const auto [stopped, wrong] = std::from_chars(options.name.data(), end, devices);
  if (wrong != std::errc{} || stopped != end)
    return fail(Code::usage, fmt::format("'{}' is not a number of devices", options.name));
  return choose_crowd(policy, devices);
}

Status set_evaluation(const ConsentOptions& options, PersonalPolicy& policy) {
  return choose_evaluation(policy, options.name);
}

Status pause(const ConsentOptions& /*options*/, PersonalPolicy& policy) {
  policy.paused = true;
  return Done{};
}

Status resume(const ConsentOptions& /*options*/, PersonalPolicy& policy) { return end_pause(policy); }

Status leave_all(const ConsentOptions& /*options*/, PersonalPolicy& policy) {
  withdraw(policy);
  return Done{};
}

void add_named(CLI::App& parent, Cli& cli, const char* name, const char* about, const char* what,
               const char* answers, Status (*run)(ConsentOptions&, const Console&), const char* example,
               const std::vector<std::string>& choices) {
  auto [app, options] = add_device_command(parent, cli, name, about, run, {example});
  CLI::Option* last = app->add_option("NAME", options->name, what)->type_name("NAME")->required();
  if (*answers != '\0')
    last = app->add_option("RULE", options->answer, answers)->type_name("RULE")->required();
  if (!choices.empty()) values(last, choices);
}

}  // namespace

// What a task must promise, and what is said about lists.
void add_demands(CLI::App& app, Cli& cli) {
  add_named(app, cli, "sums", "in which sums this device takes part",
            "secure: only sums in which the server sees no single message; any: plain sums too", "",
            edit<set_sums>, "sotto device consent sums secure --dir my-device", {"secure", "any"});
  add_named(app, cli, "crowd", "how many honest devices a sum adds up, at least",
            "a number, this device included; 0: any number. A plain sum promises one", "", edit<set_crowd>,
            "sotto device consent crowd 50 --dir my-device", {});
  add_named(
      app, cli, "evaluation", "whether figures about how good a model is for you leave this device",
      "yes: metrics of your list, or how many of your examples are recognised, in a sum over many people; "
      "no, the default: they stay",
      "", edit<set_evaluation>, "sotto device consent evaluation yes --dir my-device", {"yes", "no"});
}

void add_device_consent(CLI::App& device, Cli& cli) {
  CLI::App& app = *device.add_subcommand("consent", "show and change what may leave this device");
  app.require_subcommand(1);
  add_device_command(app, cli, "show", "what this device shares, and the levels to choose from", show,
                     {"sotto device consent show --dir my-device"});
  auto [set, options] =
      add_device_command(app, cli, "set", "the share and how it is drawn, each on its own", edit<set_share>,
                         {"sotto device consent set --pi 0.3 --mask sticky --dir my-device"});
  set->add_option("--pi", options->pi, "share of the things you have that may teach the model, 0 to 1")
      ->type_name("P");
  values(set->add_option(
             "--mask", options->mask,
             "sticky: drawn once per thing; round: again in each round; redraw: again each time it is used"),
         {"sticky", "round", "redraw"})
      ->type_name("KIND");
  add_named(app, cli, "preset", "choose a level", "closed, careful, balanced or open", "", edit<set_preset>,
            "sotto device consent preset careful --dir my-device", {"closed", "careful", "balanced", "open"});
  add_named(app, cli, "item", "a rule for one thing", "its id in the data",
            "always, never, ask, or none to remove the rule", edit<set_item, item_remark>,
            "sotto device consent item 242 never --dir my-device", {"always", "never", "ask", "none"});
  add_named(app, cli, "category", "a rule for a whole category",
            "its name in the data; tasks over a network have none",
            "always, never, ask, or none to remove the rule", edit<set_category, category_remark>,
            "sotto device consent category Horror never --dir my-device", {"always", "never", "ask", "none"});
  add_named(app, cli, "feature", "a rule for one feature of things (for models that use features)",
            "as explanations call it, or predicate and object in full",
            "always, never, ask, or none to remove the rule", edit<set_feature>,
            "sotto device consent feature 'dct:subject American science fiction films' never --dir my-device",
            {"always", "never", "ask", "none"});
  add_named(app, cli, "predicate", "a rule for all features through a predicate",
            "with its prefix or in full; a chain has '~' between its predicates",
            "always, never, ask, or none to remove the rule", edit<set_predicate>,
            "sotto device consent predicate dbo:director never --dir my-device",
            {"always", "never", "ask", "none"});
  add_named(app, cli, "context", "how much of a kind of context enters the model on this device",
            "its name, such as daypart; '*' for all without a choice of their own",
            "full, partial (half, or partial:SHARE), off, or unset to remove the choice", edit<set_context>,
            "sotto device consent context daypart partial:0.3 --dir my-device",
            {"full", "partial", "off", "unset"});
  add_named(app, cli, "criteria", "which numbers about you this device reports, to be weighted by them",
            "name of a criterion, such as size; '*' for all without a choice of their own",
            "tell, keep, or unset to remove the choice", edit<set_criterion>,
            "sotto device consent criteria size keep --dir my-device", {"tell", "keep", "unset"});
  add_named(app, cli, "history", "how much of your history enters the model on this device",
            "full, partial (its newest half, or partial:SHARE) or none", "", edit<set_history>,
            "sotto device consent history partial:0.3 --dir my-device", {"full", "partial", "none"});
  add_demands(app, cli);
  add_device_command(app, cli, "pause", "nothing leaves until you resume", edit<pause>,
                     {"sotto device consent pause --dir my-device"});
  add_device_command(app, cli, "resume", "end the pause", edit<resume>,
                     {"sotto device consent resume --dir my-device"});
  add_device_command(app, cli, "withdraw", "stop taking part", edit<leave_all>,
                     {"sotto device consent withdraw --dir my-device"});
}

}  // namespace sotto::cli
