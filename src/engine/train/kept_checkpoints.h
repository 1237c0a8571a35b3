// Checkpoints that stay in a run's folder, so that somebody can be forgotten by replaying from the last one
// that precedes their first contribution: checkpoints/round-<n>.bin.
//
// They cost (users + items) · (factors + 1) · 4 bytes each, and they hold private rows: for their owner's
// eyes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/train/training.h"

namespace sotto::engine {

class KeptCheckpoints {
 public:
  explicit KeptCheckpoints(const std::filesystem::path& run) : folder_(run / "checkpoints") {}

  [[nodiscard]] Status keep(const Checkpoint& checkpoint) const;
  // Their rounds, ascending; none where the folder is not there.
  [[nodiscard]] std::vector<std::uint32_t> rounds() const;
  // The last one at or before the round, if there is one.
  [[nodiscard]] Result<std::optional<Checkpoint>> before(std::uint32_t round) const;
  // Removes them, and the folder if nothing else is in it.
  [[nodiscard]] Status clear() const;

 private:
  [[nodiscard]] std::filesystem::path path_of(std::uint32_t round) const;

  std::filesystem::path folder_;
};

}  // namespace sotto::engine
