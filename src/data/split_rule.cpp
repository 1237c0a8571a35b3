#include <fmt/format.h>

#include <cmath>

#include "data/split.h"
#include "data/text_source.h"
#include "data/values.h"

namespace sotto::data {

namespace {

constexpr const char* known_rules =
    "use temporal:0.8, random:0.8, leave-one-out, at:1609459200 or at:2021-01-01";

}  // namespace

Result<SplitRule> parse_split_rule(const std::string& text) {
  const auto refuse = [&](const char* why) {
    return fail(Code::usage, fmt::format("split {} {}; {}", excerpt(text), why, known_rules));
  };
  const std::size_t colon = text.find(':');
  const std::string_view kind = std::string_view(text).substr(0, colon);
  const std::string_view rest = colon == std::string::npos ? "" : std::string_view(text).substr(colon + 1);
  if (kind == "leave-one-out" && colon == std::string::npos) return SplitRule(LeaveOneOut{});
  if (kind == "at") {
    if (const auto date = parse_date(rest)) return SplitRule(FixedTimestamp{*date});
    const auto number = parse_number(rest);
    if (!number || std::abs(*number) > 1e15 || *number != std::floor(*number))
      return refuse("has no unix time or date after \"at:\"");
    return SplitRule(FixedTimestamp{static_cast<std::int64_t>(*number)});
  }
  if (kind != "temporal" && kind != "random") return refuse("is no rule that we know");
  double share = 0.8;
  if (colon != std::string::npos) {
    const auto number = parse_number(rest);
    if (!number || !(*number > 0.0 && *number < 1.0)) return refuse("needs a training share between 0 and 1");
    share = *number;
  }
  if (kind == "temporal") return SplitRule(TemporalHoldout{share});
  return SplitRule(RandomHoldout{share});
}

std::string to_string(const SplitRule& rule) {
  if (const auto* temporal = std::get_if<TemporalHoldout>(&rule))
    return fmt::format("temporal:{}", temporal->train_share);
  if (const auto* random = std::get_if<RandomHoldout>(&rule))
    return fmt::format("random:{}", random->train_share);
  if (const auto* fixed = std::get_if<FixedTimestamp>(&rule))
    return fmt::format("at:{}", fixed->unix_seconds);
  return "leave-one-out";
}

}  // namespace sotto::data
