#include "engine/plan/plan_owner.h"

#include <fmt/core.h>

#include "engine/files/files.h"
#include "storage/toml.h"

namespace sotto {

namespace {

bool is_other(PlanOwner found, PlanOwner wanted) { return found != PlanOwner::unknown && found != wanted; }

}  // namespace

PlanOwner plan_owner(const std::string& text) {
  const auto table = parse_toml(text, "");
  if (!table.ok()) return PlanOwner::unknown;
  const auto has = [&](const char* name, bool section) {
    const toml::node* node = table->get(name);
    return node != nullptr && node->is_table() == section;
  };
  for (const char* name : {"data", "model", "federation"})
    if (has(name, true)) return PlanOwner::train;
  return has("data", false) || has("generate", false) ? PlanOwner::fedavg : PlanOwner::unknown;
}

Status check_owner(const std::string& text, const std::string& name, PlanOwner wanted) {
  const PlanOwner found = plan_owner(text);
  if (!is_other(found, wanted)) return Done{};
  const char* command = found == PlanOwner::train ? "train" : "fedavg";
  return fail(Code::usage, fmt::format("{}: this is a plan of 'sotto {}': take it with 'sotto {} --plan'",
                                       name, command, command));
}

Status check_run_owner(const std::filesystem::path& folder, PlanOwner wanted) {
  const std::filesystem::path plan = folder / "plan.toml";
  SOTTO_TRY(const bool there, is_there(plan));
  if (!there) return Done{};
  SOTTO_TRY(const std::string text, read_text(plan));
  const PlanOwner found = plan_owner(text);
  if (!is_other(found, wanted)) return Done{};
  const std::string name = folder.string();
  return fail(Code::usage,
              found == PlanOwner::train
                  ? fmt::format("{}: this is a run of 'sotto train': look at it with 'sotto show {}', go on "
                                "with 'sotto train --resume --out {}'",
                                name, name, name)
                  : fmt::format("{}: this is a run of 'sotto fedavg': look at it, or go on with it, by "
                                "'sotto fedavg --resume --out {}'",
                                name, name));
}

}  // namespace sotto
