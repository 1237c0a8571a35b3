#include "cli/contexts_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/terminal/table.h"

namespace sotto::cli {

namespace {

const char* to_text(ContextSide side) { return side == ContextSide::user ? "user" : "item"; }

const char* to_text(ContextSource source) {
  switch (source) {
    case ContextSource::record:
      return "record";
    case ContextSource::item:
      return "item";
    case ContextSource::person:
      return "person";
  }
  return "";
}

// Of the records of the training part the share that carries each value: by itself, by its item or by its
// person.
std::vector<double> shares_of(const Split& split) {
  const Contexts& contexts = *split.contexts;
  std::vector<double> counts(contexts.values(), 0.0);
  const auto count = [&](std::span<const std::uint32_t> values) {
    for (const std::uint32_t value : values)
      if (value != no_context) counts[value] += 1.0;
  };
  for (std::uint32_t user = 0; user < split.users.size(); ++user)
    for (std::uint64_t k = split.train.offsets()[user]; k < split.train.offsets()[user + 1]; ++k) {
      count(contexts.train.of(k));
      count(contexts.items.of(split.train.items()[k].value));
      count(contexts.people.of(user));
    }
  for (double& share : counts) share /= static_cast<double>(split.train.interactions());
  return counts;
}

}  // namespace

Result<std::optional<Split>> split_for_contexts(const DataRequest& request, const LoadedData& loaded) {
  SOTTO_TRY_DONE(check(request.contexts));
  if (!request.contexts.asked()) return std::optional<Split>();
  SOTTO_TRY(Split split, join_given_parts(loaded.dataset, {}, {}, {.keep_records = true}));
  if (loaded.knowledge) {
    SOTTO_TRY(const FeatureReport report, attach_features(*loaded.knowledge, split));
    static_cast<void>(report);
  }
  SOTTO_TRY_DONE(attach_contexts(request.contexts, split));
  return std::optional<Split>(std::move(split));
}

nlohmann::json contexts_json(const Split& split) {
  const std::vector<double> shares = shares_of(split);
  nlohmann::json json = nlohmann::json::array();
  for (const ContextDimension& dimension : split.contexts->dimensions) {
    nlohmann::json values = nlohmann::json::array();
    for (std::size_t n = 0; n < dimension.values.size(); ++n)
      values.push_back({{"value", dimension.values[n]}, {"share", shares[dimension.first + n]}});
    json.push_back({{"name", dimension.name},
                    {"side", to_text(dimension.side)},
                    {"source", to_text(dimension.source)},
                    {"values", values}});
  }
  return json;
}

std::string contexts_table(const Split& split, const Console& console) {
  constexpr std::size_t most_rows = 12;  // of a dimension; its most frequent values
  const std::vector<double> shares = shares_of(split);
  Table table({{"context"}, {"value"}, {"records", Align::right}, {"", Align::left, Tone::accent}});
  for (const ContextDimension& dimension : split.contexts->dimensions) {
    std::vector<std::size_t> order(dimension.values.size());
    for (std::size_t n = 0; n < order.size(); ++n) order[n] = n;
    if (order.size() > most_rows) {
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return shares[dimension.first + a] > shares[dimension.first + b];
      });
      order.resize(most_rows);
    }
    for (const std::size_t n : order) {
      const double share = shares[dimension.first + n];
      std::string bar;
      for (double at = 0.0; at < share; at += 0.025) bar += "▇";
      table.row({n == order.front() ? dimension.name : "", dimension.values[n],
                 fmt::format("{:.1f}%", 100.0 * share), bar});
    }
    if (dimension.values.size() > order.size())
      table.row({"", fmt::format("and {} more", dimension.values.size() - order.size()), "", ""});
  }
  return table.text(console);
}

}  // namespace sotto::cli
