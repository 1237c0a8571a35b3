// BudgetFile: a privacy budget that outlives the program. A small JSON file, written whole or not at all.
//
// Laws: a charge is on the disk before charge() returns, so whatever is released was paid for; a crash in
// between loses privacy budget, never privacy. A file that was edited into something impossible is refused.
// One program at a time may charge a file.
#pragma once

#include <filesystem>

#include "privacy/dp/budget.h"

namespace sotto::engine {

class BudgetFile {
 public:
  // A new, unspent one. Fails where the file is already there.
  [[nodiscard]] static Result<BudgetFile> create(const std::filesystem::path& path, const PrivacyGoal& goal);
  [[nodiscard]] static Result<BudgetFile> open(const std::filesystem::path& path);

  // Reads the file again, charges and writes it. After a failure nothing may be released.
  [[nodiscard]] Status charge(const BudgetCharge& charge);
  [[nodiscard]] const PrivacyBudget& budget() const { return budget_; }

 private:
  BudgetFile(std::filesystem::path path, PrivacyBudget budget)
      : path_(std::move(path)), budget_(std::move(budget)) {}

  std::filesystem::path path_;
  PrivacyBudget budget_;
};

}  // namespace sotto::engine
