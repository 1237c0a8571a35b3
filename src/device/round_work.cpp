#include "device/round_work.h"

#include <algorithm>

#include "device/own_examples.h"
#include "device/own_history.h"
#include "fed/models/live_evaluation.h"
#include "fed/models/weighed_task.h"
#include "metrics/top_k.h"

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

namespace {

using Kept = std::vector<KeptInteraction>;

bool is_kept_back(const ConsentTerms& terms, ItemIndex item) {
  return !terms.rules.empty() && terms.rules[item.value] == ItemRule::never;
}

// What is held out of the training: of the items that no rule keeps back.
std::vector<ItemIndex> held_out_of(const OwnHistory& own, const Task& task, bool judges,
                                   const ConsentTerms& terms, const DeviceStreams& streams) {
  if (!task.evaluation || !judges) return {};
  std::vector<ItemIndex> items;
  std::vector<std::uint16_t> ages;
  for (std::size_t n = 0; n < own.items.size(); ++n) {
    if (is_kept_back(terms, own.items[n])) continue;
    items.push_back(own.items[n]);
    if (!own.ages.empty()) ages.push_back(own.ages[n]);
  }
  return held_out(*task.evaluation, items, ages, streams);
}

// As if the person did not have the items that `leaves` names.
template <class Leaves>
void leave_out(Kept& kept, const ItemNames& names, const Leaves& leaves) {
  std::erase_if(kept, [&](const KeptInteraction& one) {
    const auto item = names.find(one.item);
    return item && leaves(*item);
  });
}

OwnHistory history_without(Kept kept, const Attributes& said, const std::vector<ItemIndex>& held,
                           const TaskCatalogue* catalogue, const Task& task) {
  leave_out(kept, {catalogue, task.items},
            [&](ItemIndex item) { return std::binary_search(held.begin(), held.end(), item); });
  return own_history(kept, said, catalogue, task);
}

// What is judged: all that the person has, and what of it is held out.
struct Judged {
  OwnHistory all;
  std::vector<ItemIndex> held;
};
// What a version makes of it for a person who trains on the rest alone.
struct Answered {
  std::vector<float> scores;  // of every item
  std::vector<float> errors;  // predicted less given ratings of what is held out, where it predicts some
};

std::vector<float> rating_errors(const TaskAnswers& answers, const Judged& judged) {
  const DeviceKnowledge& known = judged.all.known;
  if (known.records == nullptr || !known.records->has_ratings) return {};
  std::vector<Occasion> occasions;
  std::vector<float> given;
  for (const ItemIndex item : judged.held) {
    const auto at = std::ranges::lower_bound(judged.all.items, item) - judged.all.items.begin();
    const auto place = static_cast<std::size_t>(at);
    occasions.push_back({item});
    if (known.contexts != nullptr) occasions.back().values = known.contexts->train.of(place);
    given.push_back(known.records->train.ratings[place]);
  }
  std::vector<float> errors(given.size());
  if (!answers.predict(occasions, errors)) return {};
  for (std::size_t n = 0; n < errors.size(); ++n) errors[n] -= given[n];
  return errors;
}

// None: there is nothing to tell from.
Result<std::optional<Answered>> answered(DeviceStore& kept, const Task& task, const RowMatrix& shared,
                                         const Judged& judged, OwnHistory trained,
                                         const DeviceStreams& streams) {
  SOTTO_TRY(const std::optional<Private<RowMatrix>> own, kept.own_row(task.name));
  std::vector<std::uint64_t> offsets{0, trained.items.size()};
  const Histories history(std::move(offsets), std::move(trained.items), std::move(trained.ages));
  const auto answers =
      task.model->answers({task, shared, history, own ? &*own : nullptr, std::move(trained.known), streams});
  if (!answers.ok()) return std::optional<Answered>();
  Answered made{std::vector<float>(task.items), rating_errors(**answers, judged)};
  (*answers)->score(made.scores);
  return std::optional(std::move(made));
}

Status fit_part(DeviceFit& device, RoundWork& work, std::uint32_t round, const RowMatrix& shared) {
  SOTTO_TRY(const Contribution* made, device.fit(round, shared, work.own.on_device()));
  work.contribution = *made;
  work.told = device.told();
  work.items.clear();
  for (const ItemIndex item : device.sent()) work.items.push_back(work.name_of(item));
  return Done{};
}

// The first part of a round, by what the device has; `name_of` gives that names.
Result<std::optional<RoundWork>> begin_round(DeviceStore& kept, std::unique_ptr<DeviceFit> device,
                                             std::uint32_t round, const RowMatrix& shared,
                                             std::function<std::string(ItemIndex)> name_of) {
  if (!device->can_answer()) return std::optional<RoundWork>();
  const Task& task = device->task();
  SOTTO_TRY(std::optional<Private<RowMatrix>> own, kept.own_row(task.name));
  own = own ? device->resumed(*own) : device->start();
  RoundWork work{std::move(*own), Contribution(0), {}};
  work.name_of = std::move(name_of);
  SOTTO_TRY_DONE(fit_part(*device, work, round, shared));
  if (task.parts() > 1) work.fit = std::move(device);
  return std::optional<RoundWork>(std::move(work));
}

// What is held out of the training, and what stays in it.
struct SplitExamples {
  OwnExamples held, trained;
};
Result<SplitExamples> split_examples(DeviceStore& kept, const Task& task, bool judges,
                                     const ConsentTerms& terms, const DeviceStreams& streams) {
  SOTTO_TRY(OwnExamples own, own_examples(kept, task, terms));
  if (!task.evaluation || !judges) return SplitExamples{{}, std::move(own)};
  const std::vector<ItemIndex>& all = own.history.items;
  const std::vector<ItemIndex> held = held_out(*task.evaluation, all, {}, streams);
  std::vector<ItemIndex> trained;
  std::ranges::set_difference(all, held, std::back_inserter(trained));
  return SplitExamples{only(own, held), only(own, trained)};
}

Result<std::optional<RoundWork>> work_on_examples(DeviceStore& kept, const Task& task, std::uint32_t round,
                                                  bool judges, ConsentTerms terms, const RowMatrix& shared) {
  SOTTO_TRY(const DeviceStreams streams, streams_of(kept, task));
  SOTTO_TRY(SplitExamples split, split_examples(kept, task, judges, terms, streams));
  OwnExamples& own = split.trained;
  terms.rules.clear();  // of classes; what they keep back is not there
  SOTTO_TRY(own.history.known.last_round, kept.last_round(task.name));
  auto device = std::make_unique<DeviceFit>(task, streams, own.history.items, terms,
                                            std::vector<std::uint16_t>(), own.history.known);
  SOTTO_TRY(auto work, begin_round(kept, std::move(device), round, shared,
                                   [own](ItemIndex number) { return own.name_of(number); }));
  if (work) work->of = "examples of " + task.model->examples(task).collection;
  return work;
}

Result<std::optional<RoundWork>> judge_examples(DeviceStore& kept, const Task& task,
                                                const ConsentTerms& terms, const RowMatrix& shared) {
  SOTTO_TRY(const DeviceStreams streams, streams_of(kept, task));
  SOTTO_TRY(const SplitExamples split, split_examples(kept, task, true, terms, streams));
  const Examples& held = *split.held.history.known.examples;
  if (held.count() == 0) return std::optional<RoundWork>();
  LocalScore score{.examples = std::min<std::size_t>(held.count(), most_judged(*task.evaluation))};
  for (std::size_t n = 0; n < score.examples; ++n) {
    const std::vector<float> shares = task.model->classify(task, shared, {held.of(n), held.size()});
    score.right += std::ranges::max_element(shares) - shares.begin() == held.labels[n] ? 1 : 0;
  }
  return std::optional(RoundWork{{}, count_of(evaluation_task(task), score), {}});
}

}  // namespace

void give_nothing(RoundWork& work) {
  work.contribution = Contribution(work.contribution.width());
  work.items.clear();
  work.told = "zeros alone: its numbers cannot be sent";
}

Result<std::optional<RoundWork>> work_for_judging(DeviceStore& kept, const Task& task,
                                                  const TaskCatalogue* catalogue, const RowMatrix& shared) {
  SOTTO_TRY(const PersonalPolicy policy, kept.policy());
  SOTTO_TRY(const ConsentTerms terms, terms_of(policy, catalogue, task.items));
  if (!terms.takes_part || !policy.evaluation || !task.evaluation) return std::optional<RoundWork>();
  if (task.model->examples != nullptr) return judge_examples(kept, task, terms, shared);
  SOTTO_TRY(Kept all, kept.interactions());
  SOTTO_TRY(const DeviceStreams streams, streams_of(kept, task));
  const ItemNames names{catalogue, task.items};
  leave_out(all, names, [&](ItemIndex item) { return is_kept_back(terms, item); });
  SOTTO_TRY(const Attributes said, kept.attributes());
  Judged judged{own_history(all, said, catalogue, task), {}};
  judged.held = held_out_of(judged.all, task, policy.evaluation, terms, streams);
  if (judged.held.empty()) return std::optional<RoundWork>();
  OwnHistory trained = history_without(std::move(all), said, judged.held, catalogue, task);
  const std::vector<ItemIndex> seen = trained.items;
  SOTTO_TRY(auto made,
            answered(kept, persons_task(task, streams, terms), shared, judged, std::move(trained), streams));
  if (!made) return std::optional<RoundWork>();
  std::vector<ItemIndex> list;
  for (const ScoredItem& one : top_items(std::move(made->scores), seen, task.evaluation->cutoff))
    list.push_back(one.item);
  RoundWork work{{}, figures_of(evaluation_task(task), list, judged.held, made->errors), {}};
  if (task.evaluation->coverage)  // what leaves by name: the list
    for (const ItemIndex item : list) work.items.push_back(names.name_of(item));
  return std::optional<RoundWork>(std::move(work));
}

Result<std::optional<RoundWork>> work_for_round(DeviceStore& kept, const Task& task, std::uint32_t round,
                                                const TaskCatalogue* catalogue, const RowMatrix& shared) {
  SOTTO_TRY(const PersonalPolicy policy, kept.policy());
  SOTTO_TRY(const ConsentTerms terms, terms_of(policy, catalogue, task.items));
  if (!terms.takes_part) return std::optional<RoundWork>();
  if (task.model->examples != nullptr)
    return work_on_examples(kept, task, round, policy.evaluation, terms, shared);
  SOTTO_TRY(const std::vector<KeptInteraction> all, kept.interactions());
  SOTTO_TRY(const DeviceStreams streams, streams_of(kept, task));
  SOTTO_TRY(const Attributes said, kept.attributes());
  OwnHistory history = own_history(all, said, catalogue, task);
  if (const auto held = held_out_of(history, task, policy.evaluation, terms, streams); !held.empty())
    history = history_without(all, said, held, catalogue, task);
  SOTTO_TRY_DONE(check_known(task, history.known));
  SOTTO_TRY(history.known.last_round, kept.last_round(task.name));
  auto device = std::make_unique<DeviceFit>(task, streams, std::move(history.items), terms,
                                            std::move(history.ages), std::move(history.known));
  return begin_round(
      kept, std::move(device), round, shared,
      [names = ItemNames{catalogue, task.items}](ItemIndex item) { return names.name_of(item); });
}

Status work_for_next_part(RoundWork& work, PartTotal told, std::uint32_t round, const RowMatrix& shared) {
  SOTTO_TRY_DONE(work.fit->hear(std::move(told)));
  if (const Status made = fit_part(*work.fit, work, round, shared); !made.ok()) {
    if (!work.fit->task().secure) return made;
    give_nothing(work);
  }
  if (work.fit->task().in_last_part()) work.fit.reset();  // it holds a copy of what is given
  return Done{};
}

}  // namespace sotto::device
