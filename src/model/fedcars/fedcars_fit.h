// The device's half of Fed-CARS at work in a round. A part of model/fedcars/fedcars.h, which includes it.
#pragma once

#include "base/aligned_buffer.h"
#include "base/kernels.h"
#include "base/rng.h"
#include "model/fedcars/fedcars.h"
#include "model/fedcars/fedcars_work.h"
#include "model/fedcars/unchosen_draws.h"

namespace sotto::model {

class Fedcars::Device {
 public:
  explicit Device(const Fedcars& model)
      : model_(model),
        work_(model.options(), model.layout()),
        row_(RowMatrix::stride_for(model.sum_width())) {}

  template <class Sink>
  [[nodiscard]] AnswerReport contribute(const DeviceVisit<RowMatrix>& visit, Sink& sink) {
    may_leave_.clear();
    for (std::uint32_t k = 0; k < model_.devices().records(visit.user); ++k)
      if (sink.leave(Evidence::positive, model_.devices().record(visit.user, k).item.value))
        may_leave_.push_back(k);
    AnswerReport report;
    if (may_leave_.empty()) return report;
    if (model_.counts_in(*visit.received)) return count(visit, sink);
    draw_episode(visit);
    const auto chosen = [&](ItemIndex item) { return sink.leave(Evidence::negative, item.value); };
    if (model_.options().chooses) add_choices(visit, chosen);
    const std::optional<float> loss = work_.learn(FedcarsHead::rating);
    if (model_.options().chooses) (void)work_.learn(FedcarsHead::choice);
    if (!loss) return report;
    report.loss_units = loss_units_of(static_cast<double>(*loss) * static_cast<double>(queries_));
    report.steps = queries_;
    const float weight = static_cast<float>(may_leave_.size()) / tally_unit;
    for (std::size_t n = 0; report.finite && n < work_.rows().size(); ++n)
      report.finite = send_slope(n, weight, sink);
    clear_row();
    put(0, weight, sink);
    add_row(model_.layout().tally_row(), sink);
    return report;
  }

 private:
  // The items of the records that may leave, ascending.
  [[nodiscard]] std::span<const std::uint32_t> chosen_items(UserIndex user);
  // Which records are support and which query, and the examples of ratings.
  void draw_episode(const DeviceVisit<RowMatrix>& visit);
  // The examples of choices: each record, and items drawn beside it that `may_leave` too.
  template <class MayLeave>
  void add_choices(const DeviceVisit<RowMatrix>& visit, const MayLeave& may_leave) {
    const FedcarsDevices& devices = model_.devices();
    const Stream stream(model_.options().seed, Purpose::draw_choices, visit.round, visit.user.value);
    UnchosenDraws draws(stream, chosen_items(visit.user), model_.layout().items);
    for (std::size_t n = 0; n < may_leave_.size(); ++n) {
      const ExampleUse use = n < queries_drawn_ ? ExampleUse::query : ExampleUse::support;
      const FedcarsDevices::Rated record = devices.record(visit.user, may_leave_[n]);
      work_.add(FedcarsHead::choice, use, record.timeless, 1.0f, record.choice_weight);
      for (std::uint32_t t = 0; draws.any() && t < model_.options().negatives; ++t) {
        const ItemIndex other = draws.next();
        if (!may_leave(other)) continue;
        described_.clear();
        devices.describe(visit.user, {other}, described_);
        work_.add(FedcarsHead::choice, use, described_, 0.0f, record.choice_weight);
      }
    }
  }
  // Before anything is learned: how often each item was rated, and how.
  template <class Sink>
  [[nodiscard]] AnswerReport count(const DeviceVisit<RowMatrix>& visit, Sink& sink) {
    float sum = 0.0f;
    const std::size_t bias = model_.layout().shape.factors;
    const auto say = [&](std::uint32_t row, float times, float ratings) {
      clear_row();
      put(0, times / tally_unit, sink);
      put(bias, ratings / tally_unit, sink);
      add_row(row, sink);
    };
    for (const std::uint32_t k : may_leave_) {
      const FedcarsDevices::Rated record = model_.devices().record(visit.user, k);
      say(record.item.value, 1.0f, record.target);
      sum += record.target;
    }
    say(model_.layout().tally_row(), static_cast<float>(may_leave_.size()), sum);
    return {};
  }
  template <class Sink>
  [[nodiscard]] bool send_slope(std::size_t n, float weight, Sink& sink) {
    const std::size_t width = model_.layout().shape.width();
    clear_row();
    for (std::size_t head = 0; head < model_.layout().heads(); ++head) {
      const float* slope = work_.slope(static_cast<FedcarsHead>(head), n);
      for (std::size_t k = 0; k < width; ++k) {
        const float value = weight * slope[k];
        const float most = static_cast<float>(fixed_limit) / sink.scale();
        if (!(value > -most && value < most)) return false;
        put(head * width + k, value, sink);
      }
    }
    add_row(work_.rows()[n], sink);
    return true;
  }
  void clear_row() { std::fill_n(row_.data(), row_.size(), 0); }
  template <class Sink>
  void put(std::size_t k, float value, Sink& sink) {
    row_.data()[k] = quantise<fixed_limit>(value * sink.scale());
  }
  template <class Sink>
  void add_row(std::uint32_t row, Sink& sink) {
    if (kernels::add_row(sink.open_row(row), row_.data(), row_.size())) sink.relieve(row);
  }

  const Fedcars& model_;
  FedcarsWork work_;
  AlignedBuffer<std::int32_t> row_;
  std::vector<std::uint32_t> may_leave_;  // records; after draw_episode() the query's come first
  std::size_t queries_drawn_ = 0;         // how many of them
  std::uint64_t queries_ = 0;             // examples of the query
  std::vector<std::uint32_t> chosen_;
  std::vector<FmFeature> described_;
};

}  // namespace sotto::model
