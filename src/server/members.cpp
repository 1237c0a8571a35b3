#include "server/members.h"

#include <sodium.h>

#include <algorithm>

namespace sotto::server {

std::pair<RoundToken, Member*> Members::add(Member member) {
  RoundToken token{};
  randombytes_buf(token.data(), token.size());
  const DeviceId device = member.device;
  const auto [at, is_new] = by_token_.try_emplace(token, std::move(member));
  SOTTO_ASSERT(is_new, "two random tokens of 128 bits differ");
  by_device_[device] = token;
  return {token, &at->second};
}

Member* Members::find(const RoundToken& token) {
  const auto found = by_token_.find(token);
  return found == by_token_.end() ? nullptr : &found->second;
}

const RoundToken* Members::token_of(const DeviceId& id) const {
  const auto found = by_device_.find(id);
  return found == by_device_.end() ? nullptr : &found->second;
}

const PastMember* Members::past(const RoundToken& token) const {
  for (const auto& round : past_)
    if (const auto found = round.find(token); found != round.end()) return &found->second;
  return nullptr;
}

void Members::end(bool committed, const std::function<bool(const Member&)>& ends) {
  std::unordered_map<RoundToken, PastMember, FirstBytes> ended;
  for (auto at = by_token_.begin(); at != by_token_.end();) {
    const Member& member = at->second;
    if (!ends(member)) {
      ++at;
      continue;
    }
    ended.emplace(at->first, PastMember{member.device, member.given, committed});
    by_device_.erase(member.device);
    at = by_token_.erase(at);
  }
  if (ended.empty()) return;
  past_.push_front(std::move(ended));
  if (past_.size() > rounds_remembered) past_.pop_back();
}

void Members::each(const std::function<void(const Member&)>& call) const {
  for (const auto& [token, member] : by_token_) call(member);
}

void Members::change(const std::function<void(Member&)>& call) {
  for (auto& [token, member] : by_token_) call(member);
}

}  // namespace sotto::server
