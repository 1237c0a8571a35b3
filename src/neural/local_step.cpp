#include "neural/local_step.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/averaging/flat_matrices.h"

namespace sotto::neural {

SharedMatrices::SharedMatrices(const std::vector<MatrixShape>& network, std::vector<std::size_t> shared)
    : shared_(std::move(shared)) {
  std::vector<MatrixShape> shapes;
  for (const std::size_t n : shared_) shapes.push_back(network[n]);
  ends_ = flat_ends(shapes);
}

void SharedMatrices::read(std::span<const float> flat, Network& network) const {
  for (std::size_t n = 0; n < shared_.size(); ++n)
    unflatten(flat.subspan(begin(n), ends_[n] - begin(n)), network.value(shared_[n]));
}

void SharedMatrices::write(const Network& network, std::span<float> flat) const {
  for (std::size_t n = 0; n < shared_.size(); ++n)
    flatten(network.value(shared_[n]), flat.subspan(begin(n), ends_[n] - begin(n)));
}

void SharedMatrices::step(Network& network, const LocalTraining& how, std::span<const float> received) const {
  const float rate = how.rate, mu = how.proximal;
  for (std::size_t n = 0; n < shared_.size(); ++n) {
    const float* from = received.data() + begin(n);
    for (std::size_t row = 0; row < network.value(shared_[n]).rows(); ++row) {
      const std::span<float> value = network.value(shared_[n]).values(row);
      const float* slope = network.gradient(shared_[n]).row(row);
      for (std::size_t k = 0; k < value.size(); ++k)
        value[k] -= rate * (slope[k] + mu * (value[k] - from[k]));
      from += value.size();
    }
  }
}

LocalReport report_of(std::uint64_t examples, double loss, std::span<const float> model,
                      std::span<const float> own) {
  const auto is_finite = [](float value) { return std::isfinite(value); };
  LocalReport report{.examples = examples};
  report.finite = std::abs(loss) < 0x1.0p42 && std::ranges::all_of(model, is_finite) &&
                  std::ranges::all_of(own, is_finite);
  if (report.finite) report.loss_units = std::llround(loss * 0x1.0p20);
  return report;
}

Error torch_error(const char* doing, const std::string& what) {
  return fail(Code::io,
              std::string(doing) + ": libtorch could not go on: " + what.substr(0, what.find('\n')));
}

}  // namespace sotto::neural
