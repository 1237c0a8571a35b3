#include "base/eigen.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>

// LAPACK's own name; Debian has its header in another package.
extern "C" void dsyevd_(const char* job, const char* triangle, const int* size, double* values,
                        const int* stride, double* eigenvalues, double* room, const int* room_size,
                        int* whole_room, const int* whole_size, int* info, std::size_t job_length,
                        std::size_t triangle_length);

namespace sotto::base {

Result<EigenSystem> eigen_of(SymmetricMatrix matrix) {
  openblas_set_num_threads(1);
  const int n = static_cast<int>(matrix.size());
  EigenSystem eigen{std::vector<double>(matrix.size()), std::move(matrix)};
  if (n == 0) return eigen;
  for (std::size_t row = 0; row < eigen.vectors.size(); ++row)
    for (const double value : eigen.vectors.row(row).first(row + 1))
      if (!std::isfinite(value))
        return fail(Code::bad_input, "a matrix with values that are not finite has no eigenvectors");
  double* values = eigen.vectors.row(0).data();
  double best_room = 0.0;
  int best_whole = 0, info = 0;
  const int ask = -1;
  // LAPACK counts by columns: its upper triangle is our lower one, and its columns are our rows.
  dsyevd_("V", "U", &n, values, &n, eigen.values.data(), &best_room, &ask, &best_whole, &ask, &info, 1, 1);
  const int room_size = static_cast<int>(best_room);
  std::vector<double> room(static_cast<std::size_t>(room_size));
  std::vector<int> whole(static_cast<std::size_t>(best_whole));
  dsyevd_("V", "U", &n, values, &n, eigen.values.data(), room.data(), &room_size, whole.data(), &best_whole,
          &info, 1, 1);
  if (info != 0) return fail(Code::bad_input, "the eigenvectors of a matrix were not found");
  return eigen;
}

SymmetricMatrix recompose(const EigenSystem& eigen) {
  const std::size_t size = eigen.values.size();
  std::vector<double> kept, scaled;
  for (std::size_t n = 0; n < size; ++n) {
    if (eigen.values[n] == 0.0) continue;
    const auto vector = eigen.vectors.row(n);
    kept.insert(kept.end(), vector.begin(), vector.end());
    std::ranges::transform(vector, std::back_inserter(scaled), [&](double v) { return v * eigen.values[n]; });
  }
  SymmetricMatrix out(size);
  if (kept.empty()) return out;
  openblas_set_num_threads(1);
  const auto width = static_cast<blasint>(size);
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, width, width, static_cast<blasint>(kept.size() / size),
              1.0, scaled.data(), width, kept.data(), width, 0.0, out.row(0).data(), width);
  return out;
}

}  // namespace sotto::base
