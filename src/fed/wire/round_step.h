// What a round answers to a step of a device, and how long messages arrive in pieces.
//
// Laws: an answer is a refusal with its code, or progress; an Upload never holds more than its limit, and
// takes pieces in their order alone: whoever lost track is told where to go on.
#pragma once

#include <sotto/v1/federation.pb.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/layers.h"

namespace sotto::fed {

// A device's name in one round.
using RoundToken = std::array<std::uint8_t, 16>;

struct StepAnswer {
  v1::Refusal refusal = v1::REFUSAL_NONE;
  std::string why;           // of a refusal
  bool contributed = false;  // a contribution went into the sum with this step
  v1::StepReply::Progress progress = v1::StepReply::TAKEN;
  std::uint64_t next_offset = 0;
  std::string data;
};
[[nodiscard]] StepAnswer refuse_step(v1::Refusal refusal, std::string why);
[[nodiscard]] StepAnswer step_progress(v1::StepReply::Progress progress, std::string data = {});

// The first eight bytes of a message's hash: whether it is the same again.
[[nodiscard]] std::uint64_t message_digest(std::string_view message);

class Upload {
 public:
  // The next piece. Progress MORE: go on; TAKEN: `whole` has the message and nothing is held any more.
  [[nodiscard]] StepAnswer take(const v1::StepRequest& piece, std::uint64_t most, std::string& whole);
  [[nodiscard]] std::size_t bytes() const { return held_.size(); }
  void clear() { std::string().swap(held_); }

 private:
  std::string held_;
  std::uint64_t total_ = 0;
  v1::Phase phase_ = v1::PHASE_CONTRIBUTION;
};

}  // namespace sotto::fed
