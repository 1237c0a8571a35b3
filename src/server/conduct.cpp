#include "server/conduct.h"

#include <algorithm>

namespace sotto {

namespace {

// A coin that nobody throws twice: the same for a device and round however often it asks.
bool sits_out(const DeviceId& id, std::uint32_t round) {
  return (digest_of("sotto sum doubt", {id, bytes_of(round)})[0] & 1) != 0;
}

}  // namespace

Conduct::Record& Conduct::record(const DeviceId& id, std::int64_t now_ms) {
  Record& one = records_[id];
  one.last_ms = now_ms;
  return one;
}

void Conduct::keep_out(Record& record, std::int64_t now_ms) const {
  record.kept_out_until_ms = now_ms + keep_out_ms_;
  record.disputes = record.doubts = 0;  // paid for
}

void Conduct::note(const Findings& findings, std::int64_t now_ms) {
  std::erase_if(records_, [&](const auto& one) { return now_ms - one.second.last_ms >= keep_out_ms_; });
  for (const DeviceId& id : findings.cleared)
    if (const auto found = records_.find(id); found != records_.end()) found->second.doubts = 0;
  for (const DeviceId& id : findings.doubted)
    if (Record& one = record(id, now_ms); ++one.doubts >= most_doubts) keep_out(one, now_ms);
  for (const DeviceId& id : findings.suspected)
    if (Record& one = record(id, now_ms); ++one.disputes >= most_disputes) keep_out(one, now_ms);
  for (const DeviceId& id : findings.named) {
    Record& one = record(id, now_ms);
    ++one.named;
    keep_out(one, now_ms);
  }
}

bool Conduct::may_join(const DeviceId& id, std::uint32_t round, std::int64_t now_ms) const {
  const Record* one = find(id);
  if (one == nullptr || now_ms - one->last_ms >= keep_out_ms_) return true;
  if (now_ms < one->kept_out_until_ms) return false;
  return one->doubts == 0 || !sits_out(id, round);
}

std::size_t Conduct::kept_out(std::int64_t now_ms) const {
  return static_cast<std::size_t>(std::count_if(records_.begin(), records_.end(), [&](const auto& one) {
    return now_ms < one.second.kept_out_until_ms;
  }));
}

const Conduct::Record* Conduct::find(const DeviceId& id) const {
  const auto found = records_.find(id);
  return found == records_.end() ? nullptr : &found->second;
}

}  // namespace sotto
