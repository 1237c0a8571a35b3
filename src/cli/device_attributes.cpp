// sotto device set: what a person says of themself, for models that learn in contexts of people.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/device_command.h"
#include "device/asked_attributes.h"
#include "engine/plan/device_folder.h"
#include "engine/terminal/table.h"
#include "privacy/context_consent.h"

namespace sotto::cli {

namespace {

struct AttributeOptions {
  CommonOptions common;
  std::string dir;
  std::vector<std::string> said;
};

// One that is said, asked for, or both.
struct ShownAttribute {
  std::string name;
  std::string value = {};                // empty: nothing is said
  std::vector<std::string> values = {};  // that tasks know; empty: none asks
  double share = 0.0;                    // that enters a model

  [[nodiscard]] bool has_effect() const { return std::ranges::count(values, value) > 0; }
};

Result<std::vector<ShownAttribute>> shown_attributes(Vault& vault, const Attributes& asked) {
  SOTTO_TRY(const Attributes said, vault.attributes());
  SOTTO_TRY(const PersonalPolicy policy, vault.policy());
  std::map<std::string, ShownAttribute> shown;
  for (const auto& [name, value] : asked) shown[name].values.push_back(value);
  for (const auto& [name, value] : said) shown[name].value = value;
  std::vector<ShownAttribute> all;
  for (auto& [name, one] : shown) {
    one.name = name;
    one.share = policy.takes_part() ? context_share(policy, name) : 0.0;
    all.push_back(std::move(one));
  }
  return all;
}

nlohmann::json attributes_json(const std::vector<ShownAttribute>& all) {
  nlohmann::json attributes = nlohmann::json::array();
  for (const ShownAttribute& one : all)
    attributes.push_back({{"name", one.name},
                          {"value", one.value.empty() ? nlohmann::json() : nlohmann::json(one.value)},
                          {"values", one.values},
                          {"has_effect", one.has_effect()},
                          {"choice", choice_word(one.share, "off")},
                          {"share", one.share}});
  return {{"attributes", attributes}};
}

std::string attributes_text(const std::vector<ShownAttribute>& all, const Attributes& asked,
                            const Console& console) {
  if (all.empty()) return "You have said nothing of yourself, and no task on this device asks.\n";
  Table table({{"attribute"}, {"you"}, {"enters"}, {"tasks know"}});
  bool has_idle = false;
  for (const ShownAttribute& one : all) {
    table.row({one.name, one.value, one.value.empty() ? "" : choice_word(one.share, "off"),
               one.values.empty() ? "no task on this device asks" : in_a_row(asked, one.name)});
    has_idle = has_idle || (!one.value.empty() && !one.has_effect());
  }
  return table.text(console) + (has_idle ? "  What no task on this device knows has no effect.\n" : "") +
         "  What enters a model is up to 'sotto device consent context NAME'; nothing of this leaves by "
         "itself.\n  It is the same in all your records, so that partial hides it no better than full: off "
         "does.\n";
}

Status set_attributes(AttributeOptions& options, const Console& console) {
  Attributes said;
  for (const std::string& text : options.said) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail(Code::usage,
                  "what you say of yourself is a name and a value, such as age=25-34; 'age=' "
                  "removes it");
    said.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  SOTTO_TRY(const auto vault, DeviceFolder(options.dir).open());
  if (!said.empty()) SOTTO_TRY_DONE(say_attributes(*vault, said));
  SOTTO_TRY(const Attributes asked, asked_attributes(*vault));
  SOTTO_TRY(const std::vector<ShownAttribute> all, shown_attributes(*vault, asked));
  if (options.common.json)
    print_json(console, attributes_json(all));
  else
    console.print(attributes_text(all, asked, console));
  return Done{};
}

}  // namespace

void add_device_attributes(CLI::App& device, Cli& cli) {
  auto [app, options] = add_device_command(
      device, cli, "set", "say something of yourself, such as age=25-34; with nothing, show what you said",
      set_attributes,
      {"sotto device set age=25-34 occupation=student --dir my-device",
       "sotto device set age= --dir my-device", "sotto device set --dir my-device"});
  app->add_option("ATTRIBUTE", options->said,
                  "a name and a value that your tasks know; 'NAME=' removes what you said")
      ->type_name("NAME=VALUE");
}

}  // namespace sotto::cli
