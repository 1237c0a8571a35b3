// RobustSum: a round's sum that a few lying devices cannot steer. A Collector that stands before other sums.
//
// Four measures, each on its own or together: every contribution is clipped (a row, the whole); the cohort is
// cut into groups, each summed by a collector of its own (in a deployment one secure sum each), and for each
// number the median or the trimmed mean over the groups is taken, scaled back to a sum; a row that fewer
// devices contributed to than `min_contributors` is not released.
//
// Laws: integers alone, so the same sum on every machine; the groups follow from (seed, round, user) and not
// from an order; where all groups agree, and with the mean always, the result is the plain sum of the clipped
// contributions; up to `trim` of the groups, whatever they say, cannot move a trimmed mean beyond the
// others' values. The clip is the server's (or a range proof's): it holds for devices that do not clip
// themselves. A device counts as a contributor of a row if it says anything but zero about it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fixed_point.h"
#include "fed/collector.h"
#include "privacy/contribution_edit.h"

namespace sotto::fed {

enum class AcrossKind : std::uint8_t { mean, median, trimmed };

// How the groups' sums become one.
struct Across {
  AcrossKind kind = AcrossKind::mean;
  double trim = 0.2;  // trimmed: the share of the groups that is left out at each end
};
// "mean", "median" or "trimmed:0.2".
[[nodiscard]] Result<Across> parse_across(const std::string& text);
[[nodiscard]] std::string to_string(const Across& across);

// Lengths are in the model's units. Whatever is not there is not done.
struct RobustOptions {
  std::optional<double> row_clip = {};
  std::optional<double> clip = {};
  std::optional<std::uint32_t> min_contributors = {};
  std::optional<std::uint32_t> groups = {};
  std::optional<Across> across = {};

  [[nodiscard]] bool asked() const { return row_clip || clip || min_contributors || groups || across; }
};
[[nodiscard]] Status check(const RobustOptions& options);

// Σ over groups by the rule: `values`, one a group, are put in order.
[[nodiscard]] std::int64_t combined(const Across& across, std::span<std::int64_t> values);

// The fewest contributors that keep `malicious` devices from moving a row nobody honest wants: those devices,
// the honest ones that draw the row as a negative by chance (`expected` of them), and four standard
// deviations of that.
[[nodiscard]] std::uint32_t least_contributors(std::uint32_t malicious, double expected);

class RobustSum final : public Collector {
 public:
  using MakeSum = std::function<std::unique_ptr<Collector>(std::size_t group)>;

  // `make_sum` gives the collector of a group; it is called for each once.
  RobustSum(SumShape shape, const RobustOptions& options, FixedPoint fixed, std::uint64_t seed,
            const MakeSum& make_sum);

  [[nodiscard]] Status begin(const RoundPlace& place) override;
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override;
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override;

 private:
  void draw_groups(const RoundPlace& place);
  void count(const Contribution& contribution);
  // The sum of one group into its numbers.
  [[nodiscard]] Result<Traffic> finish_group(std::size_t group);

  SumShape shape_;
  Across across_;
  ClipLimits limits_;
  std::uint32_t least_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<Collector>> sums_;
  SumSpace space_;
  std::vector<UserIndex> cohort_;
  std::vector<std::uint32_t> group_of_;  // of each place in the cohort
  std::vector<std::vector<UserIndex>> members_;
  std::size_t next_ = 0;                                // place in the cohort
  std::vector<std::uint32_t> contributors_;             // of each row
  std::vector<std::vector<std::int64_t>> group_total_;  // rows · width; one where the rule is the mean
};

}  // namespace sotto::fed
