#include "device/round_work.h"

#include <algorithm>

#include "device/item_number.h"
#include "device/recommend.h"
#include "fed/models/live_evaluation.h"
#include "fed/wire/device_fit.h"
#include "metrics/top_k.h"

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

// What is held out of the training: of the items that no rule keeps back.
Result<std::vector<ItemIndex>> held_out_rows(DeviceStore& kept, const Task& task, bool judges,
                                             const ConsentTerms& terms, const std::vector<ItemIndex>& rows,
                                             const IdTable* catalogue) {
  if (!task.evaluation || !judges) return std::vector<ItemIndex>();
  SOTTO_TRY(const DeviceStreams streams, streams_of(kept, task));
  std::vector<ItemIndex> known;
  for (const ItemIndex item : rows)
    if (terms.rules.empty() || terms.rules[item.value] != ItemRule::never) known.push_back(item);
  SOTTO_TRY(const std::vector<std::uint16_t> ages, ages_of(kept, known, catalogue));
  return held_out(*task.evaluation, known, ages, streams);
}

std::vector<ItemIndex> without(const std::vector<ItemIndex>& rows, const std::vector<ItemIndex>& others) {
  std::vector<ItemIndex> left;
  std::ranges::set_difference(rows, others, std::back_inserter(left));
  return left;
}

// What every item has for a person who trains on these alone; none: there is nothing to tell from.
Result<std::optional<std::vector<float>>> scores_from(DeviceStore& kept, const Task& task,
                                                      const RowMatrix& shared,
                                                      const std::vector<ItemIndex>& trained) {
  std::optional<Private<RowMatrix>> own;
  if (task.model->solved_row == nullptr) {
    SOTTO_TRY(own, kept.own_row(task.name));
  } else if (!trained.empty()) {
    SOTTO_TRY(own, task.model->solved_row(task, shared, trained));
  }
  if (!own || own->on_device().width() != shared.width()) return std::optional<std::vector<float>>();
  return std::optional(scores_of(shared, own->on_device()));
}

}  // namespace

Result<std::optional<RoundWork>> work_for_judging(DeviceStore& kept, const Task& task,
                                                  const IdTable* catalogue, const RowMatrix& shared) {
  SOTTO_TRY(const PersonalPolicy policy, kept.policy());
  SOTTO_TRY(const ConsentTerms terms, terms_of(policy, catalogue, task.items));
  if (!terms.takes_part || !policy.evaluation || !task.evaluation) return std::optional<RoundWork>();
  SOTTO_TRY(const std::vector<std::string> names, kept.items());
  std::vector<ItemIndex> rows = rows_of(names, catalogue, task.items);
  // As if the person did not have what a rule keeps back.
  std::erase_if(rows, [&](ItemIndex item) {
    return !terms.rules.empty() && terms.rules[item.value] == ItemRule::never;
  });
  SOTTO_TRY(const auto held, held_out_rows(kept, task, policy.evaluation, terms, rows, catalogue));
  const std::vector<ItemIndex> trained = without(rows, held);
  if (held.empty()) return std::optional<RoundWork>();
  SOTTO_TRY(auto scores, scores_from(kept, task, shared, trained));
  if (!scores) return std::optional<RoundWork>();
  std::vector<ItemIndex> list;
  for (const ScoredItem& one : top_items(std::move(*scores), trained, task.evaluation->cutoff))
    list.push_back(one.item);
  RoundWork work{{}, figures_of(evaluation_task(task), list, held), {}};
  for (const ItemIndex item : held) work.items.push_back(name_of(item, catalogue));
  return std::optional<RoundWork>(std::move(work));
}

Result<std::optional<RoundWork>> work_for_round(DeviceStore& kept, const Task& task, std::uint32_t round,
                                                const IdTable* catalogue, const RowMatrix& shared) {
  SOTTO_TRY(const PersonalPolicy policy, kept.policy());
  SOTTO_TRY(const ConsentTerms terms, terms_of(policy, catalogue, task.items));
  if (!terms.takes_part) return std::optional<RoundWork>();
  SOTTO_TRY(const std::vector<std::string> names, kept.items());
  SOTTO_TRY(const DeviceStreams streams, streams_of(kept, task));
  std::vector<ItemIndex> rows = rows_of(names, catalogue, task.items);
  SOTTO_TRY(const auto held, held_out_rows(kept, task, policy.evaluation, terms, rows, catalogue));
  rows = without(rows, held);
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
