// NamedNumbers: a model that is made in one go and names the numbers its scores follow from: the model's hash
// covers them.
//
// Laws: the same numbers give the same bytes, for any number of threads. Where plain arithmetic makes them,
// the bytes are theirs, the same on every machine. Where a BLAS decides their last bits (base/dense.h), they
// are the exact statistics that the BLAS was given and, rounded, what one made-up person would score: a sum
// over all weights of an item, each times its row's trial_weight(), to a multiple of 2^-10 to 2^-9 of the
// largest such sum. A change of that size shows; two machines whose sums differ by e of the largest name a
// model differently with a chance of about 2^10 · e per item (measured: docs/adr/0008-dense-algebra.md).
#pragma once

#include <cstddef>
#include <span>

#include "base/hash.h"

namespace sotto::model {

class NamedNumbers {
 public:
  NamedNumbers() = default;
  NamedNumbers(const NamedNumbers&) = delete;
  NamedNumbers& operator=(const NamedNumbers&) = delete;
  virtual ~NamedNumbers() = default;

  virtual void add_numbers(Hasher& hasher) const = 0;
};

// From -1 to 1, another one for each row: so that rows that change places show, and errors do not add up.
[[nodiscard]] double trial_weight(std::size_t row);
void add_rounded(std::span<const double> values, Hasher& hasher);

}  // namespace sotto::model
