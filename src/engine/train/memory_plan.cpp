#include "engine/train/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "base/row_matrix.h"
#include "data/membership.h"
#include "engine/files/files.h"
#include "engine/plan/model_entry.h"
#include "metrics/evaluate.h"

namespace sotto::engine {

namespace {

constexpr double gigabyte = 1e9;

double judging_bytes(const TrainRequest& request, const MemoryFacts& facts) {
  const auto judged = static_cast<double>(facts.judged);
  const auto cutoffs = static_cast<double>(request.cutoffs.size());
  const std::uint32_t deepest = *std::max_element(request.cutoffs.begin(), request.cutoffs.end());
  // A list of the deepest cut-off, seven values a cut-off, and AUC, candidates and the user beside them.
  const double values = judged * (4.0 * deepest + 8.0 * (7.0 * cutoffs + 1.0) + 24.0);
  return values + static_cast<double>(EvaluateOptions{}.memory_bytes);
}

std::optional<double> number_in(const std::string& text) {
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{}) return std::nullopt;
  return value;
}

// The number behind a name that begins a line: "MemAvailable:   123 kB", "inactive_file 456".
std::optional<double> named_number(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string first, second;
    if (words >> first >> second && first == name) return number_in(second);
  }
  return std::nullopt;
}

std::string text_or_nothing(const std::filesystem::path& path) {
  auto text = read_text(path);
  return text.ok() ? std::move(*text) : std::string();
}

// How the two kinds of control groups call their files.
struct GroupFiles {
  const char* line;  // of /proc/self/cgroup: what stands before the group's path
  const char* root;
  const char* limit;
  const char* used;
};
constexpr std::array<GroupFiles, 2> group_kinds{
    {{"0::", "/sys/fs/cgroup", "memory.max", "memory.current"},
     {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"}}};

// The least that this process' control group, or one around it, lets it take.
std::optional<double> free_in_groups(const std::string& groups, const GroupFiles& kind) {
  const std::size_t at = groups.find(kind.line);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + std::string_view(kind.line).size();
  std::filesystem::path inside = groups.substr(begin, groups.find('\n', begin) - begin);
  std::optional<double> least;
  for (inside = inside.relative_path(); true; inside = inside.parent_path()) {
    const std::filesystem::path folder = std::filesystem::path(kind.root) / inside;
    const auto here = free_in_group(text_or_nothing(folder / kind.limit), text_or_nothing(folder / kind.used),
                                    text_or_nothing(folder / "memory.stat"));
    if (here) least = std::min(least.value_or(*here), *here);
    if (inside.empty()) return least;
  }
}

}  // namespace

MemoryFacts memory_facts(const TrainRequest& request, const Split& split, std::size_t threads) {
  MemoryFacts facts;
  facts.users = split.users.size();
  facts.catalogue = split.catalogue;
  facts.interactions = split.train.interactions();
  facts.judged =
      request.eval_users == 0 ? facts.users : std::min<std::uint64_t>(request.eval_users, facts.users);
  facts.threads = threads;
  if (split.features != nullptr) {
    facts.features = split.features->features();
    facts.feature_facts = split.features->facts();
  }
  return facts;
}

double factor_row_bytes(std::size_t factors) {
  return static_cast<double>(RowMatrix::stride_for(factors + 1) * sizeof(float));
}

double matrix_bytes(const MatrixShape& shape) {
  return static_cast<double>(shape.rows) * static_cast<double>(RowMatrix::stride_for(shape.width)) *
         static_cast<double>(sizeof(float));
}

double membership_bytes(const MemoryFacts& facts) {
  const double bytes =
      static_cast<double>(facts.users) * (static_cast<double>(facts.catalogue) + 63.0) / 64.0 * 8.0;
  return bytes <= static_cast<double>(Membership::default_budget_bytes) ? bytes : 0.0;
}

double pairs_that_occur(const MemoryFacts& facts) {
  const auto users = static_cast<double>(facts.users), catalogue = static_cast<double>(facts.catalogue);
  const auto interactions = static_cast<double>(facts.interactions);
  return std::min(catalogue * catalogue, 3.0 * interactions * interactions / std::max(1.0, users));
}

void add_rows(const TrainRequest& request, const MemoryFacts& facts, double shared, double own,
              std::vector<MemoryPart>& parts) {
  parts.push_back({"shared rows", shared});
  if (!facts.scratch) parts.push_back({"private rows", own});
  if (!request.model->federated()) parts.push_back({"the model handed over", shared + own});
  if (request.early.patience > 0) parts.push_back({"the best model so far", shared + own});
  // A copy of the parameters and their bytes, which may grow to twice their size while they are written.
  if (facts.keeps_checkpoints) parts.push_back({"a checkpoint", 3.0 * (shared + own)});
}

void add_factor_rows(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  const double row = factor_row_bytes(request.plan.fpl.factors);
  add_rows(request, facts, row * static_cast<double>(facts.catalogue), row * static_cast<double>(facts.users),
           parts);
}

void add_who_has_what(const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  parts.push_back({"who has what", membership_bytes(facts) + 8.0 * static_cast<double>(facts.users)});
}

void add_jobs(const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  parts.push_back({"interactions by job", 8.0 * static_cast<double>(facts.interactions) +
                                              5.0 * static_cast<double>(facts.catalogue)});
}

void add_dealt_items(const MemoryFacts& facts, double row, std::vector<MemoryPart>& parts) {
  if (facts.threads > 1)
    parts.push_back({"items as they are dealt", static_cast<double>(facts.catalogue) * (row + 4.0)});
}

void add_row_sums(const MemoryFacts& facts, double rows, double row, std::vector<MemoryPart>& parts) {
  parts.push_back({"sums", static_cast<double>(facts.threads) * rows * (3.0 * row + 12.0)});
}

std::vector<MemoryPart> memory_parts(const TrainRequest& request, const MemoryFacts& facts) {
  std::vector<MemoryPart> parts;
  if (request.model->memory) request.model->memory(request, facts, parts);
  parts.push_back({"judging", judging_bytes(request, facts)});
  return parts;
}

double total_bytes(const std::vector<MemoryPart>& parts) {
  double sum = 0.0;
  for (const MemoryPart& part : parts) sum += part.bytes;
  return sum;
}

Status check_memory(const TrainRequest& request, const MemoryFacts& facts, double available) {
  std::vector<MemoryPart> parts = memory_parts(request, facts);
  const double needed = total_bytes(parts);
  if (needed <= available) return Done{};
  std::stable_sort(parts.begin(), parts.end(),
                   [](const MemoryPart& a, const MemoryPart& b) { return a.bytes > b.bytes; });
  std::string listed;
  for (const MemoryPart& part : parts)
    if (part.bytes >= 0.005 * needed)
      listed += fmt::format("{}{} {:.2f}", listed.empty() ? "" : ", ", part.what, part.bytes / gigabyte);
  std::string remedy = request.model->has("model.factors")
                           ? "lower --factors, or judge fewer users with --eval-users"
                           : "close other programs, or judge fewer users with --eval-users";
  if (!request.model->memory_remedy.empty() && !facts.scratch)
    remedy = request.model->memory_remedy + ", or " + remedy;
  return fail(Code::io, fmt::format("the plan needs about {:.2f} GB of memory and {:.2f} GB are available "
                                    "(in GB: {}): {}",
                                    needed / gigabyte, available / gigabyte, listed, remedy));
}

std::optional<double> free_in_meminfo(const std::string& meminfo) {
  const auto kilobytes = named_number(meminfo, "MemAvailable:");
  if (!kilobytes) return std::nullopt;
  return *kilobytes * 1024.0;
}

std::optional<double> free_in_group(const std::string& limit, const std::string& used,
                                    const std::string& statistics) {
  const auto most = number_in(limit), taken = number_in(used);  // "max" is no number: no limit
  if (!most || !taken) return std::nullopt;
  // Pages of files count as used, but the system takes back those that nobody asked for lately.
  const double files = named_number(statistics, "inactive_file").value_or(0.0) +
                       named_number(statistics, "active_file").value_or(0.0);
  return std::clamp(*most - *taken + files, 0.0, *most);
}

std::optional<double> available_memory() {
  const auto system = free_in_meminfo(text_or_nothing("/proc/meminfo"));
  std::optional<double> least = system;
  const std::string groups = text_or_nothing("/proc/self/cgroup");
  for (const GroupFiles& kind : group_kinds)
    if (const auto group = free_in_groups(groups, kind)) least = std::min(least.value_or(*group), *group);
  return least;
}

}  // namespace sotto::engine
