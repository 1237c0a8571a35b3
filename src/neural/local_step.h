// A device's copy of a network between the flat vector and back, and a gradient step of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/averaging/local_task.h"
#include "neural/network.h"

namespace sotto::neural {

// Which matrices of a network the flat vector holds, in its order.
class SharedMatrices {
 public:
  SharedMatrices(const std::vector<MatrixShape>& network, std::vector<std::size_t> shared);

  [[nodiscard]] const std::vector<std::size_t>& ends() const { return ends_; }
  void read(std::span<const float> flat, Network& network) const;
  void write(const Network& network, std::span<float> flat) const;
  // Θ −= rate · (gradient + μ · (Θ − received)).
  void step(Network& network, const LocalTraining& how, std::span<const float> received) const;

 private:
  [[nodiscard]] std::size_t begin(std::size_t n) const { return n == 0 ? 0 : ends_[n - 1]; }

  std::vector<std::size_t> shared_, ends_;
};

// The report of a training that looked at so many examples; it is not finite where a number is not.
[[nodiscard]] LocalReport report_of(std::uint64_t examples, double loss, std::span<const float> model,
                                    std::span<const float> own);
// What torch complained of, for a person.
[[nodiscard]] Error torch_error(const char* doing, const std::string& what);

}  // namespace sotto::neural
