#include "engine/protect/weighing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "engine/files/files.h"
#include "engine/plan/model_entry.h"
#include "fed/criteria/history_facts.h"
#include "fed/selection.h"
#include "sim/history_federation.h"

namespace sotto::engine {

namespace {

// Criteria leave a device with 24 bits: up to here a record more or less is seen.
constexpr std::uint32_t most_size_bound = 1'000'000;

Result<CriteriaOptions> criteria_options(const CriteriaRequest& request, const SumAssumptions& assumed) {
  CriteriaOptions options;
  // Of the plan's sums, secure or not, so that both give the same model.
  options.least_tellers = std::max(options.least_tellers, assumed.crowd);
  SOTTO_TRY(options.order, parse_order(request.order));
  if (!request.score.empty()) {
    SOTTO_TRY(options.score.kind, parse_score_kind(request.score));
  }
  options.score.weights = request.weights;
  SOTTO_TRY_DONE(check(options));
  return options;
}

bool holds(const CriteriaOrder& order, std::string_view name) {
  return std::ranges::any_of(order, [&](Criterion criterion) { return criterion->name == name; });
}

Status check_order(const TrainRequest& request, const CriteriaOrder& order) {
  const CriteriaRequest& asked = request.criteria;
  for (const Criterion criterion : order)
    if (criterion->of_update && !request.model->sends_steps())
      return fail(
          Code::usage,
          fmt::format("{} is measured on a device's step of the model, and {} sends statistics: leave "
                      "it out, or train one of {}",
                      criterion->name, request.model->name, model_names(&ModelEntry::sends_steps)));
  if (holds(order, "layer-closeness"))
    return fail(Code::usage,
                "layer-closeness is for networks that classify: for recommenders choose closeness");
  if (holds(order, "trust") != !asked.trust.empty())
    return fail(Code::usage, asked.trust.empty()
                                 ? "trust needs a file of users and numbers from 0 to 1: give it with --trust"
                                 : "--trust is for the criterion trust: name it in --criteria");
  if (holds(order, "quality") != !asked.quality.empty())
    return fail(Code::usage,
                asked.quality.empty()
                    ? "quality is the share of a history in one category: name it with --quality-category"
                    : "--quality-category is for the criterion quality: name it in --criteria");
  if (asked.size_bound && !holds(order, "size"))
    return fail(Code::usage, "--size-bound is for the criterion size: name it in --criteria");
  if (asked.size_bound && (*asked.size_bound == 0 || *asked.size_bound > most_size_bound))
    return fail(Code::usage, fmt::format("--size-bound is a number of records from 1 to {}: above that "
                                         "histories of different lengths would count the same",
                                         most_size_bound));
  return Done{};
}

Result<HistoryFactsOptions> known_facts(const TrainRequest& request, const CriteriaOrder& order,
                                        const Split& split) {
  const CriteriaRequest& asked = request.criteria;
  HistoryFactsOptions facts;
  facts.most_records = asked.size_bound.value_or(0);
  if (holds(order, "diversity") || holds(order, "balance")) {
    if (!split.item_categories.empty())
      facts.classes = ItemClasses(split.item_categories);
    else if (split.features != nullptr)
      facts.classes = ItemClasses(*split.features);
    if (facts.classes.count() == 0)
      return fail(Code::usage,
                  "diversity and balance count categories, and these data name none: add --names FILE, or "
                  "features with --kg");
  }
  if (!asked.quality.empty()) {
    facts.marked.assign(split.items.size(), 0);
    const std::string in = "|" + asked.quality + "|";
    for (std::size_t item = 0; item < split.item_categories.size(); ++item)
      facts.marked[item] = ("|" + split.item_categories[item] + "|").find(in) != std::string::npos;
    if (std::ranges::find(facts.marked, std::uint8_t{1}) == facts.marked.end())
      return fail(Code::usage,
                  fmt::format("no item of these data has the category '{}': write it as in --names FILE",
                              asked.quality));
  }
  if (!asked.trust.empty()) {
    SOTTO_TRY(const std::string text, read_text(asked.trust));
    SOTTO_TRY(facts.trust, read_trust(text, asked.trust, split.users));
  }
  return facts;
}

class HistoryWeighing final : public Weighing {
 public:
  HistoryWeighing(CriteriaOptions options, HistoryFactsOptions known, const TrainRequest& request,
                  const Split& split, const Population& from, SumMaker sums, Collector& next,
                  std::size_t model_rows)
      : shareable_(shareable(request.plan.consent, split.train)),
        facts_(shareable_, split.catalogue, std::move(known), request.plan.consent.people),
        remembers_(holds(options.order, "recency")),
        some_do_not_answer_(request.plan.consent.people != nullptr),
        selector_(from.users, from.schedule.cohort, request.plan.seed),
        weighing_(std::move(options), facts_, {.fixed = request.plan.fixed, .rows = model_rows},
                  std::move(sums), next) {}

  [[nodiscard]] Status begin(const RoundPlace& place) override {
    round_ = place.round;
    // Rounds in which nobody answered come by no collector: they went by, too.
    if (round_ > 0) facts_.note_round(round_ - 1, {});
    cohort_.assign(place.cohort.begin(), place.cohort.end());
    return weighing_.begin(place);
  }
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override {
    return weighing_.accept(user, contribution);
  }
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override {
    SOTTO_TRY(const Traffic traffic, weighing_.finish(total));
    facts_.note_round(round_, cohort_);
    return traffic;
  }
  void count_before(std::uint32_t rounds) override {
    for (std::uint32_t round = 0; remembers_ && round < rounds; ++round) {
      const std::span<const UserIndex> selected = selector_.select(round);
      facts_.note_round(round, some_do_not_answer_ ? answering(selected, shareable_, cohort_) : selected);
    }
  }

  [[nodiscard]] const WeighingTally& tally() const override { return weighing_.tally(); }

 private:
  Histories shareable_;
  HistoryFacts facts_;
  bool remembers_;
  bool some_do_not_answer_;
  CohortSelector selector_;
  WeighingCollector weighing_;
  std::uint32_t round_ = 0;
  std::vector<UserIndex> cohort_;
};

}  // namespace

Status check_criteria(const TrainRequest& request) {
  const CriteriaRequest& asked = request.criteria;
  if (!asked.asked()) {
    if (asked.score.empty() && asked.weights.empty() && !asked.size_bound && asked.trust.empty() &&
        asked.quality.empty())
      return Done{};
    return fail(Code::usage, "no criteria are named: give them, such as --criteria \"size>diversity\"");
  }
  SOTTO_TRY(const CriteriaOptions options, criteria_options(asked, request.sum.assumed));
  const auto adds_up = [](const ModelEntry& entry) { return entry.has("criteria.order"); };
  if (!adds_up(request.model.entry()))
    return fail(Code::usage,
                fmt::format("criteria weigh what devices add up for {}, not for {}: leave --criteria out",
                            model_names(adds_up), request.model->name));
  SOTTO_TRY_DONE(check_order(request, options.order));
  if (request.dp.asked())
    return fail(
        Code::usage,
        "the sums of criteria carry no noise, and one person moves everybody's weight, so that no clip "
        "bounds what a person changes: leave --criteria or --dp out");
  return Done{};
}

Result<std::unique_ptr<Weighing>> make_weighing(const TrainRequest& request, const Split& split,
                                                const Population& from, SumMaker sums, Collector& next,
                                                std::size_t model_rows) {
  SOTTO_TRY(CriteriaOptions options, criteria_options(request.criteria, request.sum.assumed));
  if (from.schedule.cohort < 2)
    return fail(Code::usage,
                "criteria compare the devices of a cohort, and here each round has one: make cohorts larger "
                "(--cohort 0.1, --variant pfpl), or leave --criteria out");
  if (holds(options.order, "recency") && from.schedule.cohort >= from.users.size())
    return fail(Code::usage,
                "recency compares how long devices were away, and here everybody is in each round: make "
                "cohorts smaller (--cohort 0.1), or leave the criterion out");
  SOTTO_TRY(HistoryFactsOptions known, known_facts(request, options.order, split));
  return std::unique_ptr<Weighing>(std::make_unique<HistoryWeighing>(
      std::move(options), std::move(known), request, split, from, std::move(sums), next, model_rows));
}

SumMaker small_sums(SumOptions options, std::uint64_t seed, Executor& executor) {
  options.block = options.bits = options.limit = 0;  // those are the model's
  options.silent = 0.0;
  // Masks of their own: far from the seeds of the model's sums.
  const auto next = std::make_shared<std::uint64_t>(seed ^ 0x6372'6974'6572'6961);
  return [options, next, &executor](SumShape shape) -> std::unique_ptr<Collector> {
    if (options.kind == SumKind::plain) return std::make_unique<PlainCollector>(shape);
    return std::make_unique<SecureCollector>(options, shape, (*next)++, executor);
  };
}

Status put_weighing_before(Protection& protection, const TrainRequest& request, const Split& split,
                           SumShape shape, const Population& from, Executor& executor,
                           std::size_t model_rows) {
  if (!request.criteria.asked()) return Done{};
  if (protection.first() == nullptr) protection.put_before(std::make_unique<PlainCollector>(shape));
  SOTTO_TRY(std::unique_ptr<Weighing> weighing,
            make_weighing(request, split, from, small_sums(request.sum, request.plan.seed, executor),
                          *protection.first(), model_rows));
  protection.on_resume([weighing = weighing.get()](std::uint32_t rounds) {
    weighing->count_before(rounds);
    return Status(Done{});
  });
  protection.tell_weighed([weighing = weighing.get()] { return weighing->tally(); });
  protection.call({.name = mechanism_name(request), .keeps_size = false});
  protection.put_before(std::move(weighing));
  return Done{};
}

std::string told_in_words(const TrainRequest& request, UserIndex user) {
  const auto order = parse_order(request.criteria.order);
  if (!request.criteria.asked() || !order.ok()) return "";
  const ConsentBook* people = request.plan.consent.people.get();
  std::vector<std::string> told;
  for (const Criterion criterion : *order)
    if (people == nullptr || people->of(user).criteria.tells(criterion->name))
      told.emplace_back(criterion->name);
  return told.empty() ? ", told no criteria" : fmt::format(", told {}", fmt::join(told, " and "));
}

Result<std::vector<double>> read_trust(const std::string& text, const std::string& name,
                                       const IdTable& users) {
  std::vector<double> trust(users.size(), 1.0);
  std::vector<std::uint8_t> said(users.size(), 0);
  std::istringstream lines(text);
  std::size_t number = 0;
  bool any = false;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    const auto wrong = [&](const char* what) {
      return fail(Code::bad_input, fmt::format("{}, line {}: {}", name, number, what));
    };
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) return wrong("a user, a tab and a number from 0 to 1 are needed");
    double value = -1.0;
    const char* end = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data() + tab + 1, end, value);
    if (error != std::errc() || stop != end || !(value >= 0.0 && value <= 1.0))
      return wrong("trust is a number from 0 to 1");
    const auto user = users.find(line.substr(0, tab));
    if (!user) continue;  // of somebody whom the data's filters left out
    any = true;
    if (said[*user]++ != 0) return wrong("this user is in the file twice: keep one line");
    trust[*user] = value;
  }
  if (!any)
    return fail(Code::bad_input, fmt::format("{}: no line names a user of these data, so trust would have no "
                                             "effect: write users as the data do",
                                             name));
  return trust;
}

}  // namespace sotto::engine
