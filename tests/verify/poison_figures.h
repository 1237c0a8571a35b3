// The poisoning study on one dataset as figures of `./dev verify`: its worst cases.
#pragma once

#include <map>
#include <string>

#include "lab/poison/poison_page.h"

namespace sotto::tests {

// "attacked ER": the least that an attack reaches without a defence; "defended ER" and "HR loss": the most
// that any attack reaches, and costs, behind it.
inline Result<std::map<std::string, double>> poison_figures(const TrainRequest& train, const Split& split,
                                                            Executor& executor) {
  PoisonRequest request;
  request.train = train;
  SOTTO_TRY(const PoisonOutcome outcome, run_poison_study(request, split, executor, {}));
  std::map<std::string, double> figures{{"attacked ER", 1.0}, {"defended ER", 0.0}, {"HR loss", -1.0}};
  for (const AttackOutcome& attack : outcome.attacks) {
    figures["attacked ER"] = std::min(figures["attacked ER"], attack.attacked.exposure);
    figures["defended ER"] = std::max(figures["defended ER"], attack.defended.exposure);
    figures["HR loss"] = std::max(figures["HR loss"], hit_rate_loss(outcome, attack.defended));
  }
  return figures;
}

}  // namespace sotto::tests
