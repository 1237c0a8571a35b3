#include "cli/protocol_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "privacy/context_consent.h"

namespace sotto::cli {

namespace {

std::string history_words(double share) {
  if (share >= 1.0) return "all of it";
  if (share <= 0.0) return "nothing of it";
  return fmt::format("its newest {:.4g}%", share * 100.0);
}

std::string context_words(double share) {
  if (share >= 1.0) return "full";
  if (share <= 0.0) return "off";
  return fmt::format("partial, with {:.4g}% of your records; which ones is drawn once and kept",
                     share * 100.0);
}

nlohmann::json choice_json(double share, const char* nothing) {
  const char* word = share >= 1.0 ? "full" : share <= 0.0 ? nothing : "partial";
  return {{"choice", word}, {"share", share}};
}

}  // namespace

std::string protocol_text(const PersonalPolicy& policy) {
  std::string text = "What enters the model on this device:\n";
  text += fmt::format("  your history: {}\n", history_words(policy.history));
  for (const auto& [name, choice] : policy.contexts)
    if (name != other_contexts) text += fmt::format("  {}: {}\n", name, context_words(choice.share));
  text += fmt::format(
      "  {}: {}\n",
      policy.contexts.empty() ? "contexts (daypart, interval …), as your level says" : "all other contexts",
      context_words(context_share(policy, other_contexts)));
  return text + "  Contexts are for models that use them; the others do not.\n";
}

nlohmann::json protocol_json(const PersonalPolicy& policy) {
  nlohmann::json contexts = nlohmann::json::object();
  for (const auto& [name, choice] : policy.contexts)
    if (name != other_contexts) contexts[name] = choice_json(choice.share, "off");
  return {{"history", choice_json(policy.history, "none")},
          {"contexts", contexts},
          {"others", choice_json(context_share(policy, other_contexts), "off")}};
}

nlohmann::json contexts_in_use(const PersonalPolicy& policy) {
  nlohmann::json used = nlohmann::json::object();
  for (const auto& [name, choice] : policy.contexts)
    if (name != other_contexts) used[name] = choice.share > 0.0;
  return used;
}

}  // namespace sotto::cli
