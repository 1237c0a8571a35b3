#include "engine/protect/training_consent.h"

#include <fmt/core.h>

#include "device/consent_file.h"
#include "engine/plan/device_folder.h"
#include "engine/protect/ledger_recorder.h"
#include "engine/protect/weighing.h"

namespace sotto::engine {

Result<TrainRequest> with_people(TrainRequest request, const Split& split) {
  ConsentPolicy& consent = request.plan.consent;
  if (consent.people == nullptr) {
    SOTTO_TRY(consent.people, book_for(request.consent, consent, split, request.plan.seed));
  }
  return request;
}

Status watch_device(const TrainRequest& request, const Split& split, SumShape shape, Protection& protection,
                    const Histories* spoken_of) {
  SOTTO_TRY(const std::optional<WatchedDevice> device, watched_device(request.consent, split));
  if (!device || !request.consent.records) return Done{};
  const DeviceFolder folder(device->folder);
  SOTTO_TRY(const PersonalPolicy policy, folder.policy());
  if (device::to_toml(policy) != request.consent.device_policy)
    return fail(Code::usage, fmt::format("{}: the person changed the policy since this run began: start "
                                         "again, so that the new one applies",
                                         device->folder));
  SOTTO_TRY(std::unique_ptr<Vault> vault, folder.open());
  // A ledger that does not verify is not written to.
  SOTTO_TRY_DONE(folder.ledger());
  if (protection.first() == nullptr) protection.put_before(std::make_unique<PlainCollector>(shape));
  LedgerOwner owner{
      .user = device->user,
      .model = &request.model.entry(),
      .histories = spoken_of != nullptr ? *spoken_of : shareable(request.plan.consent, split.train),
      .let_out = spoken_of != nullptr,
      .items = split.items,
      .plan = request.plan,
      .catalogue = split.catalogue};
  Mechanism mechanism = protection.mechanism();
  if (!request.dp.asked()) mechanism.name += without_noise;
  mechanism.name += told_in_words(request, device->user);
  protection.put_before(std::make_unique<LedgerRecorder>(std::move(owner), std::move(mechanism),
                                                         std::move(vault), *protection.first()));
  return Done{};
}

}  // namespace sotto::engine
