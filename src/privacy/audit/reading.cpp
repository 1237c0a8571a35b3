#include "privacy/audit/reading.h"

namespace sotto::privacy {

Reading::Reading(const TranscriptHead& head, const RowMatrix& shared, const SeenMessage& message)
    : factors_(head.factors()),
      members_(message.members.size()),
      items_(message.rows),
      biases_(message.rows.size()),
      pulls_(message.rows.size() * head.factors()) {
  const double people = static_cast<double>(members_ > 1 ? members_ : 1);
  const double unit = head.unit() / people;
  // A rounded number is off by a twelfth of a unit squared; floats on the device add about as much.
  sd_ = std::sqrt(unit * unit / 6.0 + std::pow(double{head.noise_sd} / people, 2));
  for (std::size_t n = 0; n < items_.size(); ++n) {
    const std::int64_t* values = message.values.data() + n * head.width;
    const double bias = static_cast<double>(values[factors_]) * unit;
    const double reg = double{bias > 0.0 ? head.positive_reg : head.negative_reg} / people;
    const float* row = shared.row(items_[n]);
    for (std::size_t k = 0; k < factors_; ++k)
      pulls_[n * factors_ + k] = static_cast<double>(values[k]) * unit + reg * double{row[k]};
    biases_[n] = bias;
    weight_ += bias * bias;
  }
}

std::vector<double> Reading::taste() const {
  std::vector<double> taste(factors_, 0.0);
  if (weight_ <= 0.0) return taste;
  for (std::size_t n = 0; n < size(); ++n)
    for (std::size_t k = 0; k < factors_; ++k) taste[k] += biases_[n] * pulls_[n * factors_ + k] / weight_;
  return taste;
}

}  // namespace sotto::privacy
