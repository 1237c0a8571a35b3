#include "model/fcf.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace sotto {

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
  if (text == "adam") return ServerStep::adam;
  if (text == "sgd") return ServerStep::sgd;
  return fail(Code::usage, fmt::format("unknown server step '{}': choose adam or sgd", text));
}

const char* to_string(ServerStep step) { return step == ServerStep::adam ? "adam" : "sgd"; }

Status check(const FcfOptions& options) {
  SOTTO_TRY_DONE(check(options.als));
  if (!(options.rate > 0.0f && options.rate < 1e30f))
    return fail(Code::usage,
                fmt::format("server-lr is {}, but it must be a finite number above 0", options.rate));
  for (const float beta : {options.beta1, options.beta2})
    if (!(beta >= 0.0f && beta < 1.0f))
      return fail(Code::usage,
                  fmt::format("a beta of Adam is {}, but it must be at least 0 and below 1", beta));
  return Done{};
}

bool Fcf::Device::set_scores(const HistoryVisit& visit) {
  const RowMatrix& items = visit.received->rows();
  SOTTO_ASSERT(items.rows() == scores_.size(), "the received rows are the catalogue's");
  std::copy_n(visit.own, vector_.width() - 1, vector_.row(0));  // without the 1 at its end
  kernels::dot_many(vector_.row(0), items.row(0), items.rows(), items.stride(), scores_.data());
  return std::all_of(scores_.begin(), scores_.end(), [](float score) { return std::isfinite(score); });
}

Fcf::Server::Server(const Fcf& model, std::uint32_t round, FixedPoint fixed, RowMatrix& shared,
                    RowMatrix& memory)
    : options_(model.options_),
      unit_(static_cast<float>(1.0 / (static_cast<double>(fixed.scale()) * model.share_))),
      shared_(shared),
      memory_(memory) {
  if (options_.step == ServerStep::sgd) return;
  first_scale_ = correction(options_.beta1, round + 1);
  second_scale_ = correction(options_.beta2, round + 1);
}

template <class Integer>
void Fcf::Server::take(std::uint32_t item, const Integer* sum) {
  float* q = shared_.row(item);
  const bool adam = options_.step == ServerStep::adam;
  float* first = adam ? memory_.row(item) : nullptr;
  float* second = adam ? memory_.row(shared_.rows() + item) : nullptr;
  for (std::size_t k = 0; k < options_.als.factors; ++k) {
    const float slope = static_cast<float>(sum[k]) * unit_ + 2.0f * options_.als.lambda * q[k];
    float move = slope;
    if (adam) {
      first[k] = options_.beta1 * first[k] + (1.0f - options_.beta1) * slope;
      second[k] = options_.beta2 * second[k] + (1.0f - options_.beta2) * slope * slope;
      move = first[k] * first_scale_ / (std::sqrt(second[k] * second_scale_) + adam_epsilon);
    }
    q[k] -= options_.rate * move;
    finite_ &= std::isfinite(q[k]);
  }
}

template void Fcf::Server::take(std::uint32_t, const std::int32_t*);
template void Fcf::Server::take(std::uint32_t, const std::int64_t*);

}  // namespace sotto
