#include "device/round_work.h"

#include <algorithm>

#include "device/item_number.h"
#include "fed/wire/device_fit.h"

namespace sotto::device {

namespace {

std::string name_of(ItemIndex item, const IdTable* catalogue) {
  return catalogue != nullptr ? std::string(catalogue->name(item.value)) : std::to_string(item.value);
}

std::vector<ItemIndex> rows_of(const std::vector<std::string>& names, const IdTable* catalogue,
                               std::size_t items) {
  std::vector<ItemIndex> rows;
  rows.reserve(names.size());
  for (const std::string& name : names)
    if (const auto row = catalogue != nullptr ? catalogue->find(name) : item_number(name);
        row && *row < items)
      rows.push_back(ItemIndex{*row});
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

// How many of `rows` are newer than each; none where the device does not know.
Result<std::vector<std::uint16_t>> ages_of(DeviceStore& kept, const std::vector<ItemIndex>& rows,
                                           const IdTable* catalogue) {
  SOTTO_TRY(const auto names, kept.newest_first());
  std::vector<std::uint16_t> ages;
  if (!names) return ages;
  ages.assign(rows.size(), Histories::most_age);
  std::uint16_t newer = 0;
  for (const std::string& name : *names) {
    const auto row = catalogue != nullptr ? catalogue->find(name) : item_number(name);
    if (!row) continue;
    const auto place = std::lower_bound(rows.begin(), rows.end(), ItemIndex{*row});
    if (place == rows.end() || place->value != *row) continue;
    ages[static_cast<std::size_t>(place - rows.begin())] = newer;
    if (newer < Histories::most_age) ++newer;
  }
  return ages;
}

Result<ConsentTerms> terms_of(const PersonalPolicy& policy, const IdTable* catalogue, std::size_t items) {
  if (catalogue != nullptr) return terms_where_known(policy, Catalogue{*catalogue, items, {}});
  IdTable numbers;
  if (!policy.items.empty())
    for (std::size_t item = 0; item < items; ++item) numbers.intern(std::to_string(item));
  return terms_where_known(policy, Catalogue{numbers, items, {}});
}

Result<DeviceStreams> streams_of(DeviceStore& kept, const Task& task) {
  SOTTO_TRY(const auto enrolment, kept.enrolment());
  if (!enrolment) return fail(Code::usage, "this device is not enrolled anywhere");
  if (task.reproducible) return DeviceStreams{task.plan.seed, UserIndex{enrolment->index}};
  return DeviceStreams{enrolment->own_seed, UserIndex{0}};
}

}  // namespace

Result<std::optional<RoundWork>> work_for_round(DeviceStore& kept, const Task& task, std::uint32_t round,
                                                const IdTable* catalogue, const RowMatrix& shared) {
  SOTTO_TRY(const PersonalPolicy policy, kept.policy());
  SOTTO_TRY(const ConsentTerms terms, terms_of(policy, catalogue, task.items));
  if (!terms.takes_part) return std::optional<RoundWork>();
  SOTTO_TRY(const std::vector<std::string> names, kept.items());
  SOTTO_TRY(const DeviceStreams streams, streams_of(kept, task));
  std::vector<ItemIndex> rows = rows_of(names, catalogue, task.items);
  std::vector<std::uint16_t> ages;
  if (terms.contexts.history < 1.0f) {
    SOTTO_TRY(ages, ages_of(kept, rows, catalogue));
  }
  DeviceFit device(task, streams, std::move(rows), terms, std::move(ages));
  if (!device.can_answer()) return std::optional<RoundWork>();
  SOTTO_TRY(std::optional<Private<RowMatrix>> own, kept.own_row(task.name));
  const Private<RowMatrix> start = device.start();
  const std::size_t width = start.on_device().width();
  if (!own || own->on_device().rows() != 1 || own->on_device().width() != width) own = start;
  SOTTO_TRY(Contribution * made, device.fit(round, shared, own->on_device()));
  RoundWork work{std::move(*own), *made, {}};
  for (const ItemIndex item : device.sent(round, *made)) work.items.push_back(name_of(item, catalogue));
  return std::optional<RoundWork>(std::move(work));
}

}  // namespace sotto::device
