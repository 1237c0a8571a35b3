// Linker: gives the nameless messages of a shuffled transcript their names back. A device's private vector
// moves little between two visits, and every message gives the vector away (privacy/audit/reading.h): so the
// message nearest to where somebody was last seen is most likely theirs. A KGFlex device sends rows of its
// own profile alone, which never changes: there the message with the most rows in common is the nearest.
//
// Laws: a name that is there stays; nobody gets two messages of a round; nearest pairs first.
#pragma once

#include <vector>

#include "privacy/audit/transcript.h"

namespace sotto::privacy {

class Linker {
 public:
  explicit Linker(const TranscriptHead& head) : head_(head), last_(head.users) {}

  // Names the messages of the next round, as far as there are people left who were met before.
  void name_messages(SeenRound& round);

 private:
  // What a message tells of its sender that stays: the vector, or the rows.
  [[nodiscard]] std::vector<double> trace_of(const SeenRound& round, const SeenMessage& message) const;
  [[nodiscard]] double distance(const std::vector<double>& one, const std::vector<double>& other) const;
  void remember(std::uint32_t user, std::vector<double> trace);

  TranscriptHead head_;
  std::vector<std::vector<double>> last_;  // each user's trace when last seen; empty: never met
};

}  // namespace sotto::privacy
