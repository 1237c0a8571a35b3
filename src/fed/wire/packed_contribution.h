// A contribution as it goes over a network: the message of fed/messages.h in fewer bits, without loss.
//
// Most of a row's 32-bit integers are far from the ends of their range. Each row says how many low bits its
// values keep as they are; what is above them, mostly 0 or 1, is told by counting (Rice codes). Rows are told
// by the gaps between them. Where a model sends one statistic for all of its rows it is told once.
// Laws: unpacking gives the message that was packed; what is read lies within the limits, and memory grows
// with the bytes that came, never with what they promise (where rows are alike: with the rows they name,
// each once); anything else is refused with its reason, a row beyond the last as Code::not_found.
// Layout: the messages' header, round u32, rows u32, width u32, bits; the last byte is filled with zeros.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fed/messages.h"

namespace sotto::fed {

// What a task lets in.
struct ContributionLimits {
  std::size_t catalogue = 0;  // rows of the sum
  std::size_t width = 0;      // values of a row
  std::size_t most_rows = 0;  // in one contribution
  bool alike = false;         // its rows all hold the same numbers, which came once
};

// `alike`: the rows all hold the same numbers, and are told so.
[[nodiscard]] std::string pack_contribution(const ContributionMessage& message, bool alike = false);
[[nodiscard]] Result<ContributionMessage> unpack_contribution(std::string_view packed,
                                                              const ContributionLimits& limits);

}  // namespace sotto::fed
