// sotto device consent: what a person lets leave their device, said and changed.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lab/cli/command.h"
#include "lab/cli/device_text.h"
#include "lab/device_folder.h"

namespace sotto {

namespace {

struct ConsentOptions {
  CommonOptions common;
  std::string dir;
  std::string name;                 // of a level, an item, a category or a context
  std::string answer;               // of a rule or a switch
  std::optional<double> pi;         // set
  std::optional<std::string> mask;  // set
};

using Change = Status (*)(const ConsentOptions& options, PersonalPolicy& policy);

Status say(const ConsentOptions& options, const PersonalPolicy& policy, bool changed,
           const Console& console) {
  if (options.common.json) {
    print_json(console, policy_json(policy));
    return Done{};
  }
  if (changed) console.print("Saved. It holds from the next round on.\n\n");
  console.print(policy_text(policy, console));
  return Done{};
}

Status show(ConsentOptions& options, const Console& console) {
  SOTTO_TRY(const PersonalPolicy policy, DeviceFolder(options.dir).policy());
  return say(options, policy, false, console);
}

template <Change change>
Status edit(ConsentOptions& options, const Console& console) {
  const DeviceFolder folder(options.dir);
  SOTTO_TRY(PersonalPolicy policy, folder.policy());
  SOTTO_TRY_DONE(change(options, policy));
  SOTTO_TRY_DONE(check(policy));
  SOTTO_TRY_DONE(folder.set_policy(policy));
  return say(options, policy, true, console);
}

Status set_share(const ConsentOptions& options, PersonalPolicy& policy) {
  if (!options.pi && !options.mask) return fail(Code::usage, "nothing to set: give --pi or --mask");
  if (options.mask) {
    SOTTO_TRY(policy.mask, parse_mask(*options.mask));
  }
  if (options.pi) {
    policy.pi = *options.pi;
    policy.shares = true;
  }
  return Done{};
}

// Who chooses a level again after withdrawing joins anew.
Status set_preset(const ConsentOptions& options, PersonalPolicy& policy) {
  SOTTO_TRY_DONE(set_level(policy, options.name));
  policy.withdrawn = false;
  return Done{};
}

Status set_rule(const ConsentOptions& options, PersonalRules& rules) {
  if (options.answer == "none") {
    rules.erase(options.name);
    return Done{};
  }
  const auto answer = parse_answer(options.answer);
  if (!answer.ok())
    return fail(Code::usage, fmt::format("unknown rule '{}': choose always, never, ask, or none to remove it",
                                         options.answer));
  rules[options.name] = {*answer};
  return Done{};
}

Status set_item(const ConsentOptions& options, PersonalPolicy& policy) {
  return set_rule(options, policy.items);
}
Status set_category(const ConsentOptions& options, PersonalPolicy& policy) {
  return set_rule(options, policy.categories);
}

Status set_context(const ConsentOptions& options, PersonalPolicy& policy) {
  if (options.answer != "on" && options.answer != "off")
    return fail(Code::usage, fmt::format("a context is on or off, not '{}'", options.answer));
  policy.contexts[options.name] = options.answer == "on";
  return Done{};
}

Status pause(const ConsentOptions& /*options*/, PersonalPolicy& policy) {
  policy.paused = true;
  return Done{};
}

Status resume(const ConsentOptions& /*options*/, PersonalPolicy& policy) {
  if (policy.withdrawn)
    return fail(Code::usage,
                "you have withdrawn: to join anew, choose a level with 'sotto device consent preset'");
  policy.paused = false;
  return Done{};
}

Status withdraw(const ConsentOptions& /*options*/, PersonalPolicy& policy) {
  policy.withdrawn = true;
  return Done{};
}

Command<ConsentOptions> add_one(CLI::App& parent, Cli& cli, const char* name, const char* about,
                                Status (*run)(ConsentOptions&, const Console&), const char* example) {
  auto command = add_command<ConsentOptions>(parent, cli, name, about, run);
  command.app->add_option("--dir", command.options->dir, "the device's folder")->type_name("DIR")->required();
  add_common_options(*command.app, command.options->common, "taken by every command; here nothing is drawn");
  command.app->footer(examples({example}));
  return command;
}

void add_named(CLI::App& parent, Cli& cli, const char* name, const char* about, const char* what,
               const char* answers, Status (*run)(ConsentOptions&, const Console&), const char* example) {
  auto [app, options] = add_one(parent, cli, name, about, run, example);
  app->add_option("NAME", options->name, what)->required();
  if (*answers != '\0') app->add_option("RULE", options->answer, answers)->required();
}

}  // namespace

void add_device_consent(CLI::App& device, Cli& cli) {
  CLI::App& app = *device.add_subcommand("consent", "what may leave this device: see it, change it");
  app.require_subcommand(1);
  add_one(app, cli, "show", "what this device shares, and the levels there are", show,
          "sotto device consent show --dir my-device");
  auto [set, options] = add_one(app, cli, "set", "the share and how it is drawn, one by one", edit<set_share>,
                                "sotto device consent set --pi 0.3 --mask sticky --dir my-device");
  set->add_option("--pi", options->pi, "share of the things you have that may teach the model, 0 to 1")
      ->type_name("P");
  set->add_option("--mask", options->mask, "sticky: drawn once for each thing; redraw: anew each time")
      ->type_name("KIND");
  add_named(app, cli, "preset", "choose a level", "closed, careful, balanced or open", "", edit<set_preset>,
            "sotto device consent preset careful --dir my-device");
  add_named(app, cli, "item", "a rule for one thing", "its id in the data",
            "always, never, ask, or none to remove the rule", edit<set_item>,
            "sotto device consent item 242 never --dir my-device");
  add_named(app, cli, "category", "a rule for a whole category", "its name in the data",
            "always, never, ask, or none to remove the rule", edit<set_category>,
            "sotto device consent category Horror never --dir my-device");
  add_named(app, cli, "context", "a kind of context, such as place or time", "its name", "on or off",
            edit<set_context>, "sotto device consent context place off --dir my-device");
  add_one(app, cli, "pause", "nothing leaves until you resume", edit<pause>,
          "sotto device consent pause --dir my-device");
  add_one(app, cli, "resume", "end the pause", edit<resume>, "sotto device consent resume --dir my-device");
  add_one(app, cli, "withdraw", "take no part any more", edit<withdraw>,
          "sotto device consent withdraw --dir my-device");
}

}  // namespace sotto
