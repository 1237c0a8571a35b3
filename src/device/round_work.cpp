#include "device/round_work.h"

#include "device/own_history.h"
#include "fed/wire/device_fit.h"

namespace sotto::device {

Result<ConsentTerms> terms_of(const PersonalPolicy& policy, const TaskCatalogue* catalogue,
                              std::size_t items) {
  if (catalogue != nullptr)
    return terms_where_known(policy, Catalogue{catalogue->names, items, catalogue->categories,
                                               catalogue->features.get(), catalogue->contexts.get()});
  IdTable numbers;
  if (!policy.items.empty())
    for (std::size_t item = 0; item < items; ++item) numbers.intern(std::to_string(item));
  return terms_where_known(policy, Catalogue{numbers, items, {}});
}

Result<DeviceStreams> streams_of(DeviceStore& kept, const Task& task) {
  SOTTO_TRY(const auto enrolment, kept.enrolment());
  if (!enrolment) return DeviceStreams();
  if (task.reproducible) return DeviceStreams{task.plan.seed, UserIndex{enrolment->index}};
  return DeviceStreams{enrolment->own_seed, UserIndex{0}};
}

Result<std::optional<RoundWork>> work_for_round(DeviceStore& kept, const Task& task, std::uint32_t round,
                                                const TaskCatalogue* catalogue, const RowMatrix& shared) {
  SOTTO_TRY(const PersonalPolicy policy, kept.policy());
  SOTTO_TRY(const ConsentTerms terms, terms_of(policy, catalogue, task.items));
  if (!terms.takes_part) return std::optional<RoundWork>();
  SOTTO_TRY(const std::vector<KeptInteraction> all, kept.interactions());
  SOTTO_TRY(const DeviceStreams streams, streams_of(kept, task));
  OwnHistory history = own_history(all, catalogue, task);
  if (task.model->check_known != nullptr) SOTTO_TRY_DONE(task.model->check_known(task, history.known));
  DeviceFit device(task, streams, std::move(history.items), terms, std::move(history.ages),
                   std::move(history.known));
  if (!device.can_answer()) return std::optional<RoundWork>();
  SOTTO_TRY(std::optional<Private<RowMatrix>> own, kept.own_row(task.name));
  own = own ? device.resumed(*own) : device.start();
  SOTTO_TRY(Contribution * made, device.fit(round, shared, own->on_device()));
  RoundWork work{std::move(*own), *made, {}};
  for (const ItemIndex item : device.sent())
    work.items.push_back(ItemNames{catalogue, task.items}.name_of(item));
  return std::optional<RoundWork>(std::move(work));
}

}  // namespace sotto::device
