// PartTotal: what a part of a round came to, for those who gave to it.
//
// A round may have several parts, one after the other, each with a shape and a sum of its own. Its members
// are those of the first part; who is silent in one has no part in the next. Laws: a total is small, and such
// as so many devices can add up; a device takes none that its own contribution cannot be in. Where secure
// sums follow one another, all members of one heard the same totals, and nobody is singled out by being in
// one sum and not in the next (shows_few()).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "privacy/contribution.h"
#include "privacy/secure/keys.h"

namespace sotto::fed {

struct Task;
struct TaskShape;

struct PartTotal {
  std::uint32_t devices = 0;  // whose contributions are in it
  std::vector<std::int64_t> numbers;
};

inline constexpr std::size_t most_total_numbers = std::size_t{1} << 17;  // a catalogue of so many items
inline constexpr std::size_t most_parts = 8;                             // of a round

[[nodiscard]] std::string encode_total(const PartTotal& total);
// Whether a total came that so many devices can add up to in the part.
[[nodiscard]] Status check_total(const TaskShape& part, const PartTotal& total);
[[nodiscard]] Result<PartTotal> read_total(const std::string& encoded, const TaskShape& part);
// Whether the contribution can be in it.
[[nodiscard]] Status check_own(const TaskShape& part, const PartTotal& total, const Contribution& own);

// What draws the neighbours in a secure sum: the cohort's keys, and the totals that its members heard before.
// They sign it, so that whoever heard others is nobody's neighbour.
[[nodiscard]] Bytes32 part_beacon(const Task& task, std::uint64_t session,
                                  std::span<const PublicKey> directory);
// Whether `stayed` of the `devices` that gave to the secure sum before are so many that the others would show
// in the difference of both: not where nobody left, nor where the crowd that the task promises did, beside
// all who may be corrupt.
[[nodiscard]] bool shows_few(const Task& task, std::uint32_t devices, std::uint32_t stayed);

}  // namespace sotto::fed
