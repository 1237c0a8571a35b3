#include "lab/audit/criteria_part.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/protect/training_consent.h"

namespace sotto::lab {

namespace {

// The plain sum of criteria with somebody who writes down each device's numbers.
class ToldRecorder final : public Collector {
 public:
  ToldRecorder(SumShape its_shape, std::size_t criteria, std::vector<ToldRound>& told)
      : sum_(its_shape), criteria_(criteria), told_(told) {}

  [[nodiscard]] Status begin(const RoundPlace& place) override {
    listens_ = told_.size() < most_told_rounds;
    if (listens_) told_.emplace_back();
    return sum_.begin(place);
  }
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override {
    if (listens_) {
      ToldTuple tuple{user};
      for (std::size_t n = 0; n < criteria_; ++n)
        tuple.values.push_back(number(contribution, 2 * n + 1) == 0 ? ToldTuple::not_told
                                                                    : number(contribution, 2 * n));
      told_.back().push_back(std::move(tuple));
    }
    return sum_.accept(user, contribution);
  }
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override { return sum_.finish(total); }

 private:
  static std::int32_t number(const Contribution& contribution, std::size_t place) {
    for (std::size_t n = 0; n < contribution.size(); ++n)
      if (contribution.row(n) == place / numbers_a_row) return contribution.values(n)[place % numbers_a_row];
    return 0;
  }

  PlainCollector sum_;
  std::size_t criteria_;
  std::vector<ToldRound>& told_;
  bool listens_ = false;
};

std::vector<std::string> names_in(const std::string& order) {
  std::vector<std::string> names;
  if (const auto parsed = parse_order(order); parsed.ok())
    for (const Criterion criterion : *parsed) names.emplace_back(criterion->name);
  return names;
}

std::string secure_words(const CriteriaLeak& leak) {
  return fmt::format(
      "With a secure sum the server reads sums alone: a single person's number follows from them only where "
      "that person alone tells it, or where those who tell it in two rounds differ in that person, here for "
      "{:.1f}% of the people.",
      100.0 * leak.exposed);
}

std::string plain_words(const CriteriaLeak& leak) {
  return fmt::format(
      "With a plain sum the server reads everybody's numbers: all together {:.1f} of the {:.1f} bits that "
      "tell "
      "{} people apart; {:.1f}% of a cohort have numbers that nobody else in it has; from round to round "
      "{:.1f}% are found again by them (by chance {:.1f}%).",
      leak.bits, std::log2(static_cast<double>(leak.people)), leak.people, 100.0 * leak.unique,
      100.0 * leak.linked, 100.0 * leak.chance);
}

}  // namespace

Result<std::unique_ptr<Weighing>> listening_weighing(const TrainRequest& train, const Split& split,
                                                     std::vector<ToldRound>& told, Collector& next) {
  SOTTO_TRY(const TrainRequest request, with_people(train, split));
  SOTTO_TRY(const CriteriaOrder order, parse_order(train.criteria.order));
  // The first sum is of the criteria; what too few tell is not in it. The others are of the scores, which
  // follow from them, and of who tells.
  auto sums = [&told, criteria = order.size(), first = true](SumShape of_sum) mutable {
    std::unique_ptr<Collector> sum;
    if (std::exchange(first, false))
      sum = std::make_unique<ToldRecorder>(of_sum, criteria, told);
    else
      sum = std::make_unique<PlainCollector>(of_sum);
    return sum;
  };
  SOTTO_TRY(const Population population, request.model->population(request, split));
  return make_weighing(request, split, population, std::move(sums), next);
}

Result<CriteriaLeak> leak_of(const TrainRequest& train, const std::vector<ToldRound>& told) {
  SOTTO_TRY(const CriteriaOrder order, parse_order(train.criteria.order));
  return criteria_leak(told, order.size());
}

std::string leak_text(const CriteriaLeak& leak, const std::string& order) {
  std::string text = "\nWhat the criteria tell:\n\n";
  const std::vector<std::string> names = names_in(order);
  for (std::size_t n = 0; n < leak.criteria.size(); ++n)
    text += fmt::format("  {:<16} {:>5.2f} bits, told by {:.1f}%\n", names[n], leak.criteria[n].bits,
                        100.0 * leak.criteria[n].told);
  return text + "\n  " + plain_words(leak) + "\n  " + secure_words(leak) + "\n";
}

nlohmann::json leak_json(const CriteriaLeak& leak, const std::string& order) {
  nlohmann::json criteria = nlohmann::json::array();
  const std::vector<std::string> names = names_in(order);
  for (std::size_t n = 0; n < leak.criteria.size(); ++n)
    criteria.push_back(
        {{"criterion", names[n]}, {"told", leak.criteria[n].told}, {"bits", leak.criteria[n].bits}});
  return {{"people", leak.people},
          {"rounds", leak.rounds},
          {"criteria", criteria},
          {"plain",
           {{"bits", leak.bits},
            {"unique", leak.unique},
            {"linked", leak.linked},
            {"linked_by_chance", leak.chance}}},
          {"secure", {{"exposed", leak.exposed}}}};
}

PageSection leak_section(const CriteriaLeak& leak, const std::string& order) {
  PageTable table;
  table.caption = "One line a criterion: the share of people who tell it, and the entropy of what they tell.";
  table.columns = {{"criterion"}, {"told by", true}, {"bits", true}};
  const std::vector<std::string> names = names_in(order);
  for (std::size_t n = 0; n < leak.criteria.size(); ++n)
    table.rows.push_back(
        {{.text = names[n]},
         {.text = fmt::format("{:.1f}%", 100.0 * leak.criteria[n].told), .value = leak.criteria[n].told},
         {.text = fmt::format("{:.2f}", leak.criteria[n].bits), .value = leak.criteria[n].bits}});
  return {"What the criteria tell",
          {std::move(table), PageText{plain_words(leak)}, PageText{secure_words(leak)}}};
}

}  // namespace sotto::lab
