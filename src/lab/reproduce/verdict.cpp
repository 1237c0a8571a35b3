#include "lab/reproduce/verdict.h"

#include <cmath>

#include "base/assert.h"

namespace sotto::lab {

namespace {

constexpr double half_last_digit = 5e-6;  // the papers print five decimals
constexpr double same_within = 0.005;
constexpr double near_within = 0.05;

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::reached:
      return "reached";
    case Verdict::near:
      return "within 5%";
    case Verdict::below:
      return "below";
    case Verdict::above:
      return "above";
    case Verdict::no_print:
      return "no print";
    case Verdict::absent:
      return "data absent";
    case Verdict::other:
      return "other data";
    case Verdict::failed:
      return "failed";
  }
  SOTTO_ASSERT(false, "every verdict has a name");
  return "";
}

Verdict judge(std::optional<double> printed, double ours, Yardstick yardstick) {
  if (!printed) return Verdict::no_print;
  const double away = std::abs(ours - *printed);
  const double size = std::abs(*printed);
  const bool reached = yardstick == Yardstick::same       ? away <= same_within * size
                       : yardstick == Yardstick::at_least ? ours + half_last_digit >= *printed
                                                          : ours - half_last_digit <= *printed;
  if (reached) return Verdict::reached;
  if (away <= near_within * size) return Verdict::near;
  return ours > *printed ? Verdict::above : Verdict::below;
}

std::optional<double> ratio_of(std::optional<double> printed, std::optional<double> ours) {
  if (!printed || !ours || *printed == 0.0) return std::nullopt;
  return *ours / *printed;
}

}  // namespace sotto::lab
