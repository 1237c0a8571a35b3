#include "engine/protect/dp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/hash.h"
#include "data/recency.h"
#include "engine/plan/model_entry.h"
#include "fed/dp_choice.h"
#include "sim/candidate_votes.h"

namespace sotto::engine {

namespace {

constexpr double usual_delta = 1e-6;

double delta_of(const DpRequest& dp) { return dp.delta.value_or(usual_delta); }

NoiseKind noise_kind_of(const DpRequest& dp) {
  return dp.laplace() ? NoiseKind::laplace : NoiseKind::gaussian;
}

// A message carries one device's share of distributed noise, and a sum over a group its members' shares.
Status check_shares(const DpRequest& dp, const SumOptions& sum) {
  if (dp.laplace())
    return fail(Code::usage,
                "shares of Laplace noise do not add up to Laplace noise: choose --dp central or local, or "
                "leave --dp-kind laplace out");
  if (sum.kind == SumKind::plain)
    return fail(Code::usage,
                "with distributed noise a single message is hardly hidden: add --sum secure, or choose --dp "
                "central or local");
  if (sum.group != 0 || sum.block != 0)
    return fail(Code::usage,
                "distributed noise is planned for one sum over the whole cohort: leave --secure-group and "
                "--secure-block out, or choose --dp local");
  return Done{};
}

// Names what the noise is drawn for. How the data are read or summed up is no part of it, as long as the sum
// is the same.
std::string drawn_for(const TrainRequest& request, const Split& split) {
  TrainRequest settings = request;
  settings.data = {};
  settings.sum = {};
  settings.consent = {};
  settings.cutoffs = {};
  settings.wire = false;
  settings.log_every = settings.eval_users = 0;
  if (!settings.dp.laplace()) settings.dp.kind.clear();  // said or not, it is the usual one
  Hasher hasher;
  hasher.text(to_toml(settings)).text(robust_settings(request)).text(split.hash);
  if (split.features != nullptr) hasher.text(split.features->hash());
  if (split.records != nullptr) hasher.text(split.records->hash());
  if (split.contexts != nullptr) hasher.text(split.contexts->hash());
  if (const ConsentBook* people = request.plan.consent.people.get()) {
    for (const ConsentTerms& terms : people->kinds()) {
      hasher.text(fmt::format("{} {} {}", terms.pi, to_string(terms.mask), terms.takes_part))
          .u64(terms.rules.size())
          .bytes(std::as_bytes(std::span(terms.rules)))
          .u64(terms.kept_back.size())
          .bytes(std::as_bytes(std::span(terms.kept_back)));
      // Old plans have none, and keep their noise.
      if (terms.contexts.history < 1.0f || !terms.contexts.shares.empty())
        hasher.text(fmt::format("{} {}", terms.contexts.history, fmt::join(terms.contexts.shares, " ")));
    }
    for (std::uint32_t user = 0; user < people->users(); ++user) hasher.u64(people->kind_of({user}));
  }
  return std::move(hasher).hex();
}

// Whether a λ can be chosen and paid for.
Status check_choice(const TrainRequest& request) {
  const DpRequest& dp = request.dp;
  if (!dp.chooses()) {
    if (dp.choice_epsilon)
      return fail(Code::usage,
                  "dp-choice-epsilon pays for a choice: give candidates with --dp-lambdas 30,100");
    return Done{};
  }
  if (!request.model->has("dp.lambdas"))
    return fail(Code::usage, "dp-lambdas: " + not_of_model(request.model.entry(), "dp.lambdas"));
  if (dp.place != to_string(DpPlace::central))
    return fail(
        Code::usage,
        fmt::format(
            "the choice counts how many people each lambda suits, and with --dp {} nobody may see that: "
            "choose --dp central (with --sum secure single answers stay hidden), or give one --lambda",
            dp.place));
  if (request.lambda)
    return fail(Code::usage, "lambda is either given or chosen: leave --lambda or --dp-lambdas out");
  constexpr std::size_t most_lambdas = 64;
  if (dp.lambdas.size() < 2 || dp.lambdas.size() > most_lambdas)
    return fail(Code::usage,
                fmt::format("dp-lambdas are 2 to {} numbers to choose from, not {}: a single one "
                            "is --lambda, and needs no choice",
                            most_lambdas, dp.lambdas.size()));
  std::vector<float> sorted = dp.lambdas;
  std::sort(sorted.begin(), sorted.end());
  const bool numbers = std::all_of(sorted.begin(), sorted.end(),
                                   [](float lambda) { return lambda > 0.0f && std::isfinite(lambda); });
  if (!numbers || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return fail(Code::usage, "dp-lambdas are numbers above 0, each once");
  if (!dp.choice_epsilon && !dp.epsilon)
    return fail(Code::usage,
                "the cost of choosing lambda is missing: give --dp-choice-epsilon, or --dp-epsilon");
  if (dp.epsilon && dp.choice_cost() >= *dp.epsilon)
    return fail(Code::usage, fmt::format("a choice for epsilon {} leaves nothing of {} for the sums: lower "
                                         "--dp-choice-epsilon, or raise --dp-epsilon",
                                         dp.choice_cost(), *dp.epsilon));
  SOTTO_TRY_DONE(check(DpChoicePlan{dp.lambdas.size(), dp.choice_cost(), 1, "", 0}));
  const DataRequest& data = request.data;
  if (data.split.validation_share > 0.0 || !data.validation.empty() || !data.split_file.empty())
    return Done{};
  return fail(
      Code::usage,
      "dp-lambdas are judged on people's validation parts: add --validation 0.2 (a share of the training "
      "part)");
}

Status check_numbers(const DpRequest& dp) {
  const auto above_zero = [](const std::optional<double>& value) {
    return !value || (*value > 0.0 && std::isfinite(*value));
  };
  SOTTO_TRY_DONE(check(PrivacyGoal{dp.epsilon.value_or(1.0), delta_of(dp)}));
  if (!above_zero(dp.noise)) return fail(Code::usage, "dp-noise is a multiple of the clip above 0");
  if (!above_zero(dp.clip) || !above_zero(dp.row_clip))
    return fail(Code::usage, "dp-clip and dp-row-clip are lengths above 0");
  if (dp.survivors && !(*dp.survivors > 0.0 && *dp.survivors <= 1.0))
    return fail(Code::usage, "dp-survivors is a share above 0, at most 1");
  if (dp.items && (*dp.items == 0 || *dp.items > 8192))
    return fail(Code::usage, "dp-items is a number from 1 to 8192");
  if (dp.popularity_share && !(*dp.popularity_share > 0.0 && *dp.popularity_share < 1.0))
    return fail(Code::usage, "dp-popularity is a share between 0 and 1");
  if (dp.half_life) return Recency::check(*dp.half_life);
  return Done{};
}

}  // namespace

NoisyReleases choice_release(const DpRequest& dp) {
  return {1.0 / dp.choice_cost(), 1.0, 1, NoiseKind::choice};
}

double charged_noise(const DpRequest& dp, double noise) { return dp.place == "local" ? noise / 2.0 : noise; }

Status check_dp(const TrainRequest& request) {
  const DpRequest& dp = request.dp;
  const bool other = dp.epsilon || dp.noise || dp.delta || dp.clip || dp.row_clip || dp.survivors ||
                     dp.items || dp.popularity_share || dp.half_life || dp.chooses() || dp.choice_epsilon ||
                     !dp.kind.empty() || !dp.budget.empty();
  if (!dp.asked()) {
    if (other)
      return fail(Code::usage, "a place for the noise is missing: give --dp central, distributed or local");
    return Done{};
  }
  if (const auto place = parse_dp_place(dp.place); !place.ok()) return place.error();
  if (!dp.kind.empty() && !dp.laplace() && dp.kind != to_string(NoiseKind::gaussian))
    return fail(Code::usage,
                fmt::format("the noise of a sum is gaussian or laplace; '{}' is neither", dp.kind));
  const auto serves = [](const ModelEntry& entry) { return entry.has("dp.place"); };
  if (!serves(request.model.entry()))
    return fail(Code::usage, fmt::format("differential privacy serves {}, not {}", model_names(serves),
                                         request.model->name));
  if (!dp.epsilon && !dp.noise)
    return fail(Code::usage,
                "the amount of noise is missing: give --dp-epsilon, or --dp-noise as a multiple of the clip");
  if (request.early.patience > 0)
    return fail(Code::usage,
                "early stopping chooses by people's own histories, which no noise covers: leave --early-stop "
                "or --dp out, and give --epochs");
  if (dp.place == to_string(DpPlace::distributed)) SOTTO_TRY_DONE(check_shares(dp, request.sum));
  SOTTO_TRY_DONE(check_numbers(dp));
  return check_choice(request);
}

Result<TrainRequest> with_noise(const TrainRequest& request, std::uint64_t releases, const Split& split) {
  TrainRequest out = request;
  if (!request.dp.asked()) return out;
  constexpr std::uint64_t most_releases = 10'000'000;
  if (releases > most_releases)
    return fail(
        Code::usage,
        fmt::format(
            "{} noisy rounds are more than any budget allows: larger cohorts need fewer of them (--cohort 1)",
            releases));
  out.dp.drawn_for = drawn_for(request, split);
  out.dp.releases = releases;
  if (request.dp.noise) return out;
  const auto times = static_cast<std::uint32_t>(releases);
  std::vector<NoisyReleases> beside;
  if (request.dp.chooses()) beside.push_back(choice_release(request.dp));
  const auto noise = noise_for({*request.dp.epsilon, delta_of(request.dp)}, 1.0, times, Accountant::rdp,
                               noise_kind_of(request.dp), beside);
  if (!noise.ok() && request.dp.chooses())
    return fail(Code::usage,
                fmt::format("a choice for epsilon {} leaves too little of {} for the sums: lower "
                            "--dp-choice-epsilon, or raise --dp-epsilon",
                            request.dp.choice_cost(), *request.dp.epsilon));
  if (!noise.ok()) return noise.error();
  out.dp.noise = request.dp.place == "local" ? 2.0 * *noise : *noise;
  return out;
}

Result<std::shared_ptr<DpAccount>> DpAccount::open(const TrainRequest& request) {
  SOTTO_ASSERT(request.dp.noise.has_value(), "noise was calibrated");
  // Where only the noise is given there is no end to what may be spent.
  const PrivacyGoal goal{request.dp.epsilon.value_or(std::numeric_limits<double>::max() / 2.0),
                         delta_of(request.dp)};
  std::shared_ptr<DpAccount> account(
      new DpAccount(PrivacyBudget(goal), *request.dp.noise, noise_kind_of(request.dp)));
  if (!request.dp.budget.empty()) {
    SOTTO_TRY(account->file_, BudgetFile::open(request.dp.budget));
  }
  return account;
}

Status DpAccount::charge(const std::string& release, double noise, std::optional<NoiseKind> kind) {
  // A copy first: what the file refuses must not count here either.
  PrivacyBudget after = budget_;
  const BudgetCharge charge = charge_for(release, noise, 1, kind);
  SOTTO_TRY_DONE(after.charge(charge));
  if (file_) SOTTO_TRY_DONE(file_->charge(charge));
  budget_ = std::move(after);
  return Done{};
}

namespace {

// The whole bill, which a budget with an end would refuse to add up.
Status check_bill(const PrivacyBudget& budget, const std::vector<NoisyReleases>& planned, const char* whose) {
  PrivacyBudget bill({std::numeric_limits<double>::max() / 2.0, budget.goal().delta});
  for (const BudgetCharge& charge : budget.charges()) SOTTO_TRY_DONE(bill.charge(charge));
  for (const NoisyReleases& releases : planned)
    if (releases.times > 0) SOTTO_TRY_DONE(bill.charge({.what = "the run", .releases = releases}));
  if (bill.spent() <= budget.goal().epsilon * (1.0 + 1e-9)) return Done{};
  return fail(Code::bad_input,
              fmt::format("the privacy budget is spent, or too small: {} epsilon is at {:.4f} of {:.4f}, and "
                          "all that is planned would bring it to {:.4f}. Nothing was charged for it; ask for "
                          "less (--dp-epsilon, --epochs), for more noise, or make another budget",
                          whose, budget.spent(), budget.goal().epsilon, bill.spent()));
}

}  // namespace

Status DpAccount::can_pay(const std::vector<NoisyReleases>& planned) const {
  SOTTO_TRY_DONE(check_bill(budget_, planned, "the run's"));
  return file_can_pay(planned);
}

Status DpAccount::file_can_pay(const std::vector<NoisyReleases>& planned) const {
  return file_ ? check_bill(file_->budget(), planned, "the budget's") : Done{};
}

Status DpAccount::count_before(const std::string& release, double noise, std::uint32_t times) {
  if (times == 0) return Done{};
  return budget_.charge(charge_for(release, noise, times, kind_));
}

double DpAccount::spent_with(const std::string& release, double noise, std::optional<NoiseKind> kind) const {
  PrivacyBudget after = budget_;
  const Status charged = after.charge(charge_for(release, noise, 1, kind));
  return charged.ok() ? after.spent() : budget_.spent();  // what is refused is not released
}

PrivacySpent DpAccount::spent() const {
  PrivacySpent spent{.epsilon = budget_.spent(), .delta = budget_.goal().delta, .noise = noise_};
  if (kind_ == NoiseKind::laplace) spent.pure = budget_.spent_without_delta();
  return spent;
}

Status put_dp_before(Protection& protection, const TrainRequest& request, SumShape shape,
                     const DpRelease& release, const std::shared_ptr<DpAccount>& account) {
  SOTTO_ASSERT(protection.first() != nullptr, "noise stands before a sum");
  const DpRequest& dp = request.dp;
  SOTTO_TRY(const DpPlace place, parse_dp_place(dp.place));
  DpSumPlan plan = dp_sum_plan({dp.clip.value_or(1.0), release.noise, release.unit, noise_kind_of(dp)});
  plan.place = place;
  if (dp.row_clip) plan.clip.row = *dp.row_clip * release.unit;
  plan.survivors = dp.survivors.value_or(1.0);
  plan.corrupt = request.sum.assumed.corrupt;
  plan.release = release.name + " " + dp.drawn_for;
  plan.seed = request.plan.seed;
  SOTTO_TRY_DONE(check(plan));
  const double noise = charged_noise(dp, release.noise);
  const auto charge = [account, name = release.name, noise](std::uint32_t) {
    return account->charge(name, noise);
  };
  protection.put_before(std::make_unique<DpSum>(shape, plan, charge, *protection.first()));
  protection.tell_spent(
      [account] { return account->spent(); },
      [account, release, noise](std::uint32_t rounds) -> Status {
        SOTTO_TRY_DONE(account->count_before(release.name, noise, rounds));
        const std::uint64_t left = release.times - std::min<std::uint64_t>(rounds, release.times);
        return account->can_pay({{noise, 1.0, static_cast<std::uint32_t>(left), account->kind()}});
      });
  protection.call(
      {.name = mechanism_name(request),
       .epsilon = [account, name = release.name, noise] { return account->spent_with(name, noise); },
       .keeps_size = false});
  return Done{};
}

Status put_choice_before(Protection& protection, const TrainRequest& request,
                         const std::shared_ptr<DpAccount>& account) {
  SOTTO_ASSERT(protection.first() != nullptr, "a choice stands before a sum");
  const DpRequest& dp = request.dp;
  const std::string name = "choice of lambda";
  const DpChoicePlan plan{dp.lambdas.size(), dp.choice_cost(), most_votes, name + " " + dp.drawn_for,
                          request.plan.seed};
  SOTTO_TRY_DONE(check(plan));
  const double noise = choice_release(dp).noise;
  const auto charge = [account, name, noise](std::uint32_t) {
    return account->charge(name, noise, NoiseKind::choice);
  };
  protection.put_before(std::make_unique<DpChoice>(plan, charge, *protection.first()));
  const auto spent = [account, name, noise] { return account->spent_with(name, noise, NoiseKind::choice); };
  protection.call({.name = std::string(to_string(request.sum.kind)) + ", private choice",
                   .epsilon = spent,
                   .keeps_size = false});
  return Done{};
}

Status put_noisy_rounds(Protection& protection, const TrainRequest& request, SumShape shape) {
  SOTTO_TRY(const std::shared_ptr<DpAccount> account, DpAccount::open(request));
  const double unit = double{request.plan.fixed.scale()};
  return put_dp_before(protection, request, shape,
                       {"a round of training", *request.dp.noise, unit, request.dp.releases}, account);
}

}  // namespace sotto::engine
