#include "model/central/vsm.h"

#include <cmath>

namespace sotto::model {

Vsm::Vsm(const Histories& train, std::size_t catalogue, std::shared_ptr<const ItemFeatures> features,
         const VsmOptions& options)
    : train_(train),
      catalogue_(catalogue),
      rows_(features, options.items),
      profiles_(features, options.users),
      rule_(options.profile) {
  SOTTO_ASSERT(features->items() >= catalogue, "every item of the catalogue has a row of features");
}

void Vsm::direction(std::span<const ItemIndex> history, std::span<float> out) const {
  profiles_.profile(history, rule_, out);
  for (const FeatureIndex feature : vetoed_) out[feature.value] = 0.0f;
  double squares = 0.0;
  for (const float weight : out) squares += static_cast<double>(weight) * static_cast<double>(weight);
  if (squares == 0.0) return;
  const double scale = 1.0 / std::sqrt(squares);
  for (float& weight : out) weight = static_cast<float>(scale * static_cast<double>(weight));
}

void Vsm::products(std::span<const float> row, ItemRange items, float* out) const {
  for (std::uint32_t item = items.begin; item < items.end; ++item) {
    const auto features = rows_.features().of(ItemIndex{item});
    const auto values = rows_.of(ItemIndex{item});
    float sum = 0.0f;
    for (std::size_t n = 0; n < features.size(); ++n) sum += row[features[n].value] * values[n];
    *out++ = sum;
  }
}

void Vsm::score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == users.size() * items.size(), "one place for each score");
  std::vector<float> row(rows_.features().features());
  for (std::size_t k = 0; k < users.size(); ++k) {
    direction(train_.of(users[k]), row);
    products(row, items, out.data() + k * items.size());
  }
}

void Vsm::score_history(std::span<const ItemIndex> history, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue_, "one place for each score");
  std::vector<float> row(rows_.features().features());
  direction(history, row);
  products(row, {0, static_cast<std::uint32_t>(catalogue_)}, out.data());
}

Status Vsm::similar(ItemIndex item, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == catalogue_ && item.value < catalogue_, "one place for each item");
  std::vector<float> row(rows_.features().features(), 0.0f);
  const auto features = rows_.features().of(item);
  for (std::size_t n = 0; n < features.size(); ++n) row[features[n].value] = rows_.of(item)[n];
  products(row, {0, static_cast<std::uint32_t>(catalogue_)}, out.data());
  return Done{};
}

std::vector<Reason> Vsm::reasons(UserIndex user, ItemIndex item) const {
  return std::move(reasons_for_history(train_.of(user), std::span(&item, 1)).front());
}

std::vector<std::vector<Reason>> Vsm::reasons_for_history(std::span<const ItemIndex> history,
                                                          std::span<const ItemIndex> items) const {
  std::vector<float> row(rows_.features().features());
  direction(history, row);
  std::vector<std::vector<Reason>> all;
  for (const ItemIndex item : items) {
    std::vector<Reason>& found = all.emplace_back();
    const auto features = rows_.features().of(item);
    for (std::size_t n = 0; n < features.size(); ++n) {
      const float weight = row[features[n].value];
      const float part = weight * rows_.of(item)[n];
      if (part != 0.0f) found.push_back({features[n], part, weight});
    }
    sort_reasons(found);
  }
  return all;
}

}  // namespace sotto::model
