// ProductCollector: the end of a chain of collectors where three aggregators multiply what devices split
// among them (fed/secure/product_sum.h). A contribution is a list of a person's items, each with the weight
// of their pairs; what is released are the numbers of a PairLayout over these items.
//
// Law: the sum is what contributions of all pairs (privacy/pair_contribution.h) add up to.
#pragma once

#include <vector>

#include "fed/secure/secure_collector.h"
#include "model/pair_counts.h"

namespace sotto::fed {

class ProductCollector final : public Collector {
 public:
  ProductCollector(const SumOptions& options, std::size_t items, PersonWeight weight, std::uint64_t seed,
                   Executor& executor);

  [[nodiscard]] Status begin(const RoundPlace& place) override;
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override;
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override;

 private:
  struct Given {
    std::uint32_t item = 0;
    std::int32_t weight = 0;
  };

  SumOptions options_;
  std::uint32_t items_;
  bool weighted_;
  std::uint64_t seed_;
  Executor& executor_;
  std::uint32_t round_ = 0;
  std::uint64_t session_ = 0;  // only rises, as a SecureCollector's
  std::vector<std::uint32_t> cohort_;
  std::vector<std::vector<Given>> held_;  // in the cohort's order
};

// What a device sends for the pairs of so many items, in bytes.
[[nodiscard]] Result<std::uint64_t> product_bytes_up(const SumOptions& options, std::size_t devices,
                                                     std::size_t items, PersonWeight weight);

}  // namespace sotto::fed
