// Witness: what has been gathered about some people from a transcript, in one pass over its rounds. It ends
// with evidence: one number a thing (an item; or a feature, where the question is about features) for each
// target, larger where the thing is more likely the person's.
//
// Laws: the evidence about somebody depends on the messages, on what everybody knows and on what learn() was
// told of teachers, never on the own truth of anybody else; the same numbers for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/executor.h"
#include "data/histories.h"
#include "data/ids.h"
#include "privacy/audit/attacker.h"
#include "privacy/audit/transcript.h"

namespace sotto::privacy {

// What an attacker wants to know of somebody. Features are numbered in place of items then.
enum class Question : std::uint8_t { items, features };

class Witness {
 public:
  Witness() = default;
  Witness(Witness&&) = default;
  Witness& operator=(Witness&&) = default;
  virtual ~Witness() = default;

  [[nodiscard]] virtual std::span<const UserIndex> targets() const = 0;
  virtual void observe(const SeenRound& round, Executor& executor) = 0;
  // Before evidence is asked for: the places among the targets of some whose truth the attacker knows. What
  // evidence says of these is flattered, and nothing else may be learnt from it.
  virtual void learn(std::span<const std::size_t> /*teachers*/, const Histories& /*truth*/,
                     Executor& /*executor*/) {}
  // Of an attacker with evidence of its own: not of popularity, not of a shadow.
  [[nodiscard]] virtual std::vector<float> evidence(Attacker attacker, std::size_t target) const = 0;
  // Whether the thing itself was seen in a message of the target's alone.
  [[nodiscard]] virtual bool sent_as_own(std::size_t target, ItemIndex thing) const = 0;
};

}  // namespace sotto::privacy
