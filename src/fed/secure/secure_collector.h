// SecureCollector: the end of a chain of collectors where the server learns sums of contributions and never
// one of them.
//
// A round's cohort is drawn into groups, the catalogue is cut into blocks of rows, and each group sums each
// block by a SumProtocol, dense within the block: which rows of it a device touched does not show. With one
// block, the whole catalogue (the default), nothing shows. With smaller ones it shows which blocks a device
// touched; where few did, others of the group join with zeros until the terms hold for them: all that may be
// corrupt in the group may be among them (who touches what is a device's own choice), and as many of its
// silent ones as a draw does not pass but with chance `abort`. At worst the whole group sums.
// Laws: what is released is the plain sum over the devices that stayed, bit for bit; a sum that fails
// releases nothing of the round; a round may be begun again, with the same groups and silent devices and with
// masks of its own; the same seed gives the same groups and the same silent devices for any
// number of threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fed/collector.h"
#include "fed/secure/round_draw.h"
#include "fed/secure/sum_protocol.h"
#include "privacy/secure/paillier.h"
#include "privacy/secure/sum_terms.h"

namespace sotto::fed {

enum class SumKind : std::uint8_t { plain, secure, shares, paillier, products };
[[nodiscard]] Result<SumKind> parse_sum_kind(const std::string& text);
[[nodiscard]] const char* to_string(SumKind kind);

struct SumOptions {
  SumKind kind = SumKind::plain;
  std::uint32_t block = 0;  // rows of a block; 0: the whole catalogue
  std::uint32_t group = 0;  // devices of a group, at least; 0: the whole cohort
  std::uint32_t bits = 0;   // of the ring; 0: as few as hold the sum
  std::uint32_t limit = 0;  // of a contribution's integers, either sign; 0: as large as they may be
  double silent = 0.0;      // simulated: the share of devices that fall silent in each round
  SumAssumptions assumed;
  std::uint32_t aggregators = 2;           // of shares
  std::uint32_t key_bits = paillier_bits;  // of Paillier
};
[[nodiscard]] Status check(const SumOptions& options);

// One protocol of the options' kind, which is neither plain nor products: these are of pairs alone
// (fed/secure/product_collector.h).
[[nodiscard]] std::unique_ptr<SumProtocol> make_protocol(const SumOptions& options, std::uint64_t seed,
                                                         Executor& executor);

class SecureCollector final : public Collector {
 public:
  SecureCollector(const SumOptions& options, SumShape shape, std::uint64_t seed, Executor& executor);
  // By the caller's own protocol of that kind.
  SecureCollector(const SumOptions& options, SumShape shape, std::uint64_t seed, Executor& executor,
                  std::unique_ptr<SumProtocol> protocol);

  [[nodiscard]] Status begin(const RoundPlace& place) override;
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override;
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override;

 private:
  // What one device holds ready: rows ascending, width values each.
  struct Held {
    std::uint32_t user = 0;
    std::vector<std::uint32_t> rows;
    std::vector<std::int32_t> values;
  };
  struct Block {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
  };

  // Some of a group, and what is assumed of them.
  struct Part {
    std::vector<std::uint32_t> members;
    SumAssumptions assumed;
  };

  [[nodiscard]] Part part_of(const Block& block, std::span<const std::uint32_t> group) const;
  [[nodiscard]] Status sum_block(const Block& block, std::vector<std::int64_t>& sums, Traffic& traffic);
  [[nodiscard]] Result<SumOutcome> sum_part(const Block& block, const Part& part);
  [[nodiscard]] Status fill(const Block& block, const Held& held, std::span<std::int32_t> out) const;

  SumOptions options_;
  SumShape shape_;
  std::int32_t limit_;
  std::uint64_t seed_;
  Executor& executor_;
  std::unique_ptr<SumProtocol> protocol_;
  std::uint32_t round_ = 0;
  // Of the next sum: the round and how many sums came before it. It only rises: who goes through a round
  // again, as often as they like, never draws the same masks.
  std::uint64_t session_ = 0;
  std::vector<UserIndex> cohort_;
  std::vector<Held> held_;  // in the cohort's order
  RoundDraw draw_;          // of places in held_
};

}  // namespace sotto::fed
