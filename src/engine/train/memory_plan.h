// What a training will take of the machine's memory, told before it starts.
//
// Law: the parts are what training and judging allocate, summed as if all of it were there at once: an
// estimate from above that is seldom far off. The data is not among them: it is there already, or mapped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "model/central/dense_layers.h"

namespace sotto::engine {

// The sizes a plan meets.
struct MemoryFacts {
  std::uint64_t users = 0;
  std::uint64_t catalogue = 0;
  std::uint64_t interactions = 0;  // of the training part
  std::uint64_t judged = 0;        // users that will be judged
  std::uint64_t threads = 1;
  std::uint64_t features = 0;       // of items, where they are known
  std::uint64_t feature_facts = 0;  // (item, feature)
  bool keeps_checkpoints = false;
  bool scratch = false;  // private rows lie in a scratch file
};
[[nodiscard]] MemoryFacts memory_facts(const TrainRequest& request, const Split& split, std::size_t threads);

struct MemoryPart {
  const char* what;
  double bytes;  // a double: sizes that no integer holds are still told
};
[[nodiscard]] std::vector<MemoryPart> memory_parts(const TrainRequest& request, const MemoryFacts& facts);
[[nodiscard]] double total_bytes(const std::vector<MemoryPart>& parts);
// What entries put their parts together from (ModelEntry::memory).
// A row of so many factors, and its bias, as it lies in memory.
[[nodiscard]] double factor_row_bytes(std::size_t factors);
[[nodiscard]] double matrix_bytes(const MatrixShape& shape);
// The bitmap of who has what, where it is small enough to be built.
[[nodiscard]] double membership_bytes(const MemoryFacts& facts);
// Pairs of items that occur: at most all, and about the square of the mean history for each user.
[[nodiscard]] double pairs_that_occur(const MemoryFacts& facts);
// Shared and private rows of so many bytes, and their copies.
void add_rows(const TrainRequest& request, const MemoryFacts& facts, double shared, double own,
              std::vector<MemoryPart>& parts);
// A row of factors for each item and each person.
void add_factor_rows(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts);
void add_who_has_what(const MemoryFacts& facts, std::vector<MemoryPart>& parts);
// Where an epoch's interactions are drawn by job, and items are dealt to threads.
void add_jobs(const MemoryFacts& facts, std::vector<MemoryPart>& parts);
void add_dealt_items(const MemoryFacts& facts, double row, std::vector<MemoryPart>& parts);
// A round's sums: every row may come to need 64-bit sums beside its 32-bit ones.
void add_row_sums(const MemoryFacts& facts, double rows, double row, std::vector<MemoryPart>& parts);

// Fails where the plan needs more than `available` bytes, with the numbers and what to do about it.
[[nodiscard]] Status check_memory(const TrainRequest& request, const MemoryFacts& facts, double available);

// Bytes that this process may still take: what the system has free or can free, or less where a control
// group says so. Nothing where the system does not tell.
[[nodiscard]] std::optional<double> available_memory();
// The same from the texts of /proc/meminfo, and of a control group its limit, use and statistics.
[[nodiscard]] std::optional<double> free_in_meminfo(const std::string& meminfo);
[[nodiscard]] std::optional<double> free_in_group(const std::string& limit, const std::string& used,
                                                  const std::string& statistics);

}  // namespace sotto::engine
