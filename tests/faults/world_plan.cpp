// What a world is to go through: as text, and drawn from a seed.
#include <fmt/format.h>

#include "tests/faults/world.h"

namespace sotto::tests {

std::string WorldPlan::text() const {
  return fmt::format(
      "seed {}: {} devices, {} rounds{}{}, {}{}{}{}, bad line {:.2f}{}{}{}, disk fault {} at {} for {} in {} "
      "lives, device deaths at {} or {:.3f}",
      seed, devices, rounds, noisy ? ", noise" : "", secure ? ", secure" : "", model->name,
      popular ? " of popular items" : "", weighed ? " by criteria" : "", grows ? ", which grow" : "",
      bad_line, cuts ? ", cuts" : "", skewed ? ", skewed clocks" : "", hostile ? ", hostile" : "",
      static_cast<int>(disk), disk_at, disk_length, deaths, device_dies_at, device_dies);
}

WorldPlan drawn_plan(std::uint64_t seed) {
  Stream draws(seed, Purpose::generate_world, 1);
  WorldPlan plan;
  plan.seed = seed;
  plan.devices = 5 + draws.below(4);
  plan.rounds = 2 + draws.below(3);
  plan.secure = draws.chance(0.2);
  plan.noisy = !plan.secure && draws.chance(0.4);
  plan.bad_line = draws.chance(0.2) ? 0.0 : 0.15 * draws.uniform();
  plan.cuts = draws.chance(0.5);
  plan.skewed = draws.chance(0.5);
  plan.hostile = draws.chance(0.5);
  plan.disk = static_cast<DiskFault>(draws.below(5));
  plan.disk_at = 1 + draws.below(writes_of_a_life);
  plan.disk_length = 1 + draws.below(40);
  plan.deaths = 1 + draws.below(6);
  plan.device_dies = draws.chance(0.5) ? 0.02 : 0.0;
  plan.model = task_models[draws.below(task_models.size())];
  // Noise over four devices leaves least squares without a solution, and counts of pairs take none.
  if (plan.noisy && (plan.model == &fedals_task || plan.model->added != nullptr)) plan.model = &fcf_task;
  plan.popular = plan.model->added != nullptr && draws.chance(0.6);
  plan.weighed = plan.model->weighable != Weighable::no && !plan.noisy && draws.chance(0.4);
  plan.grows = plan.model->grown != nullptr && draws.chance(0.4);
  return plan;
}

}  // namespace sotto::tests
