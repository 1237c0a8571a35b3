// CandidateVotes: what a federation's people think of several models that could be the one they get. A device
// says of a candidate how many of its ten best items for the person are among those that the device kept back
// to judge by (the validation part), most_votes at most.
//
// Laws: a device looks at what its person lets out of both parts alone, as if there were nothing else; who
// takes no part says nothing. The same votes for any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "base/executor.h"
#include "data/split.h"
#include "model/recommender.h"
#include "sim/number_round.h"

namespace sotto::sim {

// All that one may say is paid for, and few have more to say; with 1 it would count who is served at all, not
// how well.
inline constexpr std::uint32_t most_votes = 3;

class CandidateVotes {
 public:
  CandidateVotes(const Split& split, const Plan& plan);

  // What people let out of their training part: candidates are asked about these.
  [[nodiscard]] const Histories& train() const { return train_; }
  // And of the part that is judged by.
  [[nodiscard]] const Histories& judged() const { return judged_; }

  // Everybody looks at one more candidate.
  [[nodiscard]] Status judge(const Recommender& candidate, Executor& executor);
  // The sums of what they said, one a candidate, or what the collector makes of them.
  [[nodiscard]] Result<CollectedNumbers> collect(std::uint32_t round, Collector& collector) const;

 private:
  Plan plan_;
  Histories train_, judged_;
  std::vector<std::vector<std::uint8_t>> votes_;  // by candidate and user
};

}  // namespace sotto::sim
