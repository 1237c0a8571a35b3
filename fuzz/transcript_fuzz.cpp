// The reader of recorded transcripts on any bytes.
// Laws checked: bad bytes are refused as such; what reads to its end is written to the same bytes again; an
// attack on it does not leave memory.
#include <algorithm>
#include <cstdint>
#include <span>

#include "base/assert.h"
#include "privacy/audit/attack.h"
#include "privacy/audit/linker.h"

using namespace sotto::fuzz;  // NOLINT: a program of one file

namespace {

void append(Bytes& all, const Bytes& part) { all.insert(all.end(), part.begin(), part.end()); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  auto reader = TranscriptReader::open(bytes);
  if (!reader.ok()) return 0;
  const TranscriptHead head = reader->head();
  if (head.users > 4096 || head.catalogue > 4096) return 0;
  Bytes again = encode_head(head);
  SerialExecutor serial;
  Linker linker(head);
  Attack attack(head, {UserIndex{0}});
  for (;;) {
    auto round = reader->next();
    if (!round.ok()) {
      SOTTO_ASSERT(round.error().code == Code::bad_input, "bad bytes are bad input");
      return 0;
    }
    if (!round->has_value()) break;
    append(again, encode_round(**round));
    linker.name_messages(**round);
    attack.observe(**round, serial);
  }
  append(again, encode_end());
  SOTTO_ASSERT(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()),
               "written to the same bytes");
  return 0;
}
