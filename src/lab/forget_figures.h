// What a forgetting that was checked leaves, beside a model that never knew the person: what an attacker
// finds of their history, and what the others lost.
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
#include "lab/forget.h"

namespace sotto {

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

// One figure of the others' lists.
struct OthersFigure {
  std::string metric;
  double after = 0.0;
  double retrain = 0.0;
  [[nodiscard]] double gap() const { return after - retrain; }
};

// P@10 and nDCG@10 on the test part, of a forgetting that was checked.
[[nodiscard]] Result<std::vector<OthersFigure>> others_figures(const Forgotten& forgotten,
                                                               Executor& executor);

}  // namespace sotto
