#include "model/kgflex/gain.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "base/math.h"

namespace sotto::model {

namespace {

constexpr double ln2 = 0.693147180559945309417;

// Entropy in bits of something that is true with probability q.
double entropy(double q) {
  if (q <= 0.0 || q >= 1.0) return 0.0;
  return -(q * log_f64(q) + (1.0 - q) * log_f64(1.0 - q)) / ln2;
}

double impurity(double q) { return 4.0 * q * (1.0 - q); }

// Both kinds of examples have half of the weight each.
struct Shares {
  double with = 0.0;              // weight of the examples that have the feature
  double positive_with = 0.5;     // of them, the share of positive ones
  double positive_without = 0.5;  // of the others
};

Shares shares_of(const FeatureCounts& counts) {
  const double positive = static_cast<double>(counts.positives_with) / counts.positives;
  const double negative = static_cast<double>(counts.negatives_with) / counts.negatives;
  const double with = positive + negative, without = 2.0 - with;
  Shares shares;
  shares.with = with / 2.0;
  if (with > 0.0) shares.positive_with = positive / with;
  if (without > 0.0) shares.positive_without = (1.0 - positive) / without;
  return shares;
}

template <class Uncertainty>
double fall(const Shares& shares, const Uncertainty& of) {
  return 1.0 - shares.with * of(shares.positive_with) - (1.0 - shares.with) * of(shares.positive_without);
}

}  // namespace

Result<GainKind> parse_gain(const std::string& text) {
  for (const GainKind kind : {GainKind::information, GainKind::gini, GainKind::ratio})
    if (text == to_string(kind)) return kind;
  return fail(Code::usage, fmt::format("unknown gain '{}': choose information, gini or ratio", text));
}

const char* to_string(GainKind kind) {
  switch (kind) {
    case GainKind::gini:
      return "gini";
    case GainKind::ratio:
      return "ratio";
    default:
      return "information";
  }
}

double feature_gain(GainKind kind, const FeatureCounts& counts) {
  SOTTO_ASSERT(counts.positives > 0 && counts.negatives > 0, "there are examples of both kinds");
  const Shares shares = shares_of(counts);
  double gain = fall(shares, kind == GainKind::gini ? impurity : entropy);
  if (kind == GainKind::ratio) {
    const double own = entropy(shares.with);
    gain = own > 0.0 ? gain / own : 0.0;
  }
  return std::clamp(gain, 0.0, 1.0);
}

}  // namespace sotto::model
