#include "privacy/consent.h"

#include <fmt/core.h>

namespace sotto {

Status check(const ConsentPolicy& policy) {
  if (policy.pi >= 0.0 && policy.pi <= 1.0) return Done{};
  return fail(
      Code::usage,
      fmt::format(
          "pi is {}, but it is a share: give a number from 0 (no positive item leaves) to 1 (all may)",
          policy.pi));
}

Result<MaskKind> parse_mask(const std::string& text) {
  if (text == "redraw") return MaskKind::redraw;
  if (text == "sticky") return MaskKind::sticky;
  return fail(Code::usage, fmt::format("unknown mask '{}': choose redraw or sticky", text));
}

const char* to_string(MaskKind mask) { return mask == MaskKind::redraw ? "redraw" : "sticky"; }

}  // namespace sotto
