// A study as TOML:
//
//   name = "consent"
//   seeds = [1, 2, 3]
//
//   [[dataset]]                     # the keys of a plan's [data] and [split]
//   name = "world"
//   paths = ["world"]
//   min_user = 20
//   rule = "temporal:0.8"
//
//   [[model]]                       # parts of a plan, and what is varied
//   label = "sFPL+"
//   federation.variant = "sfpl+"
//   model.epochs = 20
//   grid = { "consent.pi" = [0.1, 0.5, 1.0], "model.lr" = { min = 0.01, max = 0.5, log = true } }
//
//   [search]                        # optional: method, metric, trials, seed, validation_share, eta, …
//   method = "bayes"
//   metric = "P@10"
//
// Any other section of a plan ([early_stopping], [evaluation], [federation], …) holds for all models.
#pragma once

#include <string>

#include "base/result.h"
#include "lab/study/study.h"

namespace sotto::lab {

// An unknown key, a wrong type or an impossible value names the line. The study has passed check().
[[nodiscard]] Result<Study> study_from_toml(const std::string& text, const std::string& name);

}  // namespace sotto::lab
