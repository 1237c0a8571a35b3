// PartTotal: what those who gave to a part of a round are told of its total.
//
// A round may have several parts, one after the other, each with a shape and a sum of its own. Its members
// are those of the first part; who is silent in one has no part in the next. Laws: a total is small, and such
// as so many devices can add up; members are told no more of it than they need (TaskShape::largest). Nothing
// that a device checks of what it is told depends on what its person has: where sums are secure, whether it
// goes on would say it. Where secure sums follow one another, all members have the same task and were told
// the same, and nobody is singled out by being in one sum and not in the next (shows_few()).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "privacy/secure/keys.h"

namespace sotto::fed {

struct Task;
struct TaskShape;

struct PartTotal {
  std::uint32_t devices = 0;  // whose contributions are in it
  // Those of the sum, row by row; or the places of the largest of them, ascending.
  std::vector<std::int64_t> numbers;
};

inline constexpr std::size_t most_total_numbers = std::size_t{1} << 17;  // a catalogue of so many items
inline constexpr std::size_t most_parts = 8;                             // of a round

[[nodiscard]] std::string encode_total(const PartTotal& told);
// What is told of a sum; fails where so many devices cannot have added that up in the part.
[[nodiscard]] Result<PartTotal> told_of(const TaskShape& part, std::uint32_t devices,
                                        std::vector<std::int64_t> sum);
// Whether it can be told of a sum of the part.
[[nodiscard]] Status check_told(const TaskShape& part, const PartTotal& told);
[[nodiscard]] Result<PartTotal> read_total(const std::string& encoded, const TaskShape& part);

// The largest number of a contribution that a secure sum of the part has room for.
[[nodiscard]] std::int32_t sum_limit(const Task& task);
// What draws the neighbours in a secure sum: the cohort's keys; in a round of several parts the task as well,
// and what its members were told before. They sign it, so that whoever has another task, or other names for
// its items, or was told anything else, is nobody's neighbour.
[[nodiscard]] Bytes32 part_beacon(const Task& task, std::uint64_t session,
                                  std::span<const PublicKey> directory);
// Whether `stayed` of the `devices` that gave to the secure sum before are so many that the others would show
// in the difference of both: not where nobody left, nor where the crowd that the task promises did, beside
// all who may be corrupt.
[[nodiscard]] bool shows_few(const Task& task, std::uint32_t devices, std::uint32_t stayed);

}  // namespace sotto::fed
