#include "privacy/audit/investigation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "base/rng.h"
#include "privacy/audit/blend.h"
#include "privacy/audit/feature_attack.h"

namespace sotto::privacy {

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

// Those whose truth is neither nothing nor everything, in an order drawn at random, as many as asked for.
Result<std::vector<UserIndex>> drawn_people(const Histories& truth, std::size_t things,
                                            const InvestigationOptions& options) {
  std::vector<UserIndex> people;
  for (std::uint32_t user = 0; user < truth.users(); ++user) {
    const std::size_t own = truth.of({user}).size();
    if (own > 0 && own < things) people.push_back({user});
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
  return people;
}

}  // namespace

Result<Investigation> Investigation::open(const TranscriptHead& head, const Histories& truth,
                                          const InvestigationOptions& options, const ItemFeatures* features) {
  if (truth.users() != head.users)
    return fail(Code::incompatible, "the transcript is not about this data: it has another number of users");
  const bool kgflex = head.model == SeenModel::kgflex;
  SOTTO_ASSERT(kgflex || options.question == Question::items, "fpl has no features to ask for");
  if (kgflex && (features == nullptr || features->hash() != head.features ||
                 features->features() != head.catalogue || features->items() < head.items))
    return fail(Code::incompatible,
                "the transcript is about features of items: give the --kg that it was recorded with");
  const std::size_t things = kgflex && options.question == Question::items ? head.items : head.catalogue;
  SOTTO_TRY(std::vector<UserIndex> people, drawn_people(truth, things, options));
  std::vector<UserIndex> known(people.begin(),
                               people.begin() + static_cast<std::ptrdiff_t>(people.size() / 2));
  std::sort(known.begin(), known.end());
  std::sort(people.begin(), people.end());
  std::unique_ptr<Witness> witness;
  if (kgflex)
    witness = std::make_unique<FeatureAttack>(head, *features, options.question, std::move(people));
  else
    witness = std::make_unique<Attack>(head, std::move(people), limits_for(options));
  return Investigation(head, truth, options, things, known, std::move(witness));
}

Investigation::Investigation(const TranscriptHead& head, const Histories& truth,
                             const InvestigationOptions& options, std::size_t things,
                             const std::vector<UserIndex>& known, std::unique_ptr<Witness> witness)
    : truth_(&truth),
      options_(options),
      model_(head.model),
      shuffled_(head.view == View::shuffled),
      linker_(head),
      witness_(std::move(witness)),
      prior_(things) {
  const bool taught = model_ == SeenModel::kgflex;
  for (std::size_t n = 0; n < witness_->targets().size(); ++n) {
    const bool is_known = std::binary_search(known.begin(), known.end(), witness_->targets()[n]);
    const bool teaches = taught && is_known && teachers_.size() < known_.size();
    (teaches ? teachers_ : is_known ? known_ : judged_).push_back(n);
  }
  const std::vector<std::uint32_t> popularity = truth.popularity(things);
  for (std::size_t thing = 0; thing < prior_.size(); ++thing)
    prior_[thing] = std::log(1.0f + static_cast<float>(popularity[thing]));
}

void Investigation::observe(SeenRound& round, Executor& executor) {
  if (shuffled_) linker_.name_messages(round);
  witness_->observe(round, executor);
  ++rounds_;
}

std::vector<std::vector<std::vector<float>>> Investigation::columns(std::span<const Attacker> kinds) const {
  const std::size_t targets = witness_->targets().size();
  std::vector<std::vector<std::vector<float>>> made(targets, {prior_});
  for (const Attacker kind : kinds) {
    std::vector<double> mean(prior_.size(), 0.0);
    for (std::size_t target = 0; target < targets; ++target) {
      made[target].push_back(comparable(kind, witness_->evidence(kind, target)));
      for (std::size_t item = 0; item < mean.size(); ++item) mean[item] += double{made[target].back()[item]};
    }
    for (std::size_t target = 0; target < targets; ++target)
      for (std::size_t item = 0; item < mean.size(); ++item)
        made[target].back()[item] =
            static_cast<float>(double{made[target].back()[item]} - mean[item] / static_cast<double>(targets));
  }
  return made;
}

std::vector<Attacker> Investigation::weighed_by_shadow() const {
  if (model_ == SeenModel::fpl)
    return {Attacker::bias_sum, Attacker::absence, Attacker::match, Attacker::taste, Attacker::difference};
  std::vector<Attacker> kinds{Attacker::feature_presence, Attacker::feature_signs, Attacker::feature_unmixing,
                              Attacker::feature_difference};
  if (options_.question == Question::items) kinds.push_back(Attacker::feature_odds);
  return kinds;
}

Findings Investigation::of(Attacker attacker) const {
  Findings findings;
  findings.attacker = attacker;
  if (attacker == Attacker::popularity) {
    for (const std::size_t target : judged_)
      findings.informed.push_back(judge_ranking(prior_, truth_of(target)));
    findings.alone = findings.informed;
    return findings;
  }
  const bool shadow = attacker == shadow_of(model_);
  auto seen = columns(shadow ? weighed_by_shadow() : std::vector<Attacker>{attacker});
  std::vector<BlendCase> cases;
  for (const std::size_t target : known_) cases.push_back({std::move(seen[target]), truth_of(target)});
  const Blend blend = Blend::learn(cases);
  findings.uses_evidence = blend.uses_evidence();
  for (const std::size_t target : judged_) {
    findings.informed.push_back(judge_ranking(blend.score(seen[target]), truth_of(target)));
    // The shadow attacker has nothing but its blend.
    findings.alone.push_back(shadow ? findings.informed.back()
                                    : judge_ranking(witness_->evidence(attacker, target), truth_of(target)));
  }
  return findings;
}

std::vector<Findings> Investigation::findings(Executor& executor) {
  std::vector<Attacker> asked{Attacker::popularity};
  for (const Attacker attacker : attackers_of(model_).subspan(1)) {
    const bool answers = options_.question == Question::items || attacker != Attacker::feature_odds;
    if (answers && has(options_.attackers, attacker)) asked.push_back(attacker);
  }
  witness_->learn(teachers_, *truth_, executor);
  std::vector<Findings> all(asked.size());
  executor.run(asked.size(), [&](std::size_t n) { all[n] = of(asked[n]); });
  return all;
}

std::vector<double> Investigation::sent_shares() const {
  std::vector<double> shares;
  for (const std::size_t target : judged_) {
    const auto own = truth_of(target);
    const auto sent = std::count_if(own.begin(), own.end(),
                                    [&](ItemIndex item) { return witness_->sent_as_own(target, item); });
    shares.push_back(static_cast<double>(sent) / static_cast<double>(own.size()));
  }
  return shares;
}

}  // namespace sotto::privacy
