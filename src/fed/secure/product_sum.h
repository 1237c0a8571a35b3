// Sums of products by three aggregators of whom no two collude: Σ y xᵀ over devices that send only parts of
// x and y. For sums of pairs, whose triangle is far longer than what a device has: it sends as many numbers
// as there are items, not as there are pairs.
//
// A device splits its numbers into three parts that add up to them (fed/secure/part_sum.h: two of them are
// seeds), and aggregator k gets parts k and k + 1. Of y xᵀ = Σ_kl y_k x_lᵀ it can reckon three terms,
//   y_k (x_k + x_{k+1})ᵀ + y_{k+1} x_kᵀ,
// and the three of them all nine. Each adds what only it and the one before agree on and takes away what only
// it and the next one do, so that what they release adds up to the sum and shows nothing else.
// Laws: one aggregator sees two parts of three, which are noise; whose parts the first aggregator has is in
// the sum, and one that lacks those of any of them fails it; a sum is released once. Any two aggregators
// together see everything, and one that lies can make the sum wrong. Beyond their form nobody sees what
// devices say: one that lies adds some y xᵀ, never more.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/executor.h"
#include "fed/secure/part_sum.h"

namespace sotto::fed {

inline constexpr std::uint32_t product_aggregators = 3;

struct ProductShape {
  std::uint64_t session = 0;
  std::uint32_t devices = 0;
  std::uint32_t least_survivors = 2;
  std::uint32_t numbers = 0;  // of x
  bool weighted = false;      // y is sent too, after x; else it is x
  SumRange range;             // of products; a value of x or y is within its limit

  // Of what a device splits.
  [[nodiscard]] PartShape input() const;
  // Of the triangle: the product of y's number i and x's number j ≤ i is at i(i + 1)/2 + j.
  [[nodiscard]] PartShape total() const;
};

class ProductAggregator {
 public:
  // The keys are what it shares with the next one and with the one before.
  ProductAggregator(const ProductShape& shape, std::uint32_t number, const Secret& next,
                    const Secret& before);
  // One of its two parts; `from` is what the transport has proved.
  [[nodiscard]] Status receive(std::uint32_t from, const PartMessage& message);
  // Who sent both.
  [[nodiscard]] DeviceSet heard() const;
  // Its third of the sum over exactly these devices, packed; once.
  [[nodiscard]] Result<Bytes> release(const DeviceSet& survivors, Executor& executor) &&;

 private:
  [[nodiscard]] bool takes(std::uint32_t part) const;
  template <class Word>
  [[nodiscard]] RingValues multiply(const DeviceSet& survivors, Executor& executor) const;
  // A device's values of one of the two parts.
  void open_part(std::size_t which, std::uint32_t device, RingValues& out) const;

  ProductShape shape_;
  PartShape input_;
  std::uint32_t number_;
  Secret next_, before_;
  bool released_ = false;
  std::array<std::vector<Bytes>, 2> parts_;  // its own and the next one's, by device
};

class ProductSum final : public SumProtocol {
 public:
  ProductSum(std::uint32_t least, std::uint32_t bits, bool weighted, std::uint64_t seed, Executor& executor)
      : least_(least), bits_(bits), weighted_(weighted), seed_(seed), executor_(executor) {}
  // A task's entries are those of x, and of y behind them; the outcome's values are the triangle's.
  [[nodiscard]] Result<SumOutcome> sum(const SumTask& task) override;

 private:
  std::uint32_t least_, bits_;
  bool weighted_;
  std::uint64_t seed_;
  Executor& executor_;
};

}  // namespace sotto::fed
