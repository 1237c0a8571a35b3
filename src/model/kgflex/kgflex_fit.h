// The two halves of KGFlex at work in a round. The second half of model/kgflex/kgflex.h, which includes it.
#pragma once

#include "model/kgflex/kgflex.h"

namespace sotto::model {

class Kgflex::Device {
 public:
  explicit Device(const Kgflex& model)
      : model_(model),
        sampler_(model.devices().histories(), model.devices().consumed(), model.devices().catalogue(),
                 model.options().seed, model.devices().first()),
        work_(model.options(), model.devices().features()),
        stride_(RowMatrix::stride_for(model.shared_width())),
        row_(stride_) {}

  template <class Sink>
  [[nodiscard]] AnswerReport contribute(const DeviceVisit<RowMatrix>& visit, Sink& sink) {
    const FeatureProfile profile = model_.devices().profiles().of(visit.user);
    AnswerReport report;
    if (profile.features.empty()) return report;
    const bool batch = model_.options().local == LocalSteps::batch;
    work_.begin(profile, *visit.received, visit.own);
    const std::uint32_t pairs =
        model_.options().pairs.value_or(static_cast<std::uint32_t>(visit.history.size()));
    for (std::uint32_t t = 0; t < pairs; ++t) {
      const Pair pair = sampler_.draw(visit.round, visit.user, t);
      const bool send_positive = sink.leave(Evidence::positive, pair.positive.value);
      const bool send_negative = sink.leave(Evidence::negative, pair.negative.value);
      report.steps += work_.gather(pair, send_positive, send_negative) ? 1 : 0;
      if (!batch) work_.move(nullptr);
    }
    if (batch) work_.move(nullptr);
    report.loss_units = loss_units_of(work_.loss());
    report.finite = work_.finite();
    for (std::size_t n = 0; report.finite && n < profile.features.size(); ++n)
      if (const float* update = work_.to_send(n); update != nullptr)
        report.finite = send(profile.features[n].value, update, sink);
    return report;
  }

 private:
  template <class Sink>
  [[nodiscard]] bool send(std::uint32_t row, const float* update, Sink& sink) {
    for (std::size_t k = 0; k < stride_; ++k) {
      if (!(update[k] > -1e30f && update[k] < 1e30f)) return false;
      row_.data()[k] = quantise<fixed_limit>(update[k] * sink.scale());
    }
    if (kernels::add_row(sink.open_row(row), row_.data(), stride_)) sink.relieve(row);
    return true;
  }

  const Kgflex& model_;
  PairSampler sampler_;
  KgflexWork work_;
  std::size_t stride_;
  AlignedBuffer<std::int32_t> row_;
};

class Kgflex::Server {
 public:
  Server(const Kgflex& model, std::uint32_t round, FixedPoint fixed, RowMatrix& shared, RowMatrix& memory)
      : unit_(1.0f / fixed.scale()),
        slope_(shared.stride(), 0.0f),
        steps_(model.options().server, round, shared, memory) {}

  template <class Integer>
  void take(std::uint32_t row, const Integer* sum) {
    for (std::size_t k = 0; k < slope_.size(); ++k) slope_[k] = -static_cast<float>(sum[k]) * unit_;
    steps_.move(row, slope_.data(), slope_.size());
  }
  [[nodiscard]] bool solved() const { return steps_.finite(); }

 private:
  float unit_;
  std::vector<float> slope_;
  RoundSteps steps_;
};

}  // namespace sotto::model
