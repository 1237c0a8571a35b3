#include "cli/consent_flags.h"

#include <fmt/format.h>

#include "engine/files/files.h"

namespace sotto {

void add_consent_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  const auto add = [&](const char* name, const char* type, const char* help, auto set) {
    add_edit<std::string>(app, edits, name, help, set)->type_name(type)->group("Consent");
  };
  add("--consent", "FILE",
      "a consent policy that everybody has: share, rules for items and categories (and, for models of --kg, "
      "features and predicates), contexts and history",
      [](TrainRequest& request, const std::string& path) -> Status {
        SOTTO_TRY(request.consent.policy, read_text(path));
        if (request.consent.policy.empty())
          return fail(
              Code::usage,
              fmt::format("{}: the consent policy is empty: write a level or a share into it, such as "
                          "level = \"balanced\", or leave --consent out",
                          path));
        request.consent.policy_name = path;
        return Done{};
      });
  add("--consent-mix", "LIST",
      "levels that people draw from, such as open=0.3,balanced=0.4,careful=0.2,closed=0.1",
      [](TrainRequest& request, const std::string& mix) { request.consent.mix = mix; });
  add("--udcp", "LIST",
      "protocols for contexts that people draw from, such as full=0.5,partial=0.3,none=0.2 (partial:0.3 is "
      "another part than half)",
      [](TrainRequest& request, const std::string& mix) { request.consent.udcp = mix; });
  add("--device", "USER=DIR", "this person's device lies in DIR: its policy holds, its ledger is written",
      [](TrainRequest& request, const std::string& text) { return set_device(request.consent, text); });
}

}  // namespace sotto
