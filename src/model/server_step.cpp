#include "model/server_step.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace sotto::model {

namespace {

constexpr float adam_epsilon = 1e-8f;

// 1 / (1 − beta^steps), by products, which are the same on every machine.
float correction(float beta, std::uint32_t steps) {
  double power = 1.0;
  for (std::uint32_t n = 0; n < steps && power > 1e-12; ++n) power *= static_cast<double>(beta);
  return static_cast<float>(1.0 / (1.0 - power));
}

}  // namespace

Result<ServerStep> parse_server_step(const std::string& text) {
  const auto* found = std::ranges::find_if(server_steps, [&](const char* word) { return text == word; });
  if (found != server_steps.end()) return static_cast<ServerStep>(found - server_steps.begin());
  return fail(Code::usage, fmt::format("unknown server step '{}': choose adam, sgd or momentum", text));
}

const char* to_string(ServerStep step) { return server_steps.begin()[static_cast<std::size_t>(step)]; }

Status check(const ServerStepOptions& options) {
  if (!(options.rate > 0.0f && options.rate < 1e30f))
    return fail(Code::usage,
                fmt::format("server-lr is {}, but it must be a finite number above 0", options.rate));
  for (const float beta : {options.beta1, options.beta2})
    if (!(beta >= 0.0f && beta < 1.0f))
      return fail(
          Code::usage,
          fmt::format("a beta of the server's steps is {}, but it must be at least 0 and below 1", beta));
  return Done{};
}

RowMatrix start_moments(const ServerStepOptions& options, std::size_t rows, std::size_t width) {
  if (options.step == ServerStep::sgd) return RowMatrix();
  return RowMatrix(options.step == ServerStep::adam ? 2 * rows : rows, width);
}

RoundSteps::RoundSteps(const ServerStepOptions& options, std::uint32_t round, RowMatrix& shared,
                       RowMatrix& moments)
    : options_(options), shared_(shared), moments_(moments) {
  if (options_.step != ServerStep::adam) return;
  first_scale_ = correction(options_.beta1, round + 1);
  second_scale_ = correction(options_.beta2, round + 1);
}

void RoundSteps::move(std::uint32_t row, const float* slope, std::size_t count, const Columns& columns) {
  const float rate = options_.rate * columns.rate;
  float* values = shared_.row(row);
  const bool adam = options_.step == ServerStep::adam;
  const bool momentum = options_.step == ServerStep::momentum;
  float* first = adam || momentum ? moments_.row(row) : nullptr;
  float* second = adam ? moments_.row(shared_.rows() + row) : nullptr;
  for (std::size_t k = columns.first; k < columns.first + count; ++k) {
    float step = slope[k];
    if (adam) {
      first[k] = options_.beta1 * first[k] + (1.0f - options_.beta1) * slope[k];
      second[k] = options_.beta2 * second[k] + (1.0f - options_.beta2) * slope[k] * slope[k];
      step = first[k] * first_scale_ / (std::sqrt(second[k] * second_scale_) + adam_epsilon);
    }
    if (momentum) step = first[k] = options_.beta1 * first[k] + slope[k];
    values[k] -= rate * step;
    finite_ &= std::isfinite(values[k]);
  }
}

}  // namespace sotto::model
