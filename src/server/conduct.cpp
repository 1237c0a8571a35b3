#include "server/conduct.h"

#include <algorithm>
#include <functional>

namespace sotto::server {

namespace {

// A coin that nobody throws twice: the same for a device and round however often it asks.
bool sits_out(const DeviceId& id, std::uint32_t round) {
  return (digest_of("sotto sum doubt", {id, bytes_of(round)})[0] & 1) != 0;
}

void keep_out(Conduct::Record& record, std::int64_t now_ms, bool on_doubt) {
  record.kept_out_since_ms = now_ms;
  record.on_doubt = on_doubt;
  record.disputes = 0;  // paid for
  record.doubts.clear();
}

}  // namespace

std::uint32_t Conduct::Record::all_doubts() const {
  std::uint32_t all = 0;
  for (const auto& [task, count] : doubts) all += count;
  return all;
}

Conduct::Record& Conduct::record(const DeviceId& id, std::int64_t now_ms) {
  Record& one = records_[id];
  one.last_ms = now_ms;
  return one;
}

std::int64_t Conduct::kept_out_until(const Record& record) const {
  std::int64_t until = 0;
  for (const auto& since : {record.refused_since_ms, record.kept_out_since_ms})
    if (since) until = std::max(until, *since + keep_out_ms_);
  return until;
}

void Conduct::note_doubts(const Findings& findings, std::int64_t now_ms) {
  for (const DeviceId& id : findings.cleared) {
    const auto found = records_.find(id);
    if (found == records_.end()) continue;
    auto& doubts = found->second.doubts;
    const auto here = doubts.find(findings.task);
    if (here == doubts.end()) continue;
    // Half of them: whoever spoils three sums of four is found all the same.
    here->second -= std::max(here->second / 2, 1u);
    if (here->second == 0) doubts.erase(here);
  }
  std::map<std::uint32_t, std::vector<Record*>, std::greater<>> most_doubted;
  for (const DeviceId& id : findings.doubted) {
    Record& one = record(id, now_ms);
    const std::uint32_t doubts = ++one.doubts[findings.task];
    if (doubts >= most_doubts && !is_kept_out(one, now_ms)) most_doubted[doubts].push_back(&one);
  }
  auto on_doubt =
      static_cast<std::size_t>(std::count_if(records_.begin(), records_.end(), [&](const auto& one) {
        return one.second.on_doubt && is_kept_out(one.second, now_ms);
      }));
  // The culprit was in every sum that failed. Who was in as many cannot be told from it: all of them, or
  // none.
  for (const auto& [doubts, alike] : most_doubted) {
    on_doubt += alike.size();
    if (on_doubt > findings.most_on_doubt) return;
    for (Record* one : alike) keep_out(*one, now_ms, true);
  }
}

void Conduct::forget_old(std::int64_t now_ms) {
  std::erase_if(records_, [&](const auto& one) { return now_ms - one.second.last_ms >= keep_out_ms_; });
}

void Conduct::note_refused(const DeviceId& id, std::int64_t now_ms) {
  forget_old(now_ms);
  Record& one = record(id, now_ms);
  if (++one.refused % most_refused == 0) one.refused_since_ms = now_ms;
}

void Conduct::note(const Findings& findings, std::int64_t now_ms) {
  forget_old(now_ms);
  note_doubts(findings, now_ms);
  for (const auto& [id, opponents] : findings.suspected)
    if (Record& one = record(id, now_ms); (one.disputes += opponents) >= most_disputes)
      keep_out(one, now_ms, false);
  for (const DeviceId& id : findings.named) {
    Record& one = record(id, now_ms);
    ++one.named;
    keep_out(one, now_ms, false);
  }
}

bool Conduct::may_give(const DeviceId& id, std::int64_t now_ms) const {
  const Record* one = find(id);
  return one == nullptr || !one->refused_since_ms || now_ms >= *one->refused_since_ms + keep_out_ms_;
}

bool Conduct::may_join(const std::string& task, const DeviceId& id, std::uint32_t round,
                       std::int64_t now_ms) const {
  const Record* one = find(id);
  if (one == nullptr || now_ms - one->last_ms >= keep_out_ms_) return true;
  if (is_kept_out(*one, now_ms)) return false;
  return !one->doubts.contains(task) || !sits_out(id, round);
}

std::size_t Conduct::kept_out(std::int64_t now_ms) const {
  return static_cast<std::size_t>(std::count_if(
      records_.begin(), records_.end(), [&](const auto& one) { return is_kept_out(one.second, now_ms); }));
}

const Conduct::Record* Conduct::find(const DeviceId& id) const {
  const auto found = records_.find(id);
  return found == records_.end() ? nullptr : &found->second;
}

}  // namespace sotto::server
