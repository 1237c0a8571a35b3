#include "model/kgflex/kgflex_central.h"

#include <algorithm>

#include "base/rng.h"

namespace sotto::model {

KgflexCentral::KgflexCentral(Kgflex model)
    : model_(std::move(model)),
      users_(model_.devices().histories().users(), model_.private_width()),
      features_(model_.start_shared()) {
  for (std::uint32_t user = 0; user < users_.rows(); ++user)
    model_.start_private(UserIndex{user}, users_.row(user));
}

Result<KgflexCentral::Epoch> KgflexCentral::run_epoch(std::uint32_t epoch, Executor& /*executor*/) {
  const KgflexDevices& devices = model_.devices();
  const Histories& histories = devices.histories();
  const auto offsets = histories.offsets();
  const auto interactions = static_cast<std::uint32_t>(histories.interactions());
  const auto catalogue = static_cast<std::uint32_t>(devices.catalogue());
  KgflexWork work(model_.options(), devices.features());
  Stream stream(model_.options().seed, Purpose::central_triples, epoch);
  Epoch done;
  for (std::uint32_t n = 0; n < interactions; ++n) {
    const std::uint32_t drawn = stream.below(interactions);
    const auto place = std::upper_bound(offsets.begin(), offsets.end(), std::uint64_t{drawn});
    const UserIndex user{static_cast<std::uint32_t>(place - offsets.begin() - 1)};
    if (histories.of(user).size() >= catalogue) continue;
    Pair pair{histories.items()[drawn], {stream.below(catalogue)}};
    while (devices.consumed().contains(user, pair.negative)) pair.negative = {stream.below(catalogue)};
    const FeatureProfile profile = devices.profiles().of(user);
    if (profile.features.empty()) continue;
    work.begin(profile, features_, users_.row(user.value));
    if (work.gather(pair, false, false)) {
      work.move(&features_);
      ++done.steps;
      done.loss_units += loss_units_of(work.loss());
    }
    if (!work.finite())
      return fail(Code::diverged,
                  "KGFlex: scores left the finite numbers; lower the learning rate, or raise "
                  "the regularisation");
  }
  return done;
}

}  // namespace sotto::model
