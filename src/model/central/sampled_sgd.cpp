#include "model/central/sampled_sgd.h"

#include <fmt/core.h>

#include <limits>

namespace sotto::model {

Status check_sampled(std::uint32_t factors, float rate, float lambda, float init_sd) {
  if (factors == 0 || factors > 4096)
    return fail(Code::usage, fmt::format("factors is {}, but it must be from 1 to 4096", factors));
  if (!(rate > 0.0f && rate < 1e30f))
    return fail(Code::usage, fmt::format("the learning rate is {}, but it must be a number above 0", rate));
  for (const float value : {lambda, init_sd})
    if (!(value >= 0.0f && value < 1e30f))
      return fail(Code::usage,
                  fmt::format("lambda or init-sd is {}, but they must be numbers of at least 0", value));
  return Done{};
}

Status check_sampled_data(const char* model, const Histories& train, std::size_t catalogue) {
  if (train.interactions() == 0 || catalogue < 2)
    return fail(
        Code::bad_input,
        fmt::format("{} has nothing to compare: the training part needs interactions and at least two "
                    "items",
                    model));
  if (train.interactions() > std::numeric_limits<std::uint32_t>::max())
    return fail(Code::bad_input,
                fmt::format("{} takes at most 4,294,967,295 interactions; sample the training part", model));
  return Done{};
}

Error sampled_diverged(const char* model, std::uint32_t epoch) {
  return fail(
      Code::diverged,
      fmt::format("{} diverged in epoch {}: its numbers left the finite range; take a smaller learning "
                  "rate",
                  model, epoch + 1));
}

}  // namespace sotto::model
