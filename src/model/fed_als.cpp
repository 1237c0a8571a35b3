#include "model/fed_als.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace sotto::model {

namespace {

constexpr std::uint32_t most_factors = 256;

// The upper triangle of a released sum into rows; returns its last number, how many devices are in it.
template <class Integer>
double unpack(const Integer* sum, double unit, std::size_t factors, RowMatrix& rows) {
  for (std::size_t i = 0; i < factors; ++i)
    for (std::size_t j = i; j <= factors; ++j)
      rows.row(i)[j] = static_cast<float>(static_cast<double>(*sum++) * unit);
  return static_cast<double>(*sum) * unit;
}

}  // namespace

Status check_fed_als(const AlsOptions& options) {
  SOTTO_TRY_DONE(check(options));
  if (options.factors > most_factors)
    return fail(Code::usage,
                fmt::format("factors is {}, but federated ALS sends squares of them and takes at "
                            "most {}: take fewer factors",
                            options.factors, most_factors));
  return Done{};
}

bool FedAls::Device::set_statistic(const float* own, float scale) {
  std::int32_t* out = statistic_.data();
  float most = 0.0f;
  for (std::size_t i = 0; i <= factors_; ++i)
    for (std::size_t j = i; j <= factors_; ++j) {
      const float scaled = own[i] * own[j] * scale;
      most = std::max(most, std::abs(scaled));
      *out++ = quantise(scaled);
    }
  std::fill(out, statistic_.data() + statistic_.size(), 0);
  // A number that was held back by the range would make the sum another model's.
  return most < static_cast<float>(step_limit);
}

FedAls::Server::Server(const FedAls& model, std::uint32_t /*round*/, FixedPoint fixed, RowMatrix& shared,
                       RowMatrix& /*memory*/)
    : solver_(model.options_),
      unit_(1.0 / static_cast<double>(fixed.scale())),
      shared_(shared),
      gram_(model.options_.factors, model.shared_width()) {
  std::fill_n(shared_.row(0), shared_.rows() * shared_.stride(), 0.0f);
}

template <class Integer>
void FedAls::Server::take_all(const Integer* sum) {
  // Noise can count fewer than nobody.
  const long long counted = std::llround(unpack(sum, unit_, gram_.rows(), gram_));
  devices_ = static_cast<std::size_t>(std::max(counted, 0LL));
  everybody_ = true;
}

template <class Integer>
void FedAls::Server::take_item(std::uint32_t item, const Integer* sum) {
  // What is summed over everybody comes first, unless somebody left it out.
  if (devices_ == 0) return void(solved_ = false);
  const double own = unpack(sum, unit_, gram_.rows(), solver_.clear_sums());
  solved_ &= solver_.solve_sums(gram_, own, devices_, shared_.row(item)).solved;
}

template void FedAls::Server::take_all(const std::int32_t*);
template void FedAls::Server::take_all(const std::int64_t*);
template void FedAls::Server::take_item(std::uint32_t, const std::int32_t*);
template void FedAls::Server::take_item(std::uint32_t, const std::int64_t*);

}  // namespace sotto::model
