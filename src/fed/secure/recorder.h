// Recorder: writes down what a curious server would see of a round (privacy/audit/transcript.h) and passes
// the contributions on, unchanged, to the collector behind it.
//
// Under the secure view it lets the collector behind it sum the devices that stay, all together or each group
// by itself, and only these sums are written down: the groups and the silent devices are those that a
// SecureCollector of the same seed draws. Laws: the model is that of the collector behind it, byte for byte;
// a round of which something could not be written down fails and releases nothing; so does one with a sum of
// fewer devices than it must have, before any device is heard.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "fed/collector.h"
#include "privacy/audit/transcript.h"

namespace sotto::fed {

struct RecorderOptions {
  View view = View::plain;
  std::uint32_t group = 0;  // secure: devices that are summed together, at least; 0: the whole cohort
  std::uint32_t least = 0;  // secure: devices that must stay for a sum of the whole cohort
  double silent = 0.0;      // secure: the share of devices that fall silent in each round
  // Groups stay the same over rounds while the cohort does; else they are dealt anew, so that sums overlap in
  // ever new ways: the more dangerous habit.
  bool keep_groups = false;
  // A control: messages of as many rows, drawn at random, are written down instead of the true ones.
  bool random_messages = false;
  std::uint64_t seed = 1;
};

// Positions in a cohort of so many devices of those who stay in each of a round's sums. Fails where one has
// too few: of a cohort that is too small, or because silence leaves fewer than asked for, or one device
// alone.
using DealtSums = std::vector<std::vector<std::size_t>>;
[[nodiscard]] Result<DealtSums> deal_sums(const RecorderOptions& options, std::uint32_t round,
                                          std::size_t devices);

class Recorder final : public Collector {
 public:
  using Keep = std::function<Status(SeenRound&)>;

  // `inner` outlives it. `keep` is given each round once it is over.
  Recorder(Collector& inner, SumShape shape, const RecorderOptions& options, Keep keep);

  [[nodiscard]] Status begin(const RoundPlace& place) override;
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override;
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override;

 private:
  [[nodiscard]] SeenMessage seen(UserIndex user, const Contribution& contribution);
  [[nodiscard]] SeenMessage drawn_message(UserIndex user, std::size_t rows) const;
  void shuffle();
  [[nodiscard]] Result<SeenMessage> sum_of(const std::vector<std::size_t>& group, Traffic& traffic);

  Collector& inner_;
  SumShape shape_;
  RecorderOptions options_;
  Keep keep_;
  SumSpace space_;
  SeenRound round_;
  std::vector<UserIndex> cohort_;
  DealtSums dealt_;                 // secure
  std::vector<Contribution> held_;  // secure: until the round ends
  std::vector<std::uint8_t> met_;   // shuffled: who has been named
  std::size_t last_rows_ = 0;       // of the message before
};

}  // namespace sotto::fed
