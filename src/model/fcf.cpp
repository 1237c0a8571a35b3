#include "model/fcf.h"

#include <algorithm>
#include <cmath>

namespace sotto::model {

Status check(const FcfOptions& options) {
  SOTTO_TRY_DONE(check(options.als));
  return check(options.server);
}

float usual_fcf_rate(ServerStep step) { return step == ServerStep::adam ? ServerStepOptions{}.rate : 1e-4f; }

bool Fcf::Device::set_scores(const HistoryVisit& visit) {
  const RowMatrix& items = visit.received->rows();
  SOTTO_ASSERT(items.rows() == scores_.size(), "the received rows are the catalogue's");
  std::copy_n(visit.own, vector_.width() - 1, vector_.row(0));  // without the 1 at its end
  float largest = 0.0f;
  for (const float value : vector_.values(0)) largest = std::max(largest, std::abs(value));
  // A little less than fits, so that no product is rounded up beyond it.
  most_factor_ = static_cast<float>(step_limit) * (1.0f - 0x1p-22f) / largest;
  kernels::dot_many(vector_.row(0), items.row(0), items.rows(), items.stride(), scores_.data());
  return std::all_of(scores_.begin(), scores_.end(), [](float score) { return std::isfinite(score); });
}

Fcf::Server::Server(const Fcf& model, std::uint32_t round, FixedPoint fixed, RowMatrix& shared,
                    RowMatrix& memory)
    : als_(model.options_.als),
      unit_(static_cast<float>(1.0 / (static_cast<double>(fixed.scale()) * model.share_))),
      shared_(shared),
      slope_(als_.factors),
      steps_(model.options_.server, round, shared, memory) {}

template <class Integer>
void Fcf::Server::take(std::uint32_t item, const Integer* sum) {
  const float* q = shared_.row(item);
  for (std::size_t k = 0; k < slope_.size(); ++k)
    slope_[k] = static_cast<float>(sum[k]) * unit_ + 2.0f * als_.lambda * q[k];
  steps_.move(item, slope_.data(), slope_.size());
}

template void Fcf::Server::take(std::uint32_t, const std::int32_t*);
template void Fcf::Server::take(std::uint32_t, const std::int64_t*);

}  // namespace sotto::model
