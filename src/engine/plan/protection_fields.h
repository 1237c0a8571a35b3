// The fields of a plan that protect people, each named once, for reading and for writing: [consent], [sum],
// [dp], [criteria] and [robust].
#pragma once

#include "engine/plan/request.h"

namespace sotto {

template <class Visitor>
void visit_sum_fields(SumOptions& sum, Visitor& visit) {
  visit("sum", "kind", sum.kind);
  visit("sum", "block", sum.block);
  visit("sum", "group", sum.group);
  visit("sum", "bits", sum.bits);
  visit("sum", "limit", sum.limit);
  visit("sum", "silent", sum.silent);
  visit("sum", "corrupt", sum.assumed.corrupt);
  visit("sum", "dropped", sum.assumed.dropped);
  visit("sum", "crowd", sum.assumed.crowd);
  visit("sum", "aggregators", sum.aggregators);
}

template <class Visitor>
void visit_dp(DpRequest& dp, Visitor& visit) {
  visit("dp", "place", dp.place);
  visit("dp", "kind", dp.kind);
  visit("dp", "epsilon", dp.epsilon);
  visit("dp", "noise", dp.noise);
  visit("dp", "delta", dp.delta);
  visit("dp", "clip", dp.clip);
  visit("dp", "row_clip", dp.row_clip);
  visit("dp", "survivors", dp.survivors);
  visit("dp", "items", dp.items);
  visit("dp", "popularity_share", dp.popularity_share);
  visit("dp", "half_life", dp.half_life);
  visit("dp", "lambdas", dp.lambdas);
  visit("dp", "choice_epsilon", dp.choice_epsilon);
}

template <class Visitor>
void visit_protection(TrainRequest& r, Visitor& visit) {
  visit("consent", "pi", r.plan.consent.pi);
  visit("consent", "mask", r.plan.consent.mask);
  visit("consent", "policy", r.consent.policy);
  visit("consent", "mix", r.consent.mix);
  visit("consent", "udcp", r.consent.udcp);
  visit("consent", "device", r.consent.device);
  visit("consent", "device_policy", r.consent.device_policy);
  visit_sum_fields(r.sum, visit);
  visit_dp(r.dp, visit);
  visit("criteria", "order", r.criteria.order);
  visit("criteria", "score", r.criteria.score);
  visit("criteria", "weights", r.criteria.weights);
  visit("criteria", "size_bound", r.criteria.size_bound);
  visit("criteria", "trust", r.criteria.trust);
  visit("criteria", "quality", r.criteria.quality);
  visit("robust", "row_clip", r.robust.row_clip);
  visit("robust", "clip", r.robust.clip);
  visit("robust", "min_contributors", r.robust.min_contributors);
  visit("robust", "groups", r.robust.groups);
  visit("robust", "across", r.robust.across);
}

}  // namespace sotto
