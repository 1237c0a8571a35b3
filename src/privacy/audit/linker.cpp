#include "privacy/audit/linker.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "privacy/audit/reading.h"

namespace sotto::privacy {

std::vector<double> Linker::trace_of(const SeenRound& round, const SeenMessage& message) const {
  if (head_.model == SeenModel::fpl) return Reading(head_, round.shared, message).taste();
  return {message.rows.begin(), message.rows.end()};
}

double Linker::distance(const std::vector<double>& one, const std::vector<double>& other) const {
  if (head_.model == SeenModel::fpl) {
    double sum = 0.0;
    for (std::size_t k = 0; k < one.size(); ++k) sum += (one[k] - other[k]) * (one[k] - other[k]);
    return sum;
  }
  std::size_t common = 0;
  for (std::size_t a = 0, b = 0; a < one.size() && b < other.size();) {
    common += one[a] == other[b] ? 1 : 0;
    one[a] < other[b] ? ++a : (other[b] < one[a] ? ++b : (++a, ++b));
  }
  return -static_cast<double>(common) / static_cast<double>(one.size() + other.size() - common);
}

void Linker::remember(std::uint32_t user, std::vector<double> trace) {
  if (head_.model == SeenModel::fpl) {
    last_[user] = std::move(trace);
    return;
  }
  // Each visit shows a part of the profile: all parts count.
  std::vector<double> all;
  std::set_union(last_[user].begin(), last_[user].end(), trace.begin(), trace.end(), std::back_inserter(all));
  last_[user] = std::move(all);
}

void Linker::name_messages(SeenRound& round) {
  std::vector<std::vector<double>> traces;
  std::vector<std::uint8_t> taken(head_.users, 0);
  for (const SeenMessage& message : round.messages) {
    traces.push_back(trace_of(round, message));
    for (const std::uint32_t member : message.members) taken[member] = 1;
  }
  std::vector<std::tuple<double, std::uint32_t, std::uint32_t>> pairs;  // distance, message, user
  for (std::uint32_t n = 0; n < round.messages.size(); ++n) {
    if (!round.messages[n].members.empty()) continue;
    for (std::uint32_t user = 0; user < head_.users; ++user) {
      if (last_[user].empty() || taken[user] != 0) continue;
      const double far = distance(traces[n], last_[user]);
      if (std::isfinite(far)) pairs.emplace_back(far, n, user);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  for (const auto& [far, n, user] : pairs) {
    if (taken[user] != 0 || !round.messages[n].members.empty()) continue;
    round.messages[n].members = {user};
    taken[user] = 1;
  }
  for (std::size_t n = 0; n < round.messages.size(); ++n)
    if (round.messages[n].members.size() == 1)
      remember(round.messages[n].members.front(), std::move(traces[n]));
}

}  // namespace sotto::privacy
