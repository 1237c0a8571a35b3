#include "fed/wire/device_fit.h"

#include <fmt/core.h>

namespace sotto {

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

Task with_terms(Task task, const DeviceStreams& streams, const ConsentTerms& terms) {
  task.plan.seed = streams.seed;
  task.plan.consent = own_policy(terms, streams);
  return task;
}

}  // namespace

DeviceFit::DeviceFit(const Task& task, const DeviceStreams& streams, std::vector<ItemIndex> items,
                     const ConsentTerms& terms, std::vector<std::uint16_t> ages)
    : task_(with_terms(task, streams, terms)),
      streams_(streams),
      model_(task.model(streams.seed)),
      consumed_histories_(one_history(std::move(items), std::move(ages))),
      shareable_(shareable(task_.plan.consent, consumed_histories_)),
      consumed_(consumed_histories_, task.items),
      sampler_(shareable_, consumed_, task.items, streams.seed, streams.index),
      work_(model_.shared_width()),
      pairs_(task.triples()) {}

bool DeviceFit::can_answer() const {
  return shareable_.interactions() > 0 && consumed_histories_.interactions() < task_.items;
}

Private<RowMatrix> DeviceFit::start() const {
  RowMatrix own(1, model_.private_width());
  model_.start_private(streams_.index, own.row(0));
  return Private<RowMatrix>(std::move(own));
}

Result<Contribution*> DeviceFit::fit(std::uint32_t round, const RowMatrix& shared, RowMatrix& own) {
  SOTTO_ASSERT(can_answer(), "a device that has nothing to answer with is not asked");
  SOTTO_ASSERT(shared.rows() == task_.items && shared.width() == model_.shared_width(),
               "the model is the task's");
  RowMatrix moved = own;
  RowMatrix scratch(1, model_.private_width());
  const VisitPlace place{round, streams_.index};
  sampler_.draw(std::span(&place, 1), pairs_);
  const Visit visit{.shared = &shared,
                    .own = moved.row(0),
                    .scratch = scratch.row(0),
                    .pairs = pairs_,
                    .user = streams_.index,
                    .round = round};
  const VisitReport report = work_.contribute(model_, task_.plan, std::span(&visit, 1));
  if (!report.finite)
    return fail(Code::diverged, fmt::format("training diverged in round {}: the task's learning rate is too "
                                            "high for this device's history",
                                            round));
  own = std::move(moved);
  Contribution& contribution = work_.contribution(0);
  contribution.make_canonical();
  ContributionEdit(contribution).clip(task_.clip);
  return &contribution;
}

std::vector<ItemIndex> DeviceFit::sent(const Contribution& contribution) const {
  std::vector<ItemIndex> items;
  std::size_t at = 0;
  for (const ItemIndex item : consumed_histories_.items()) {
    while (at < contribution.size() && contribution.row(at) < item.value) ++at;
    if (at < contribution.size() && contribution.row(at) == item.value) items.push_back(item);
  }
  return items;
}

}  // namespace sotto
