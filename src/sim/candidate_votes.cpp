#include "sim/candidate_votes.h"

#include <algorithm>

#include "metrics/rank_users.h"
#include "sim/private_gram.h"

namespace sotto::sim {

namespace {

constexpr std::size_t list_length = 10;
constexpr std::size_t ranking_bytes = std::size_t{64} << 20;

// The part without what a model does not know: consent is about what it does.
Histories known_items(const Histories& part, std::size_t catalogue) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (std::uint32_t user = 0; user < part.users(); ++user) {
    for (const ItemIndex item : part.of(UserIndex{user}))
      if (item.value < catalogue) items.push_back(item);
    offsets.push_back(items.size());
  }
  return {std::move(offsets), std::move(items)};
}

// What people let out of a part, with its ages where they are known.
Histories let_out(const Histories& part, const Plan& plan) {
  const Histories usable = shareable(plan.consent, part);
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  std::vector<std::uint16_t> ages;
  for (std::uint32_t n = 0; n < part.users(); ++n) {
    const UserIndex user{n};
    const ItemSet set = ItemSet::consented(usable.of(user), ConsentGate(plan.consent, plan.seed, 0, user));
    for (const std::uint32_t item : set.items()) items.push_back(ItemIndex{item});
    const std::vector<std::uint16_t> own = ages_within(set, part, user);
    ages.insert(ages.end(), own.begin(), own.end());
    offsets.push_back(items.size());
  }
  return {std::move(offsets), std::move(items), std::move(ages)};
}

}  // namespace

CandidateVotes::CandidateVotes(const Split& split, const Plan& plan)
    : plan_(plan),
      train_(let_out(split.train, plan)),
      judged_(let_out(known_items(split.validation, split.catalogue), plan)) {}

Status CandidateVotes::judge(const Recommender& candidate, Executor& executor) {
  std::vector<UserIndex> users;
  for (std::uint32_t user = 0; user < judged_.users(); ++user)
    if (!judged_.of(UserIndex{user}).empty()) users.push_back(UserIndex{user});
  const RankTask task{.model = &candidate,
                      .masked = {&train_},
                      .relevant = nullptr,
                      .depth = list_length,
                      .memory_bytes = ranking_bytes};
  SOTTO_TRY(const Ranking ranking, rank_users(task, std::move(users), executor));
  std::vector<std::uint8_t>& votes = votes_.emplace_back(judged_.users(), std::uint8_t{0});
  for (std::size_t n = 0; n < ranking.lists.users.size(); ++n) {
    const UserIndex user = ranking.lists.users[n];
    const auto list = ranking.lists.of(n, list_length);
    const auto hits =
        std::ranges::count_if(list, [&](ItemIndex item) { return judged_.contains(user, item); });
    votes[user.value] = static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(hits, most_votes));
  }
  return Done{};
}

Result<CollectedNumbers> CandidateVotes::collect(std::uint32_t round, Collector& collector) const {
  const auto give = [&](const ItemSet&, UserIndex user, Contribution& out) {
    NumberRows rows(out);
    for (std::size_t k = 0; k < votes_.size(); ++k)
      if (votes_[k][user.value] != 0) rows.put(k, votes_[k][user.value]);
  };
  return collect_numbers(judged_, plan_, round, votes_.size(), collector, give);
}

}  // namespace sotto::sim
