#include "server/budget_text.h"

#include <fmt/core.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace sotto::server {

namespace {

constexpr int format_version = 1;

BudgetCharge charge_from(const nlohmann::json& entry) {
  BudgetCharge charge;
  charge.what = entry.at("what").get<std::string>();
  const nlohmann::json& times = entry.at("times");
  const bool counts =
      times.is_number_unsigned() && times.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
  charge.releases.times = counts ? times.get<std::uint32_t>() : 0;  // 0 is refused below
  const std::string mechanism = entry.at("mechanism").get<std::string>();
  if (mechanism == "pure") {
    charge.by = ChargeBy::epsilon;
    charge.epsilon = entry.at("epsilon").get<double>();
  } else {
    const Result<NoiseKind> kind = parse_noise_kind(mechanism);
    // Whatever else it may say has no noise and is refused below.
    charge.releases.noise = kind.ok() ? entry.at("noise").get<double>() : 0.0;
    charge.releases.sampling = entry.at("sampling").get<double>();
    charge.releases.kind = kind.ok() ? *kind : NoiseKind::gaussian;
  }
  return charge;
}

}  // namespace

std::string budget_text(const PrivacyBudget& budget) {
  nlohmann::ordered_json charges = nlohmann::ordered_json::array();
  for (const BudgetCharge& charge : budget.charges()) {
    nlohmann::ordered_json entry{{"what", charge.what}, {"times", charge.releases.times}};
    if (charge.by == ChargeBy::noise) {
      entry["mechanism"] = to_string(charge.releases.kind);
      entry["noise"] = charge.releases.noise;
      entry["sampling"] = charge.releases.sampling;
    } else {
      entry["mechanism"] = "pure";
      entry["epsilon"] = charge.epsilon;
    }
    charges.push_back(std::move(entry));
  }
  const nlohmann::ordered_json document{{"sotto_budget", format_version},
                                        {"epsilon", budget.goal().epsilon},
                                        {"delta", budget.goal().delta},
                                        {"charges", charges}};
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<PrivacyBudget> read_budget(const std::string& text, const std::string& name) {
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    if (document.at("sotto_budget").get<int>() != format_version)
      return fail(Code::incompatible, fmt::format("{}: written by another version of sotto", name));
    const PrivacyGoal goal{document.at("epsilon").get<double>(), document.at("delta").get<double>()};
    if (const Status checked = check(goal); !checked.ok()) return chained(checked.error(), name);
    PrivacyBudget budget(goal);
    for (const nlohmann::json& entry : document.at("charges")) {
      const Status charged = budget.charge(charge_from(entry));
      if (!charged.ok()) return fail(Code::bad_input, name + ": " + charged.error().message);
    }
    return budget;
  } catch (const nlohmann::json::exception&) {
    return fail(Code::bad_input, fmt::format("{} is no privacy budget: make one with 'sotto privacy budget "
                                             "FILE --epsilon E --delta D'",
                                             name));
  }
}

}  // namespace sotto::server
