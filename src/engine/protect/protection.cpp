#include "engine/protect/protection.h"

#include <fmt/core.h>

#include "engine/plan/model_entry.h"
#include "engine/protect/dp.h"
#include "fed/secure/secure_collector.h"

namespace sotto::engine {

std::unique_ptr<Collector> server_side(const TrainRequest& request, SumShape shape, Executor& executor) {
  const auto sum = [&](std::size_t group) -> std::unique_ptr<Collector> {
    if (request.sum.kind == SumKind::plain) return std::make_unique<PlainCollector>(shape);
    // Groups are sums of their own: none draws another's masks.
    return std::make_unique<SecureCollector>(request.sum, shape, request.plan.seed + group, executor);
  };
  if (!request.robust.asked()) return sum(0);
  return std::make_unique<RobustSum>(shape, request.robust, request.plan.fixed, request.plan.seed, sum);
}

std::string mechanism_name(const TrainRequest& request) {
  std::string name = to_string(request.sum.kind);
  if (request.robust.asked()) name += ", robust";
  if (request.dp.asked())
    name += ", " + request.dp.place + (request.dp.laplace() ? " Laplace noise" : " noise");
  return name;
}

Result<Protection> protect(const TrainRequest& request, SumShape shape, Executor& executor) {
  Protection protection;
  if (request.sum.kind == SumKind::plain && !request.dp.asked() && !request.robust.asked()) return protection;
  protection.put_before(server_side(request, shape, executor));
  protection.call({.name = mechanism_name(request), .keeps_size = request.sum.kind == SumKind::plain});
  if (request.dp.asked()) SOTTO_TRY_DONE(put_noisy_rounds(protection, request, shape));
  return protection;
}

Status check_is_read(const SumOptions& sum, bool plain_has_crowd) {
  if (sum.kind != SumKind::plain) return Done{};
  const SumOptions usual;
  const auto refused = [](const char* option, const char* kind) {
    return fail(Code::usage,
                fmt::format("{} is for --sum {}: add it, or leave the option out", option, kind));
  };
  if (sum.silent != usual.silent) return refused("--secure-dropout", "secure");
  if (sum.block != usual.block) return refused("--secure-block", "secure");
  if (sum.group != usual.group) return refused("--secure-group", "secure");
  if (sum.bits != usual.bits) return refused("--secure-bits", "secure");
  if (sum.limit != usual.limit) return refused("--secure-limit", "secure");
  if (sum.assumed.dropped != usual.assumed.dropped) return refused("--secure-tolerate", "secure");
  if (sum.assumed.corrupt != usual.assumed.corrupt) return refused("--secure-corrupt", "secure");
  if (sum.assumed.crowd != usual.assumed.crowd && !plain_has_crowd)
    return refused("--secure-crowd", "secure");
  if (sum.aggregators != usual.aggregators) return refused("--secure-aggregators", "shares");
  return Done{};
}

Status check_robust(const TrainRequest& request) {
  const RobustOptions& robust = request.robust;
  SOTTO_TRY_DONE(check(robust));
  if (!robust.asked()) return Done{};
  if (!request.model->federated())
    return fail(Code::usage, fmt::format("robust sums are for federated models, and {} is trained in one "
                                         "place: leave the robust flags out",
                                         request.model->name));
  if (request.dp.asked())
    return fail(
        Code::usage,
        "noise is planned for a sum, and a robust sum is another number: leave the robust flags or --dp "
        "out (--dp-clip and --dp-row-clip bound everybody too)");
  if (request.model->sends == Sends::pair_counts && (robust.row_clip || robust.clip))
    return fail(
        Code::usage,
        fmt::format(
            "devices send whole pair counts for {}, which no length in the model's units bounds: leave "
            "--robust-clip and --robust-row-clip out; --groups with --across limits malicious devices",
            request.model->name));
  if (request.sum.kind != SumKind::plain && (robust.row_clip || robust.clip || robust.min_contributors))
    return fail(Code::usage,
                "under a secure sum nobody sees a contribution, so none can be clipped or counted per row: "
                "keep --groups and --across, leave the other robust flags out");
  return Done{};
}

std::string robust_settings(const TrainRequest& request) {
  const auto shown = [](const auto& value) { return value ? fmt::format("{}", *value) : std::string("-"); };
  const RobustOptions& robust = request.robust;
  const bool loses = request.sum.kind != SumKind::plain && request.sum.silent > 0.0;
  std::string text;
  if (robust.asked())
    text = fmt::format(" robust {} {} {} {} {}", shown(robust.row_clip), shown(robust.clip),
                       shown(robust.min_contributors), shown(robust.groups),
                       to_string(robust.across.value_or(Across{})));
  if (loses) text += fmt::format(" {} silent {}", to_string(request.sum.kind), request.sum.silent);
  return text.empty() ? text : text + fmt::format(" seed {}", request.plan.seed);
}

}  // namespace sotto::engine
