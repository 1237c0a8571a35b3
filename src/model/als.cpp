#include "model/als.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "model/factor_rows.h"

namespace sotto::model {

namespace {

// The sums are cut into so many parts at most, whatever the executor.
constexpr std::size_t most_parts = 32;
constexpr std::size_t least_rows_a_part = 2048;

RowMatrix square_for(std::size_t factors) { return {kernels::square_rows(factors), factors + 1}; }

void add_rows(const RowMatrix& rows, std::size_t begin, std::size_t end, RowMatrix& sums) {
  std::vector<const float*> some;
  for (std::size_t row = begin; row < end; ++row) some.push_back(rows.row(row));
  kernels::add_products(some, rows.width() - 1, rows.stride(), sums.row(0));
}

Status check_number(const char* name, float value) {
  if (value >= 0.0f && value < 1e30f) return Done{};
  return fail(Code::usage,
              fmt::format("{} is {}, but it must be a finite number of at least 0", name, value));
}

}  // namespace

Status check(const AlsOptions& options) {
  if (options.factors == 0 || options.factors > 1024)
    return fail(Code::usage,
                fmt::format("factors is {}, but least squares takes from 1 to 1024", options.factors));
  SOTTO_TRY_DONE(check_number("lambda", options.lambda));
  SOTTO_TRY_DONE(check_number("the confidence", options.confidence));
  SOTTO_TRY_DONE(check_number("the initial deviation", options.init_sd));
  if (!(options.reg_power >= 0.0f && options.reg_power <= 2.0f))
    return fail(Code::usage, fmt::format("reg-power is {}, but it must be from 0 to 2", options.reg_power));
  return Done{};
}

RowMatrix start_items(const AlsOptions& options, std::size_t catalogue) {
  return start_item_rows(catalogue, options.factors, options.init_sd, options.seed);
}

void start_user(std::uint32_t factors, float* own) {
  std::fill_n(own, factors, 0.0f);
  own[factors] = 1.0f;
}

Error no_solution(const char* model, std::uint32_t round) {
  return fail(Code::diverged,
              fmt::format("{} has no solution in round {}: its system is singular or its numbers left the "
                          "range; raise --lambda, or lower --confidence",
                          model, round + 1));
}

FactorSide::FactorSide(const RowMatrix& rows, Executor& executor) : rows_(rows) {
  const std::size_t factors = rows.width() - 1;
  for (std::size_t row = 0; row < rows_.rows(); ++row) rows_.row(row)[factors] = 1.0f;
  const std::size_t parts = std::clamp<std::size_t>(rows.rows() / least_rows_a_part, 1, most_parts);
  std::vector<RowMatrix> sums(parts, square_for(factors));
  executor.run(parts, [&](std::size_t part) {
    add_rows(rows_, rows_.rows() * part / parts, rows_.rows() * (part + 1) / parts, sums[part]);
  });
  gram_ = RowMatrix(factors, factors + 1);
  for (const RowMatrix& part : sums)
    for (std::size_t i = 0; i < factors; ++i)
      for (std::size_t j = i; j <= factors; ++j) gram_.row(i)[j] += part.row(i)[j];
}

FactorSide::FactorSide(RowMatrix rows, RowMatrix gram) : rows_(std::move(rows)), gram_(std::move(gram)) {
  SOTTO_ASSERT(gram_.rows() + 1 == rows_.width() && gram_.width() == rows_.width(),
               "a side's square has the size of its rows");
  for (std::size_t row = 0; row < rows_.rows(); ++row) rows_.row(row)[factors()] = 1.0f;
}

AlsSolver::AlsSolver(const AlsOptions& options) : options_(options), sums_(square_for(options.factors)) {}

RowMatrix& AlsSolver::clear_sums() {
  std::fill_n(sums_.row(0), sums_.rows() * sums_.stride(), 0.0f);
  return sums_;
}

AlsSolver::Outcome AlsSolver::solve_rows(const RowMatrix& gram, std::size_t all, float* out) {
  kernels::add_products(rows_, options_.factors, sums_.stride(), clear_sums().row(0));
  return solve_sums(gram, static_cast<double>(rows_.size()), all, out);
}

AlsSolver::Outcome AlsSolver::solve_sums(const RowMatrix& gram, double own, std::size_t all, float* out) {
  if (own == 0.0) return std::fill_n(out, options_.factors, 0.0f), Outcome{};
  const float alpha = options_.confidence;
  float reg = options_.lambda;
  if (options_.reg_power > 0.0f)
    reg *= exp_f32(options_.reg_power *
                   log_f32(std::max(alpha * static_cast<float>(own) + static_cast<float>(all), 1.0f)));
  const double gain =
      kernels::solve_weighted({sums_.row(0), gram.row(0), options_.factors, sums_.stride(), alpha, reg}, out);
  const bool finite = std::all_of(out, out + options_.factors, [](float x) { return std::isfinite(x); });
  return {(1.0 + static_cast<double>(alpha)) * own - gain, gain >= 0.0 && finite};
}

std::int64_t loss_units_of(double loss) { return std::llround(loss * 0x1.0p20); }

}  // namespace sotto::model
