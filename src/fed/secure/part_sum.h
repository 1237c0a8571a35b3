// Additive parts for several aggregators that do not collude: a device splits its input into as many parts as
// there are aggregators, each of them noise by itself; the sums of all parts together are the sum.
//
// All parts but one are streams that 32 bytes name: a device sends its input's length once, and a seed to
// each of the other aggregators. Laws: one honest aggregator suffices to hide an input; whose part the first
// aggregator has is in the sum, and an aggregator that lacks the seed of one of them fails the sum; released
// once. What a device says is not checked beyond its form: nobody sees an input, only the total's range
// shows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fed/messages.h"
#include "fed/secure/sum_protocol.h"
#include "privacy/secure/ring_values.h"

namespace sotto::fed {

// One part: the masked values for the first aggregator, a seed for each other. Wiped when it goes.
struct PartMessage {
  static constexpr MessageKind kind = MessageKind::sum_part;
  std::uint64_t session = 0;
  std::uint32_t aggregator = 0;
  Bytes part;
  ~PartMessage() { wipe(part); }
  void write(Writer& out) const;
  [[nodiscard]] static Result<PartMessage> read(Reader& in);
};

struct PartShape {
  std::uint64_t session = 0;
  std::uint32_t devices = 0;
  std::uint32_t aggregators = 2;
  std::uint32_t least_survivors = 2;
  std::uint32_t entries = 0;
  SumRange range;
};

// The device's half: its parts, the first aggregator's last, so that whoever has that one has all.
[[nodiscard]] Result<std::vector<PartMessage>> split_input(const PartShape& shape,
                                                           std::span<const std::int32_t> input,
                                                           const Secret& entropy);

// One aggregator's half.
class PartAggregator {
 public:
  PartAggregator(const PartShape& shape, std::uint32_t number);
  // `from` is what the transport has proved.
  [[nodiscard]] Status receive(std::uint32_t from, const PartMessage& message);
  // Whose parts came: the first aggregator's decide who is in the sum.
  [[nodiscard]] const DeviceSet& heard() const { return heard_; }
  // The sum of its parts of exactly these devices, packed; once.
  [[nodiscard]] Result<Bytes> release(const DeviceSet& survivors) &&;

 private:
  PartShape shape_;
  std::uint32_t number_;
  bool released_ = false;
  DeviceSet heard_;
  std::vector<Secret> seeds_;  // by device
  RingValues sum_;
};

// The total of all aggregators' sums, checked against its range.
[[nodiscard]] Result<std::vector<std::int64_t>> join_parts(const PartShape& shape, std::uint32_t survivors,
                                                           std::span<const Bytes> sums);

class PartSum final : public SumProtocol {
 public:
  PartSum(std::uint32_t aggregators, std::uint32_t least, std::uint32_t bits, std::uint64_t seed,
          Executor& executor)
      : aggregators_(aggregators), least_(least), bits_(bits), seed_(seed), executor_(executor) {}
  [[nodiscard]] Result<SumOutcome> sum(const SumTask& task) override;

 private:
  std::uint32_t aggregators_, least_, bits_;
  std::uint64_t seed_;
  Executor& executor_;
};

}  // namespace sotto::fed
