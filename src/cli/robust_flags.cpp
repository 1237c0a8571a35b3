#include "cli/robust_flags.h"

namespace sotto {

void add_robust_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  const auto add = [&]<class Value>(const char* name, const char* type, const char* help,
                                    std::optional<Value> RobustOptions::*member) {
    add_edit<Value>(app, edits, name, help,
                    [member](TrainRequest& request, const Value& value) { request.robust.*member = value; })
        ->type_name(type)
        ->group("Robust sums");
  };
  add("--robust-row-clip", "L", "greatest length of what one device says about one row",
      &RobustOptions::row_clip);
  add("--robust-clip", "L", "greatest length of all that one device says in a round", &RobustOptions::clip);
  add("--min-contributors", "N", "a row that fewer devices speak about in a round is not released",
      &RobustOptions::min_contributors);
  add("--groups", "N", "cut the cohort into so many groups, each summed on its own", &RobustOptions::groups);
  add_edit<std::string>(app, edits, "--across", "how groups become one: mean, median or trimmed:SHARE",
                        [](TrainRequest& request, const std::string& value) -> Status {
                          SOTTO_TRY(request.robust.across, parse_across(value));
                          return Done{};
                        })
      ->type_name("RULE")
      ->group("Robust sums");
}

}  // namespace sotto
