#include "fed/criteria/criterion.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "fed/criteria/balance.h"
#include "fed/criteria/closeness.h"
#include "fed/criteria/diversity.h"
#include "fed/criteria/layer_closeness.h"
#include "fed/criteria/novelty.h"
#include "fed/criteria/quality.h"
#include "fed/criteria/recency.h"
#include "fed/criteria/size.h"
#include "fed/criteria/trust.h"

namespace sotto::fed {

namespace {

// A new criterion is a file and a line here.
constexpr std::array<Criterion, 9> known{
    &size_criterion,             //
    &diversity_criterion,        //
    &balance_criterion,          //
    &quality_criterion,          //
    &closeness_criterion,        //
    &layer_closeness_criterion,  //
    &novelty_criterion,          //
    &recency_criterion,          //
    &trust_criterion,            //
};

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

bool same_word(std::string_view text, std::string_view name) {
  return std::ranges::equal(text, name, {}, lower, lower);
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::span<const Criterion> all_criteria() { return known; }

Result<Criterion> parse_criterion(const std::string& text, std::span<const Criterion> offered) {
  for (const Criterion criterion : known)
    if (same_word(text, criterion->name) || same_word(text, criterion->short_name)) return criterion;
  std::string names;
  for (const Criterion criterion : offered)
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", criterion->name, criterion->short_name);
  return fail(Code::usage, fmt::format("'{}' is no criterion: there are {}", text, names));
}

Result<CriteriaOrder> parse_order(const std::string& text, std::span<const Criterion> offered) {
  if (text.find(',') != std::string::npos)
    return fail(Code::usage,
                fmt::format("the order '{}' has commas: separate criteria with >, as 'DS>LD'", text));
  CriteriaOrder order;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('>', from), text.size());
    const std::string name = trimmed(text.substr(from, to - from));
    if (name.empty())
      return fail(Code::usage,
                  fmt::format("the order '{}' has an empty name: write criteria with > between them, as "
                              "'DS>LD'",
                              text));
    SOTTO_TRY(const Criterion criterion, parse_criterion(name, offered));
    if (std::ranges::find(order, criterion) != order.end())
      return fail(Code::usage, fmt::format("the order '{}' names {} twice: a criterion has one place", text,
                                           criterion->name));
    order.push_back(criterion);
    from = to + 1;
  }
  return order;
}

std::string to_string(const CriteriaOrder& order) {
  std::string text;
  for (const Criterion criterion : order) text += (text.empty() ? "" : ">") + std::string(criterion->name);
  return text;
}

std::vector<CriteriaOrder> permutations(const CriteriaOrder& order) {
  const auto place = [](Criterion criterion) { return std::ranges::find(known, criterion); };
  CriteriaOrder next = order;
  std::ranges::sort(next, {}, place);
  std::vector<CriteriaOrder> all;
  do {
    all.push_back(next);
  } while (std::ranges::next_permutation(next, {}, place).found);
  return all;
}

Result<double> measured(Criterion criterion, const DeviceFacts& facts) {
  const double value = criterion->measure(facts);
  if (!(value >= 0.0 && value <= 1.0))
    return fail(Code::usage, fmt::format("the criterion {} of a device was measured outside of 0 to 1: mend "
                                         "the facts it is measured on",
                                         criterion->name));
  return value;
}

}  // namespace sotto::fed
