#include "model/fpl.h"

#include <fmt/core.h>

namespace sotto::model {

Result<LocalSteps> parse_local_steps(const std::string& text) {
  if (text == "sequential") return LocalSteps::sequential;
  if (text == "batch") return LocalSteps::batch;
  return fail(Code::usage, fmt::format("unknown local mode '{}': choose sequential or batch", text));
}

const char* to_string(LocalSteps local) { return local == LocalSteps::sequential ? "sequential" : "batch"; }

namespace {

Status check_number(const char* name, float value, bool may_be_zero) {
  const bool fits = value < 1e30f && (may_be_zero ? value >= 0.0f : value > 0.0f);
  if (fits) return Done{};
  return fail(Code::usage, fmt::format("{} is {}, but it must be a finite number {} 0", name, value,
                                       may_be_zero ? "of at least" : "above"));
}

}  // namespace

Status check(const FplOptions& options) {
  if (options.factors == 0 || options.factors > 4096)
    return fail(Code::usage, fmt::format("factors is {}, but it must be from 1 to 4096", options.factors));
  SOTTO_TRY_DONE(check_number("the learning rate", options.learning_rate, false));
  SOTTO_TRY_DONE(check_number("the user regularisation", options.user_reg, true));
  SOTTO_TRY_DONE(check_number("the positive regularisation", options.positive_reg, true));
  SOTTO_TRY_DONE(check_number("the negative regularisation", options.negative_reg, true));
  return check_number("the initial deviation", options.init_sd, true);
}

RowMatrix Fpl::start_shared() const {
  RowMatrix rows(catalogue_, shared_width());
  for (std::uint32_t item = 0; item < catalogue_; ++item) {
    Stream draws(seed_, Purpose::init_shared, 0, item);
    for (float& value : rows.values(item)) value = options_.init_sd * static_cast<float>(draws.normal());
  }
  return rows;
}

void Fpl::start_private(UserIndex user, float* own) const {
  Stream draws(seed_, Purpose::init_private, 0, user.value);
  for (std::uint32_t k = 0; k < options_.factors; ++k)
    own[k] = options_.init_sd * static_cast<float>(draws.normal());
  own[options_.factors] = 1.0f;
}

VisitReport Fpl::play_solo(std::span<const SoloVisit> visits, FixedPoint fixed, RowMatrix& shared) const {
  SOTTO_ASSERT(visits.size() <= kernels::most_steps, "so many visits are computed side by side");
  kernels::RowStep steps[kernels::most_steps];
  for (std::size_t n = 0; n < visits.size(); ++n)
    steps[n] = {.own = visits[n].own,
                .positive = shared.row(visits[n].pair.positive.value),
                .negative = shared.row(visits[n].pair.negative.value),
                .send_positive = visits[n].send_positive};
  const kernels::PairTotals totals = kernels::round_steps({steps, visits.size()}, rates(fixed.scale()));
  return {totals.loss_units, totals.finite};
}

}  // namespace sotto::model
