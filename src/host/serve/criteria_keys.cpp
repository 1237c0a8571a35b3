#include "host/serve/criteria_keys.h"

#include <fmt/core.h>

#include <algorithm>

#include "fed/criteria/weighing.h"

namespace sotto::host {

Status read_criteria_keys(TomlTable& table, v1::TaskSpec& spec, std::uint32_t crowd) {
  std::string order, score, quality, trust;
  std::vector<double> weights;
  std::uint32_t size_bound = 0;
  bool chooses = false;
  table.text("criteria", order);
  table.text("score", score);
  table.reals("score_weights", weights);
  table.whole("size_bound", size_bound);
  table.text("quality_category", quality);
  table.text("trust", trust);
  table.flag("choose_order", chooses);
  if (chooses)
    return fail(Code::usage, fmt::format("{}: orders are tried on the same updates again, and over a network "
                                         "these are gone once they are added: leave choose_order out",
                                         table.where("choose_order")));
  if (!trust.empty())
    return fail(Code::usage, fmt::format("{}: a device would speak for itself, and is not believed that it "
                                         "can be trusted: leave trust out",
                                         table.where("trust")));
  if (order.empty()) {
    if (score.empty() && quality.empty() && weights.empty() && size_bound == 0) return Done{};
    return fail(Code::usage, fmt::format("{}: no criteria are named: give them, such as \"size>diversity\"",
                                         table.where("criteria")));
  }
  v1::Criteria& asked = *spec.mutable_criteria();
  asked.set_order(order);
  asked.set_score(score);
  for (const double weight : weights) asked.add_weights(weight);
  asked.set_least_tellers(std::max(CriteriaOptions{}.least_tellers, crowd));
  asked.set_size_bound(size_bound);
  asked.set_quality(quality);
  return Done{};
}

}  // namespace sotto::host
