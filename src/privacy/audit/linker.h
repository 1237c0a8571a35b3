// Linker: gives the nameless messages of a shuffled transcript their names back. A device's private vector
// moves little between two visits, and every message gives the vector away (privacy/audit/reading.h): so the
// message nearest to where somebody was last seen is most likely theirs.
//
// Laws: a name that is there stays; nobody gets two messages of a round; nearest pairs first.
#pragma once

#include <vector>

#include "privacy/audit/transcript.h"

namespace sotto {

class Linker {
 public:
  explicit Linker(const TranscriptHead& head) : head_(head), last_(head.users) {}

  // Names the messages of the next round, as far as there are people left who were met before.
  void name_messages(SeenRound& round);

 private:
  TranscriptHead head_;
  std::vector<std::vector<double>> last_;  // each user's vector when last seen; empty: never met
};

}  // namespace sotto
