// The leakage audit's figures on real data, for `./dev verify`.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace sotto::tests {

// A figure must lie in [low, high].
struct MeasuredFigure {
  std::string data;
  std::string name;
  std::string metric;
  std::optional<double> value;
  double low = 0.0;
  double high = 0.0;
  std::string failure;  // why there is none
};

// MovieLens 100K, temporal 80/20, pFPL+ with 20 factors. Quick: with fewer people, and the shorter half.
void measure_audit(const std::string& folder, bool quick,
                   const std::function<void(const MeasuredFigure&)>& tell);

}  // namespace sotto::tests
