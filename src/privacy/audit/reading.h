// Reading: one message as an attacker reads it, with the regularisation undone, which the plan tells
// everybody.
//
// For FPL a row is Δb = ±d and Δq = ±d·p − λq: so pull = Δq + λq = ±d·p, and pull / Δb is the person's vector
// p at the moment of the triple. A sum over a group is read as the message of its mean member.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "privacy/audit/transcript.h"

namespace sotto::privacy {

class Reading {
 public:
  Reading(const TranscriptHead& head, const RowMatrix& shared, const SeenMessage& message);

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] std::size_t factors() const { return factors_; }
  [[nodiscard]] bool of_one() const { return members_ <= 1; }
  [[nodiscard]] std::uint32_t item(std::size_t n) const { return items_[n]; }
  [[nodiscard]] double bias(std::size_t n) const { return biases_[n]; }
  [[nodiscard]] std::span<const double> pull(std::size_t n) const {
    return {pulls_.data() + n * factors_, factors_};
  }
  // Of each number: what rounding and noise leave uncertain.
  [[nodiscard]] double sd() const { return sd_; }
  // Σ Δb²: how much the message says about its sender's vector.
  [[nodiscard]] double weight() const { return weight_; }
  // The sender's vector, by least squares over all rows; zero where the message says nothing.
  [[nodiscard]] std::vector<double> taste() const;

 private:
  std::size_t factors_;
  std::size_t members_;
  double sd_;
  double weight_ = 0.0;
  std::vector<std::uint32_t> items_;
  std::vector<double> biases_;
  std::vector<double> pulls_;
};

}  // namespace sotto::privacy
