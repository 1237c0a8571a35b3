// What can be said of a classifier's sizes before there are examples; check() of classifier_options.h asks
// it, too.
#pragma once

#include "model/averaging/classifier_options.h"

namespace sotto {

[[nodiscard]] Status check_sizes(const ClassifierOptions& options);

}  // namespace sotto
