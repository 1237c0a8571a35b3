#include "model/central/noisy_gram.h"

#include <cmath>

#include "base/eigen.h"

namespace sotto::model {

Result<CleanGram> clean_gram(SymmetricMatrix noisy, double noise) {
  const double edge = 2.0 * noise * std::sqrt(static_cast<double>(noisy.size()));
  SOTTO_TRY(EigenSystem eigen, eigen_of(std::move(noisy)));
  CleanGram clean{SymmetricMatrix(0)};
  for (double& value : eigen.values) {
    value = value > edge ? std::sqrt((value - edge) * (value + edge)) : 0.0;
    clean.kept_values += value > 0.0 ? 1 : 0;
  }
  clean.gram = recompose(eigen);
  return clean;
}

}  // namespace sotto::model
