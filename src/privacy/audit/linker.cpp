#include "privacy/audit/linker.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "privacy/audit/reading.h"

namespace sotto {

void Linker::name_messages(SeenRound& round) {
  std::vector<std::vector<double>> tastes;
  std::vector<std::uint8_t> taken(head_.users, 0);
  for (const SeenMessage& message : round.messages) {
    tastes.push_back(Reading(head_, round.shared, message).taste());
    for (const std::uint32_t member : message.members) taken[member] = 1;
  }
  std::vector<std::tuple<double, std::uint32_t, std::uint32_t>> pairs;  // distance, message, user
  for (std::uint32_t n = 0; n < round.messages.size(); ++n) {
    if (!round.messages[n].members.empty()) continue;
    for (std::uint32_t user = 0; user < head_.users; ++user) {
      if (last_[user].empty() || taken[user] != 0) continue;
      double distance = 0.0;
      for (std::size_t k = 0; k < tastes[n].size(); ++k)
        distance += (tastes[n][k] - last_[user][k]) * (tastes[n][k] - last_[user][k]);
      if (std::isfinite(distance)) pairs.emplace_back(distance, n, user);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  for (const auto& [distance, n, user] : pairs) {
    if (taken[user] != 0 || !round.messages[n].members.empty()) continue;
    round.messages[n].members = {user};
    taken[user] = 1;
  }
  for (std::size_t n = 0; n < round.messages.size(); ++n)
    if (round.messages[n].members.size() == 1)
      last_[round.messages[n].members.front()] = std::move(tastes[n]);
}

}  // namespace sotto
