#include "engine/train/kept_checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/files/files.h"

namespace sotto::engine {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view name_start = "round-";
constexpr std::string_view name_end = ".bin";

std::optional<std::uint32_t> round_in(const std::string& name) {
  if (!name.starts_with(name_start) || !name.ends_with(name_end)) return std::nullopt;
  const char* from = name.data() + name_start.size();
  const char* to = name.data() + name.size() - name_end.size();
  std::uint32_t round = 0;
  if (std::from_chars(from, to, round).ptr != to) return std::nullopt;
  return round;
}

}  // namespace

fs::path KeptCheckpoints::path_of(std::uint32_t round) const {
  return folder_ / fmt::format("{}{}{}", name_start, round, name_end);
}

Status KeptCheckpoints::keep(const Checkpoint& checkpoint) const {
  SOTTO_TRY_DONE(make_folder(folder_));
  return write_file(path_of(checkpoint.round), save_checkpoint(checkpoint), Privacy::owner_only);
}

std::vector<std::uint32_t> KeptCheckpoints::rounds() const {
  std::vector<std::uint32_t> rounds;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error))
    if (const auto round = round_in(entry->path().filename().string())) rounds.push_back(*round);
  std::sort(rounds.begin(), rounds.end());
  return rounds;
}

Result<std::optional<Checkpoint>> KeptCheckpoints::before(std::uint32_t round) const {
  std::optional<Checkpoint> checkpoint;
  const std::vector<std::uint32_t> all = rounds();
  const auto after = std::upper_bound(all.begin(), all.end(), round);
  if (after == all.begin()) return checkpoint;
  const fs::path path = path_of(*(after - 1));
  SOTTO_TRY(const Bytes bytes, read_file(path));
  SOTTO_TRY(checkpoint, load_checkpoint(bytes, path.string()));
  return checkpoint;
}

Status KeptCheckpoints::clear() const {
  for (const std::uint32_t round : rounds()) SOTTO_TRY_DONE(remove_file(path_of(round)));
  std::error_code ignored;
  fs::remove(folder_, ignored);  // fails where something else lies in it: that stays
  return Done{};
}

}  // namespace sotto::engine
