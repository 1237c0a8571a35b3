#include "lab/audit/audit_view.h"

#include <fmt/core.h>

#include <charconv>

namespace sotto::lab {

Result<AuditView> parse_view(const std::string& text) {
  const auto unknown = [&] {
    return fail(
        Code::usage,
        fmt::format("unknown view '{}': choose plain, shuffled, secure, secure:N (one sum a round, of at "
                    "least N devices), groups:N (sums over groups of at least N); with noise secure+dp, "
                    "secure:N+dp or groups:N+dp",
                    text));
  };
  AuditView view;
  std::string_view rest = text;
  if (rest == "plain") return view;
  view.view = View::shuffled;
  if (rest == "shuffled") return view;
  view.view = View::secure;
  if (rest.ends_with("+dp")) {
    view.noisy = true;
    rest.remove_suffix(3);
  }
  if (rest == "secure") return view;
  const bool groups = rest.starts_with("groups:");
  if (!groups && !rest.starts_with("secure:")) return unknown();
  rest.remove_prefix(7);
  std::uint32_t& number = groups ? view.group : view.least;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || end != rest.data() + rest.size() || number < 2) return unknown();
  return view;
}

std::string to_string(const AuditView& view) {
  std::string text = view.group != 0 ? fmt::format("groups:{}", view.group) : to_string(view.view);
  if (view.least != 0) text += fmt::format(":{}", view.least);
  return view.noisy ? text + "+dp" : text;
}

}  // namespace sotto::lab
