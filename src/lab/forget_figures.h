// What a forgetting that was checked leaves: what an attacker finds of the person's history, beside a model
// that never knew them, and what the others lost.
//
// A5 of the audit ranks items by b_i + p̂·q_i with the vector p̂ that somebody's messages give away. Nobody can
// be made to unread them, so p̂ is the person's last one in all three models: it is the models that differ.
// A7 (canaries) is of noise, and a run with noise is not forgotten from; for two models with the same hash
// every attacker's figure is the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "engine/train/forget.h"

namespace sotto::lab {

// AUC of the person's training history, of A5 on each model, and by how popular items are with the others
// (A0).
struct LeftOfPerson {
  double before = 0.0;  // the run's model
  double after = 0.0;   // when they were forgotten
  double retrain = 0.0;
  double popularity = 0.0;
};

// `before` is what the run had trained, `split` the run's; the forgetting was checked. None where A5 has no
// meaning: models without a vector for each person (all but fpl, fcf and fedals), people who sent nothing, or
// whose history is no item or all of them.
[[nodiscard]] Result<std::optional<LeftOfPerson>> left_of_person(const ForgetRequest& asked,
                                                                 const Split& split, const Parameters& before,
                                                                 const Forgotten& forgotten);

// One figure of the others' lists: by the run's model, and when the person was forgotten.
struct OthersFigure {
  std::string metric;
  double before = 0.0;
  double after = 0.0;
  [[nodiscard]] double change() const { return after - before; }
};

// P@10 and nDCG@10 on the test part; `before` is the run's model. A retrain has no figures of its own: with
// the same hash it is the same model.
[[nodiscard]] Result<std::vector<OthersFigure>> others_figures(const Recommender& before,
                                                               const Forgotten& forgotten,
                                                               Executor& executor);

}  // namespace sotto::lab
