#include "engine/averaging/averaging_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sotto::engine {

namespace {

using nlohmann::json;

json costs_json(const OrderCosts& costs) {
  return {{"tries", costs.tries},       {"changes", costs.changes},       {"sums", costs.sums},
          {"bytes_up", costs.bytes_up}, {"bytes_down", costs.bytes_down}, {"seconds", costs.seconds}};
}

OrderCosts costs_from(const json& document) {
  OrderCosts costs;
  costs.tries = document.at("tries").get<std::uint64_t>();
  costs.changes = document.at("changes").get<std::uint64_t>();
  costs.sums = document.at("sums").get<std::uint64_t>();
  costs.bytes_up = document.at("bytes_up").get<std::uint64_t>();
  costs.bytes_down = document.at("bytes_down").get<std::uint64_t>();
  costs.seconds = document.at("seconds").get<double>();
  return costs;
}

json weights_json(const WeightSpread& weights) {
  return {{"least", weights.least}, {"most", weights.most}, {"sd", weights.sd}};
}

// The widest of all rounds, and the mean of their standard deviations.
WeightSpread weights_of(const std::vector<AveragingRound>& rounds) {
  WeightSpread all;
  for (const AveragingRound& round : rounds) {
    all.least = std::min(all.least, round.weights.least);
    all.most = std::max(all.most, round.weights.most);
    all.sd += round.weights.sd / static_cast<double>(rounds.size());
  }
  return all;
}

// How many rounds each order held, in the order in which they first did.
json orders_json(const std::vector<AveragingRound>& rounds) {
  json orders = json::array();
  for (const AveragingRound& round : rounds) {
    auto found = std::find_if(orders.begin(), orders.end(),
                              [&](const json& entry) { return entry.at("order") == round.order; });
    if (found == orders.end()) {
      orders.push_back({{"order", round.order}, {"rounds", 0}});
      found = std::prev(orders.end());
    }
    (*found)["rounds"] = found->at("rounds").get<std::uint64_t>() + 1;
  }
  return orders;
}

AveragingRound round_of(const json& document) {
  AveragingRound round;
  round.round = document.at("round").get<std::uint32_t>();
  RoundReport& report = round.report;
  report.rounds = 1;
  report.exchanges = document.at("exchanges").get<std::uint64_t>();
  report.triples = document.at("examples").get<std::uint64_t>();
  report.loss_units = document.at("loss_units").get<std::int64_t>();
  report.bytes_up = document.at("bytes_up").get<std::uint64_t>();
  report.bytes_down = document.at("bytes_down").get<std::uint64_t>();
  const json& weights = document.at("weights");
  round.weights = {weights.at("least").get<double>(), weights.at("most").get<double>(),
                   weights.at("sd").get<double>()};
  round.order = document.value("order", "");
  if (document.contains("choosing")) round.costs = costs_from(document.at("choosing"));
  if (document.contains("right")) {
    round.right = document.at("right").get<std::vector<std::uint32_t>>();
    round.accuracy = document.at("accuracy").get<double>();
  }
  return round;
}

}  // namespace

std::string round_line(const AveragingRound& round) {
  json line{{"round", round.round},
            {"exchanges", round.report.exchanges},
            {"examples", round.report.triples},
            {"loss_units", round.report.loss_units},
            {"bytes_up", round.report.bytes_up},
            {"bytes_down", round.report.bytes_down},
            {"weights", weights_json(round.weights)}};
  if (!round.order.empty()) line["order"] = round.order;
  if (round.costs.sums > 0) line["choosing"] = costs_json(round.costs);
  if (!round.right.empty()) {
    line["accuracy"] = round.accuracy;
    line["right"] = round.right;
  }
  return line.dump();
}

Result<AveragingRound> round_from_line(const std::string& line, const std::string& name) {
  try {
    return round_of(json::parse(line));
  } catch (const json::exception&) {
    return fail(Code::bad_input,
                fmt::format("{}: a line does not describe a round: start the run again with --force", name));
  }
}

json outcome_json(const AveragingRequest& request, const AveragingOutcome& outcome) {
  json curve = json::array();
  for (const AccuracyLook& look : outcome.curve.looks)
    curve.push_back({{"round", look.round},
                     {"accuracy", global_accuracy(outcome.curve.examples, look)},
                     {"deciles", accuracy_deciles(outcome.curve.examples, look)}});
  json until = json::array();
  for (const std::uint32_t target : accuracy_targets) {
    json rounds = json::array();
    for (const auto& round : rounds_until_shares(outcome.curve, target))
      rounds.push_back(round ? json(*round) : json(nullptr));
    until.push_back({{"accuracy", target}, {"rounds", std::move(rounds)}});
  }
  json document{{"model_hash", outcome.model_hash},
                {"parameters", outcome.parameters},
                {"devices", outcome.devices},
                {"cohort", outcome.cohort},
                {"seed", request.plan.seed},
                {"rounds", outcome.rounds.size()},
                {"loss", outcome.rounds.empty() ? 0.0 : outcome.rounds.back().report.mean_loss()},
                {"accuracy", std::move(curve)},
                {"best", {{"round", outcome.best_round}, {"accuracy", outcome.best_accuracy}}},
                {"rounds_until", std::move(until)},
                {"weights", weights_json(weights_of(outcome.rounds))},
                {"bytes_up", outcome.totals.bytes_up},
                {"bytes_down", outcome.totals.bytes_down},
                {"seconds", outcome.seconds}};
  if (request.until) {
    document["until"] = to_string(*request.until);
    document["reached"] = outcome.goal_reached;
  }
  if (request.criteria.asked() && !outcome.rounds.empty()) document["order"] = outcome.rounds.back().order;
  if (request.criteria.asked()) document["score"] = to_string(request.criteria.score.kind);
  if (request.choose_order) {
    document["choosing"] = costs_json(outcome.costs);
    document["choosing"]["orders"] = orders_json(outcome.rounds);
  }
  return document;
}

std::string bits_text(std::span<const std::uint8_t> ones) {
  std::string text;
  for (std::size_t n = 0; n < ones.size(); n += 4) {
    unsigned digit = 0;
    for (std::size_t k = 0; k < 4; ++k) digit = digit * 2 + (n + k < ones.size() && ones[n + k] != 0 ? 1 : 0);
    text += "0123456789abcdef"[digit];
  }
  return text;
}

Result<std::vector<std::uint8_t>> bits_from_text(const std::string& text, std::size_t count) {
  const bool digits = std::all_of(text.begin(), text.end(), [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
  });
  if (!digits || text.size() != (count + 3) / 4)
    return fail(Code::bad_input, fmt::format("{} ones and zeros are {} hexadecimal digits, not {}", count,
                                             (count + 3) / 4, text.size()));
  std::vector<std::uint8_t> ones;
  for (const char letter : text) {
    const unsigned digit = static_cast<unsigned>(letter <= '9' ? letter - '0' : letter - 'a' + 10);
    for (unsigned bit = 8; bit > 0 && ones.size() < count; bit /= 2)
      ones.push_back((digit & bit) != 0 ? 1 : 0);
  }
  return ones;
}

}  // namespace sotto::engine
