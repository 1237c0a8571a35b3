// How a server moves the shared rows by what a round's devices sent: plain gradient steps, steps with
// momentum (v ← beta1·v + slope, row −= rate·v), or Adam (Kingma and Ba 2015), whose steps are about as long
// for what few devices speak of as for what all do (a row that is spoken of for the first time late takes
// longer ones).
//
// The moments are kept by whoever keeps the rows: the first ones of all rows, then Adam's second ones. A row
// that nobody spoke of in a round stays, and so do its moments.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/result.h"
#include "base/row_matrix.h"

namespace sotto::model {

enum class ServerStep : std::uint8_t { adam, sgd, momentum };
// As they are written, in this order.
inline constexpr std::initializer_list<const char*> server_steps{"adam", "sgd", "momentum"};
[[nodiscard]] Result<ServerStep> parse_server_step(const std::string& text);
[[nodiscard]] const char* to_string(ServerStep step);

struct ServerStepOptions {
  ServerStep step = ServerStep::adam;
  float rate = 0.1f;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
};
[[nodiscard]] Status check(const ServerStepOptions& options);

[[nodiscard]] RowMatrix start_moments(const ServerStepOptions& options, std::size_t rows, std::size_t width);

// The steps of one round.
class RoundSteps {
 public:
  struct Columns {
    std::size_t first = 0;
    float rate = 1.0f;  // times the options'
  };

  RoundSteps(const ServerStepOptions& options, std::uint32_t round, RowMatrix& shared, RowMatrix& moments);

  // Row −= rate · slope, or as Adam says, for `count` numbers of the row; one slope a number of the row.
  void move(std::uint32_t row, const float* slope, std::size_t count, const Columns& columns);
  void move(std::uint32_t row, const float* slope, std::size_t count) { move(row, slope, count, {}); }
  // Whether all that was moved stayed a finite number.
  [[nodiscard]] bool finite() const { return finite_; }

 private:
  ServerStepOptions options_;
  float first_scale_ = 1.0f;  // corrections for moments that began at 0
  float second_scale_ = 1.0f;
  RowMatrix& shared_;
  RowMatrix& moments_;
  bool finite_ = true;
};

}  // namespace sotto::model
