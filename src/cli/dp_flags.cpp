#include "cli/dp_flags.h"

namespace sotto {

void add_dp_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  const auto add = [&]<class Value>(const char* name, const char* type, const char* help, Value,
                                    auto member) {
    add_edit<Value>(app, edits, name, help,
                    [member](TrainRequest& request, const Value& value) { request.dp.*member = value; })
        ->type_name(type)
        ->group("Differential privacy");
  };
  add("--dp", "PLACE", "where noise joins the sum: central, distributed (with --sum secure) or local",
      std::string(), &DpRequest::place);
  add("--dp-kind", "KIND",
      "gaussian, or laplace (central and local): lengths are then sums of absolute values, and a release has "
      "an epsilon without delta; default gaussian",
      std::string(), &DpRequest::kind);
  add("--dp-epsilon", "E", "what may be spent in all; the noise follows from it", 0.0, &DpRequest::epsilon);
  add("--dp-noise", "S",
      "noise as a multiple of the clip (its deviation, of Laplace noise its scale); with --dp-epsilon the "
      "run "
      "halts when that is spent",
      0.0, &DpRequest::noise);
  add("--dp-delta", "D", "chance that the bound does not hold; default 1e-6", 0.0, &DpRequest::delta);
  add("--dp-clip", "C", "most length of one person's contribution; default 1", 0.0, &DpRequest::clip);
  add("--dp-row-clip", "C", "most length of one row of it; default none", 0.0, &DpRequest::row_clip);
  add("--dp-survivors", "SHARE", "devices of a round that stay at least (distributed); default 1", 0.0,
      &DpRequest::survivors);
  add("--dp-items", "N", "popular items that pairs are released of (fedease); default 400", std::uint32_t{},
      &DpRequest::items);
  add("--dp-popularity", "SHARE", "of the budget, to find those (fedease); default 0.03", 0.0,
      &DpRequest::popularity_share);
  add("--dp-half-life", "N", "half-life in items of what somebody adds to the pairs (fedease); default 50",
      0.0f, &DpRequest::half_life);
  using List = std::vector<float>;
  add_edit<List>(
      app, edits, "--dp-lambdas",
      "candidates for lambda: people's devices judge them on their validation parts, one is chosen "
      "privately, and that is paid for (fedease, central)",
      [](TrainRequest& request, const List& value) { request.dp.lambdas = value; })
      ->delimiter(',')
      ->type_name("LIST")
      ->group("Differential privacy");
  add("--dp-choice-epsilon", "E", "what that choice costs, out of --dp-epsilon; default a tenth of it", 0.0,
      &DpRequest::choice_epsilon);
  add("--dp-budget", "FILE",
      "a budget that is charged before each release ('sotto privacy budget'); --resume keeps it",
      std::string(), &DpRequest::budget);
}

}  // namespace sotto
