#include "fed/wire/device_fit.h"

#include "fed/models/weighed_task.h"

namespace sotto::fed {

namespace {

Histories one_history(std::vector<ItemIndex> items, std::vector<std::uint16_t> ages) {
  std::vector<std::uint64_t> offsets{0, items.size()};
  return {std::move(offsets), std::move(items), std::move(ages)};
}

ConsentPolicy own_policy(const ConsentTerms& terms, const DeviceStreams& streams) {
  return {.pi = terms.pi,
          .mask = terms.mask,
          .people = std::make_shared<const ConsentBook>(terms, streams.seed, streams.index)};
}

}  // namespace

Task persons_task(Task task, const DeviceStreams& streams, const ConsentTerms& terms) {
  task.plan.seed = streams.seed;
  task.plan.consent = own_policy(terms, streams);
  return task;
}

DeviceFit::DeviceFit(const Task& task, const DeviceStreams& streams, std::vector<ItemIndex> items,
                     const ConsentTerms& terms, std::vector<std::uint16_t> ages, DeviceKnowledge known)
    : task_(persons_task(task, streams, terms)),
      consumed_(one_history(std::move(items), std::move(ages))),
      shareable_(shareable(task_.plan.consent, consumed_)),
      model_(device_of(task_, streams, {consumed_, shareable_, std::move(known)})),
      added_(task_.shape().sum_width) {}

Result<Contribution*> DeviceFit::fit(std::uint32_t round, const RowMatrix& shared, RowMatrix& own) {
  SOTTO_ASSERT(can_answer(), "a device that has nothing to answer with is not asked");
  SOTTO_ASSERT(
      task_.shape().blind || (shared.rows() == task_.shape().rows && shared.width() == task_.shape().width),
      "the model is the task's");
  RowMatrix moved = own;
  SOTTO_TRY(Contribution * contribution, model_->contribute(round, shared, moved));
  contribution->make_canonical();
  made_ = contribution;
  if (!task_.in_last_part()) return contribution;
  own = std::move(moved);
  if (task_.model->added != nullptr) {
    if (!task_.secure) return contribution;  // the server clips what it adds
    task_.model->added(task_, *contribution, added_);
    contribution = &added_;
  }
  ContributionEdit(*contribution).clip(task_.clip);
  return contribution;
}

Status DeviceFit::hear(PartTotal told) {
  SOTTO_ASSERT(made_ != nullptr && !task_.in_last_part(), "the last part's total is the model");
  SOTTO_TRY_DONE(check_told(task_.part(), told));
  task_.totals.push_back(std::move(told));
  return check_heard(task_);
}

std::vector<ItemIndex> DeviceFit::sent() const {
  SOTTO_ASSERT(made_ != nullptr, "what is asked for was made");
  const bool is_models = task_.parts() == 1 || (task_.criteria && task_.in_last_part());
  if (task_.model->row_of == nullptr || !is_models) return model_->let_out();
  std::vector<ItemIndex> items;
  std::size_t at = 0;
  for (const ItemIndex item : consumed_.items()) {
    const std::uint32_t row = task_.model->row_of(item);
    while (at < made_->size() && made_->row(at) < row) ++at;
    if (at < made_->size() && made_->row(at) == row) items.push_back(item);
  }
  return items;
}

}  // namespace sotto::fed
