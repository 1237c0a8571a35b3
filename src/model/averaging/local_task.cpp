#include "model/averaging/local_task.h"

#include <fmt/core.h>

namespace sotto::model {

Status check(const LocalTraining& training) {
  if (training.epochs == 0)
    return fail(Code::usage, "devices that train for 0 epochs have nothing to send: take at least 1");
  if (!(training.rate > 0.0f && training.rate < 1e30f))
    return fail(Code::usage,
                fmt::format("the devices' learning rate is {}, but it must be a finite number above 0",
                            training.rate));
  if (!(training.proximal >= 0.0f && training.proximal < 1e30f))
    return fail(Code::usage,
                fmt::format("the proximal term's weight is {}, but it must be a finite number from 0 on",
                            training.proximal));
  return Done{};
}

}  // namespace sotto::model
