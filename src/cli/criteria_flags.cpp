#include "cli/criteria_flags.h"

#include <fmt/core.h>

#include <string>

#include "fed/criteria/criterion.h"

namespace sotto {

void add_criteria_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  const auto text = [&](const char* name, const char* type, const std::string& help,
                        std::string CriteriaRequest::*member) {
    add_edit<std::string>(
        app, edits, name, help,
        [member](TrainRequest& request, const std::string& value) { request.criteria.*member = value; })
        ->type_name(type)
        ->group("Criteria");
  };
  std::string names;
  for (const Criterion criterion : all_criteria())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", criterion->name);
  add_edit<std::string>(
      app, edits, "--criteria",
      fmt::format("by what devices count more or less, first things first: \"size>novelty\"; of {}", names),
      [](TrainRequest& request, const std::string& value) -> Status {
        if (value.empty()) return fail(Code::usage, "--criteria names no criterion: leave it out for none");
        request.criteria.order = value;
        return Done{};
      })
      ->type_name("ORDER")
      ->group("Criteria");
  text("--score", "KIND", "how criteria become one number: prioritized, mean, owa or choquet",
       &CriteriaRequest::score);
  add_edit<std::vector<double>>(
      app, edits, "--score-weights", "of mean and owa: one a criterion; of choquet: one a set of them",
      [](TrainRequest& request, const std::vector<double>& value) { request.criteria.weights = value; })
      ->type_name("LIST")
      ->delimiter(',')
      ->group("Criteria");
  add_edit<std::uint32_t>(
      app, edits, "--size-bound",
      "records from which on a device counts fully by size; default: the longest history told",
      [](TrainRequest& request, const std::uint32_t& value) { request.criteria.size_bound = value; })
      ->type_name("N")
      ->group("Criteria");
  text("--trust", "FILE", "trust in devices: lines of user, tab and a number from 0 to 1",
       &CriteriaRequest::trust);
  text("--quality-category", "NAME", "quality is the share of a history in this category",
       &CriteriaRequest::quality);
}

}  // namespace sotto
