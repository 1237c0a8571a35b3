#include "model/kgflex/kgflex.h"

#include "base/rng.h"

namespace sotto::model {

KgflexDevices::KgflexDevices(std::shared_ptr<const ItemFeatures> features, Histories trained_on,
                             std::size_t catalogue, const ProfileOptions& options, KeepsBack keeps_back,
                             Executor& executor, UserIndex first)
    : features_(std::move(features)),
      trained_on_(std::move(trained_on)),
      catalogue_(catalogue),
      options_(options),
      keeps_back_(std::move(keeps_back)),
      first_(first),
      profiles_(trained_on_, catalogue, *features_, options, keeps_back_, executor, first),
      consumed_(trained_on_, catalogue) {}

RowMatrix Kgflex::start_shared() const {
  RowMatrix shared(shared_rows(), shared_width());
  for (std::uint32_t row = 0; row < shared.rows(); ++row) {
    Stream stream(options_.seed, Purpose::init_shared, 0, row);
    for (float& value : shared.values(row)) value = options_.init_sd * static_cast<float>(stream.normal());
  }
  return shared;
}

void Kgflex::start_private(UserIndex user, float* own) const {
  const std::size_t stride = RowMatrix::stride_for(shared_width());
  const FeatureProfile profile = devices_->profiles().of(user);
  Stream stream(options_.seed, Purpose::init_private, 0, user.value);
  for (std::size_t n = 0; n < profile.features.size(); ++n) {
    float* p = own + n * stride;
    for (std::size_t k = 0; k < options_.factors; ++k)
      p[k] = options_.init_sd * static_cast<float>(stream.normal());
    p[options_.factors] = 1.0f;
  }
}

}  // namespace sotto::model
