#include "privacy/audit/investigation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "privacy/audit/blend.h"

namespace sotto {

namespace {

constexpr std::size_t fewest_people = 4;

bool has(const std::vector<Attacker>& attackers, Attacker one) {
  return std::find(attackers.begin(), attackers.end(), one) != attackers.end();
}

// What A4 weighs, and everybody else who is asked for.
AttackLimits limits_for(const InvestigationOptions& options) {
  AttackLimits limits = options.limits;
  limits.match = has(options.attackers, Attacker::match) || has(options.attackers, Attacker::shadow);
  if (!has(options.attackers, Attacker::two_round)) limits.two_round_rounds = 0;
  return limits;
}

std::vector<float> comparable(Attacker attacker, std::vector<float> evidence) {
  const bool votes = attacker == Attacker::match || attacker == Attacker::two_round;
  return votes ? log_votes(std::move(evidence)) : standardised(std::move(evidence));
}

}  // namespace

Result<Investigation> Investigation::open(const TranscriptHead& head, const Histories& histories,
                                          const InvestigationOptions& options) {
  if (histories.users() != head.users)
    return fail(Code::incompatible, "the transcript is not about this data: it has another number of users");
  std::vector<UserIndex> people;
  for (std::uint32_t user = 0; user < head.users; ++user) {
    const std::size_t items = histories.of({user}).size();
    if (items > 0 && items < head.catalogue) people.push_back({user});
  }
  if (people.size() < fewest_people || (options.people != 0 && options.people < fewest_people))
    return fail(
        Code::bad_input,
        fmt::format("an audit needs at least {} people to attack who have a history: take more data, or a "
                    "larger sample",
                    fewest_people));
  Stream draws(options.seed, Purpose::audit_people);
  for (std::size_t n = people.size(); n > 1; --n)
    std::swap(people[n - 1], people[draws.below(static_cast<std::uint32_t>(n))]);
  if (options.people != 0) people.resize(std::min<std::size_t>(people.size(), options.people));
  return Investigation(head, histories, options, std::move(people));
}

Investigation::Investigation(const TranscriptHead& head, const Histories& histories,
                             const InvestigationOptions& options, std::vector<UserIndex> people)
    : histories_(&histories),
      options_(options),
      shuffled_(head.view == View::shuffled),
      linker_(head),
      attack_(
          head,
          [&people] {
            std::vector<UserIndex> sorted = people;
            std::sort(sorted.begin(), sorted.end());
            return sorted;
          }(),
          limits_for(options)),
      prior_(head.catalogue) {
  std::vector<UserIndex> known(people.begin(),
                               people.begin() + static_cast<std::ptrdiff_t>(people.size() / 2));
  std::sort(known.begin(), known.end());
  for (std::size_t n = 0; n < attack_.targets().size(); ++n)
    (std::binary_search(known.begin(), known.end(), attack_.targets()[n]) ? known_ : judged_).push_back(n);
  const std::vector<std::uint32_t> popularity = histories.popularity(head.catalogue);
  for (std::size_t item = 0; item < prior_.size(); ++item)
    prior_[item] = std::log(1.0f + static_cast<float>(popularity[item]));
}

void Investigation::observe(SeenRound& round, Executor& executor) {
  if (shuffled_) linker_.name_messages(round);
  attack_.observe(round, executor);
  ++rounds_;
}

std::vector<std::vector<std::vector<float>>> Investigation::columns(std::span<const Attacker> kinds) const {
  const std::size_t targets = attack_.targets().size();
  std::vector<std::vector<std::vector<float>>> made(targets, {prior_});
  for (const Attacker kind : kinds) {
    std::vector<double> mean(prior_.size(), 0.0);
    for (std::size_t target = 0; target < targets; ++target) {
      made[target].push_back(comparable(kind, attack_.evidence(kind, target)));
      for (std::size_t item = 0; item < mean.size(); ++item) mean[item] += double{made[target].back()[item]};
    }
    for (std::size_t target = 0; target < targets; ++target)
      for (std::size_t item = 0; item < mean.size(); ++item)
        made[target].back()[item] =
            static_cast<float>(double{made[target].back()[item]} - mean[item] / static_cast<double>(targets));
  }
  return made;
}

Findings Investigation::of(Attacker attacker) const {
  constexpr std::array shadow_kinds{Attacker::bias_sum, Attacker::absence, Attacker::match, Attacker::taste,
                                    Attacker::difference};
  Findings findings;
  findings.attacker = attacker;
  if (attacker == Attacker::popularity) {
    for (const std::size_t target : judged_)
      findings.informed.push_back(judge_ranking(prior_, history(target)));
    findings.alone = findings.informed;
    return findings;
  }
  const bool shadow = attacker == Attacker::shadow;
  auto seen =
      columns(shadow ? std::span<const Attacker>(shadow_kinds) : std::span<const Attacker>(&attacker, 1));
  std::vector<BlendCase> cases;
  for (const std::size_t target : known_) cases.push_back({std::move(seen[target]), history(target)});
  const Blend blend = Blend::learn(cases);
  findings.uses_evidence = blend.uses_evidence();
  for (const std::size_t target : judged_) {
    findings.informed.push_back(judge_ranking(blend.score(seen[target]), history(target)));
    // The shadow attacker has nothing but its blend.
    findings.alone.push_back(shadow ? findings.informed.back()
                                    : judge_ranking(attack_.evidence(attacker, target), history(target)));
  }
  return findings;
}

std::vector<Findings> Investigation::findings(Executor& executor) const {
  std::vector<Attacker> asked{Attacker::popularity};
  for (const Attacker attacker : every_attacker)
    if (attacker != Attacker::popularity && has(options_.attackers, attacker)) asked.push_back(attacker);
  std::vector<Findings> all(asked.size());
  executor.run(asked.size(), [&](std::size_t n) { all[n] = of(asked[n]); });
  return all;
}

std::vector<double> Investigation::sent_shares() const {
  std::vector<double> shares;
  for (const std::size_t target : judged_) {
    const auto own = history(target);
    const auto sent = std::count_if(own.begin(), own.end(),
                                    [&](ItemIndex item) { return attack_.sent_as_own(target, item); });
    shares.push_back(static_cast<double>(sent) / static_cast<double>(own.size()));
  }
  return shares;
}

}  // namespace sotto
