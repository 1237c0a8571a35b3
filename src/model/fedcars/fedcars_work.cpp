#include "model/fedcars/fedcars_work.h"

#include <algorithm>

namespace sotto::model {

namespace {

constexpr float most_number = 1e4f;  // larger rows explain nothing

}  // namespace

FedcarsWork::FedcarsWork(const FedcarsOptions& options, const FedcarsLayout& layout)
    : layout_(layout),
      maml_{Maml<float>(layout.shape, {FmLossKind::squared, options.error_bend}, options.rating),
            Maml<float>(layout.shape, FmLoss::logistic, options.choice)},
      place_(layout.rows(), 0) {}

void FedcarsWork::begin(const RowMatrix& received) {
  for (const std::uint32_t row : rows_) place_[row] = 0;
  rows_.clear();
  features_.clear();
  for (auto& head : examples_)
    for (auto& examples : head) examples.clear();
  for (auto* arrays : {&numbers_, &slopes_})
    for (auto& numbers : *arrays) numbers.clear();
  received_ = &received;
  (void)local(layout_.start_row());
  (void)local(layout_.common_row());
  for (std::uint32_t n = 0; n < layout_.network_rows(); ++n) (void)local(layout_.network_row() + n);
}

std::uint32_t FedcarsWork::local(std::uint32_t row) {
  if (place_[row] == 0) {
    rows_.push_back(row);
    place_[row] = static_cast<std::uint32_t>(rows_.size());
  }
  return place_[row] - 1;
}

void FedcarsWork::translate(std::span<const FmFeature> features) {
  features_.push_back({0, 1.0f});
  features_.push_back({1, 1.0f});
  for (const FmFeature& feature : features) features_.push_back({local(feature.row), feature.x});
}

void FedcarsWork::add(FedcarsHead head, ExampleUse use, std::span<const FmFeature> features, float target,
                      float weight) {
  const auto begin = static_cast<std::uint32_t>(features_.size());
  translate(features);
  const auto end = static_cast<std::uint32_t>(features_.size());
  examples_[at(head)][static_cast<std::size_t>(use)].push_back({begin, end, target, weight});
}

void FedcarsWork::load(FedcarsHead head, std::vector<float>& numbers) const {
  const std::size_t width = layout_.shape.width(), from = at(head) * width;
  for (std::size_t n = numbers.size() / width; n < rows_.size(); ++n) {
    const float* row = received_->row(rows_[n]) + from;
    numbers.insert(numbers.end(), row, row + width);
  }
}

std::optional<float> FedcarsWork::learn(FedcarsHead head) {
  const auto& [support, query] = examples_[at(head)];
  std::vector<float>& numbers = numbers_[at(head)];
  load(head, numbers);
  slopes_[at(head)].assign(numbers.size(), 0.0f);
  if (query.empty()) return std::nullopt;
  return maml_[at(head)].slope(numbers, {features_.data(), support}, {features_.data(), query},
                               slopes_[at(head)]);
}

void FedcarsWork::adapt(FedcarsHead head, std::optional<std::uint32_t> steps) {
  std::vector<float>& numbers = numbers_[at(head)];
  load(head, numbers);
  const FmBatch support{features_.data(), examples_[at(head)][0]};
  if (steps)
    maml_[at(head)].adapt(support, *steps, numbers);
  else
    maml_[at(head)].adapt(support, numbers);
  const auto ran_away = [](float value) { return !(value > -most_number && value < most_number); };
  if (std::ranges::none_of(numbers, ran_away)) return;
  numbers.clear();
  load(head, numbers);
}

float FedcarsWork::predict(FedcarsHead head, std::span<const FmFeature> features) {
  const std::size_t begin = features_.size();
  translate(features);
  load(head, numbers_[at(head)]);
  const float score =
      maml_[at(head)].task().predict(numbers_[at(head)].data(), std::span(features_).subspan(begin));
  features_.resize(begin);
  return score;
}

}  // namespace sotto::model
