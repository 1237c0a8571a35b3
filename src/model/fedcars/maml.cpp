#include "model/fedcars/maml.h"

#include <fmt/core.h>

namespace sotto::model {

Result<MamlOrder> parse_maml_order(const std::string& text) {
  if (text == "first") return MamlOrder::first;
  if (text == "second") return MamlOrder::second;
  return fail(Code::usage, fmt::format("unknown order of MAML '{}': choose first or second", text));
}
const char* to_string(MamlOrder order) { return order == MamlOrder::first ? "first" : "second"; }

Result<Adapts> parse_adapts(const std::string& text) {
  if (text == "own") return Adapts::own;
  if (text == "all") return Adapts::all;
  return fail(Code::usage,
              fmt::format("unknown choice of what inner steps move '{}': choose own or all", text));
}
const char* to_string(Adapts adapts) { return adapts == Adapts::own ? "own" : "all"; }

Status check(const MamlOptions& options) {
  if (options.steps > 1000)
    return fail(Code::usage, fmt::format("{} inner steps are too many: give at most 1000", options.steps));
  if (!(options.rate > 0.0f && options.rate < 1e6f))
    return fail(Code::usage,
                fmt::format("the rate of the inner steps is {}, but it must be a finite number above 0",
                            options.rate));
  for (const float reg : {options.own_reg, options.shared_reg, options.prior})
    if (!(reg >= 0.0f && reg < 1e6f))
      return fail(Code::usage,
                  fmt::format("a regularisation is {}, but it must be a finite number, 0 or larger", reg));
  return Done{};
}

template <class Real>
void Maml<Real>::step(const FmBatch& support, const Real* home, std::vector<Real>& rows) {
  const std::size_t own = task_.shape().width();
  work_.assign(rows.size(), Real{0});
  task_.add_gradient(rows.data(), support, work_.data());
  const auto rate = static_cast<Real>(options_.rate), pull = static_cast<Real>(options_.own_reg);
  const std::size_t moved = options_.adapts == Adapts::own ? own : rows.size();
  for (std::size_t k = 0; k < moved; ++k)
    rows[k] -= rate * (k < own ? work_[k] + pull * (rows[k] - home[k]) : work_[k]);
}

template <class Real>
void Maml<Real>::adapt(const FmBatch& examples, std::uint32_t steps, std::vector<Real>& rows) {
  if (examples.examples.empty()) return;
  const FmBatch support{examples.features, examples.examples, options_.prior};
  if (is_plain()) return own_steps_.walk(support, steps, own_pull(), rows.data());
  const std::vector<Real> home(rows.begin(),
                               rows.begin() + static_cast<std::ptrdiff_t>(task_.shape().width()));
  for (std::uint32_t n = 0; n < steps; ++n) step(support, home.data(), rows);
}

template <class Real>
void Maml<Real>::step_back(const FmBatch& support, const std::vector<Real>& rows, std::vector<Real>& slope) {
  const std::size_t own = task_.shape().width();
  const auto rate = static_cast<Real>(options_.rate), pull = static_cast<Real>(options_.own_reg);
  // Only what the step moved leads back through it.
  turned_ = slope;
  if (options_.adapts == Adapts::own)
    std::fill(turned_.begin() + static_cast<std::ptrdiff_t>(own), turned_.end(), Real{0});
  work_.assign(rows.size(), Real{0});
  task_.add_curvature(rows.data(), turned_.data(), support, work_.data());
  for (std::size_t k = 0; k < slope.size(); ++k) slope[k] -= rate * work_[k];
  // λ_own(φ − θ): what is taken from φ here is given back to θ, so it is kept apart until the last step.
  for (std::size_t k = 0; k < own; ++k) {
    given_back_[k] += rate * pull * turned_[k];
    slope[k] -= rate * pull * turned_[k];
  }
}

template <class Real>
void Maml<Real>::add_pull(const std::vector<Real>& start, const FmBatch& query,
                          std::vector<Real>& slope) const {
  const std::size_t width = task_.shape().width();
  const auto reg = static_cast<Real>(options_.shared_reg);
  const Real each = reg / static_cast<Real>(query.examples.size());
  const auto pull = [&](std::size_t row, Real amount) {
    for (std::size_t k = row * width; k < (row + 1) * width; ++k) slope[k] += amount * start[k];
  };
  for (const FmExample& example : query.examples)
    for (std::uint32_t f = example.begin; f < example.end; ++f)
      if (query.features[f].row != 0) pull(query.features[f].row, each);
  for (std::size_t row = 0; row < task_.shape().network_rows(); ++row)
    if (task_.shape().hidden > 0) pull(task_.shape().network + row, reg);
}

template <class Real>
Real Maml<Real>::slope(const std::vector<Real>& start, const FmBatch& examples, const FmBatch& query,
                       std::vector<Real>& slope) {
  const std::size_t own = task_.shape().width();
  const FmBatch support{examples.features, examples.examples, options_.prior};
  const std::uint32_t steps = support.examples.empty() ? 0 : options_.steps;
  const bool second = options_.order == MamlOrder::second;
  const bool plain = is_plain() && steps > 0;
  path_.resize(second && !plain ? steps : 0);
  rows_ = start;
  if (plain) own_steps_.walk(support, steps, own_pull(), rows_.data());
  for (std::uint32_t n = 0; n < steps && !plain; ++n) {
    if (second) path_[n] = rows_;
    step(support, start.data(), rows_);
  }
  slope.assign(start.size(), Real{0});
  const Real loss = task_.add_gradient(rows_.data(), query, slope.data());
  if (second && plain) own_steps_.walk_back(own_pull(), rows_.data(), slope.data());
  if (second && !plain) {
    given_back_.assign(own, Real{0});
    for (std::uint32_t n = steps; n > 0; --n) step_back(support, path_[n - 1], slope);
    for (std::size_t k = 0; k < own; ++k) slope[k] += given_back_[k];
  }
  add_pull(start, query, slope);
  return loss;
}

template class Maml<float>;
template class Maml<double>;

}  // namespace sotto::model
