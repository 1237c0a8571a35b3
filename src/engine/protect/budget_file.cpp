#include "engine/protect/budget_file.h"

#include <fmt/core.h>

#include "engine/files/files.h"
#include "server/budget_text.h"

namespace sotto::engine {

Result<BudgetFile> BudgetFile::create(const std::filesystem::path& path, const PrivacyGoal& goal) {
  SOTTO_TRY_DONE(check(goal));
  SOTTO_TRY(const bool taken, is_there(path));
  if (taken)
    return fail(Code::usage,
                fmt::format("{} exists: a budget is never started again by accident", path.string()));
  BudgetFile file(path, PrivacyBudget(goal));
  SOTTO_TRY_DONE(write_file(path, budget_text(file.budget_)));
  return file;
}

Result<BudgetFile> BudgetFile::open(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path))
    return fail(Code::bad_input,
                fmt::format("{}: there is no such budget; make one with 'sotto privacy budget {} "
                            "--epsilon E --delta D'",
                            path.string(), path.string()));
  SOTTO_TRY(const std::string text, read_text(path));
  SOTTO_TRY(PrivacyBudget budget, read_budget(text, path.string()));
  return BudgetFile(path, std::move(budget));
}

Status BudgetFile::charge(const BudgetCharge& charge) {
  SOTTO_TRY(BudgetFile now, open(path_));
  SOTTO_TRY_DONE(now.budget_.charge(charge));
  SOTTO_TRY_DONE(write_file(path_, budget_text(now.budget_)));
  budget_ = std::move(now.budget_);
  return Done{};
}

}  // namespace sotto::engine
