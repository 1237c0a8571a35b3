#include "engine/train/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "base/row_matrix.h"
#include "data/membership.h"
#include "engine/files/files.h"
#include "engine/models/factor_options.h"
#include "engine/models/item_models.h"
#include "engine/models/kgflex_model.h"
#include "metrics/evaluate.h"
#include "model/fed_als.h"

namespace sotto {

namespace {

constexpr double gigabyte = 1e9;

// kaHFM has a factor for each feature.
double row_bytes(const TrainRequest& request, std::uint64_t features) {
  const std::size_t factors = request.model == ModelKind::kahfm ? features : request.plan.fpl.factors;
  return static_cast<double>(RowMatrix::stride_for(factors + 1) * sizeof(float));
}

bool has_factors(const TrainRequest& request) {
  return facts_of(request.model).family == ModelFamily::factors;
}

// The bitmap of who has what, where it is small enough to be built.
double membership_bytes(double users, double catalogue) {
  const double bytes = users * (catalogue + 63.0) / 64.0 * 8.0;
  return bytes <= static_cast<double>(Membership::default_budget_bytes) ? bytes : 0.0;
}

double bytes_of(const MatrixShape& shape) {
  return static_cast<double>(shape.rows) * static_cast<double>(RowMatrix::stride_for(shape.width)) *
         static_cast<double>(sizeof(float));
}

// All matrices of a network, once.
double network_bytes(const TrainRequest& request, const MemoryFacts& facts) {
  const bool is_vae = is_multvae(request.model);
  const NeuMfOptions& neumf = request.neural.neumf;
  std::vector<MatrixShape> shapes =
      is_vae ? vae_layer_shapes(facts.catalogue, request.neural.vae) : neumf_layer_shapes(neumf);
  shapes.push_back(is_vae ? vae_items_shape(facts.catalogue, request.neural.vae)
                          : MatrixShape{facts.catalogue + facts.users, neumf_row_width(neumf)});
  double sum = 0.0;
  for (const MatrixShape& shape : shapes) sum += bytes_of(shape);
  return sum;
}

// Federated: the model, what the server's optimiser carries, its sums; and each thread's device.
void add_averaged_parts(const TrainRequest& request, const MemoryFacts& facts, double network,
                        std::vector<MemoryPart>& parts) {
  parts.push_back({"the network, the server's moments and sums", 10.0 * network});
  // The copy it trains, its gradient, what it sends, and the network that steps are made on.
  parts.push_back({"devices at work", 4.0 * network * static_cast<double>(facts.threads)});
  if (request.early.patience > 0) parts.push_back({"the best model so far", network});
  if (facts.keeps_checkpoints) parts.push_back({"a checkpoint", 9.0 * network});
  if (is_multvae(request.model))
    parts.push_back({"decoded users", bytes_of({facts.users, std::size_t{request.neural.vae.hidden} + 1})});
}

void add_network_parts(const TrainRequest& request, const MemoryFacts& facts,
                       std::vector<MemoryPart>& parts) {
  const double network = network_bytes(request, facts);
  if (is_averaged(request.model)) return add_averaged_parts(request, facts, network, parts);
  const auto users = static_cast<double>(facts.users), catalogue = static_cast<double>(facts.catalogue);
  const auto batch = std::min(static_cast<double>(request.neural.batch), users);
  parts.push_back({"the network, its gradient and moments", 4.0 * network});
  parts.push_back({"the model handed over", network});
  if (request.early.patience > 0) parts.push_back({"the best model so far", network});
  // A copy with both moments, and the bytes of it, which may grow to twice their size while they are written.
  if (facts.keeps_checkpoints) parts.push_back({"a checkpoint", 9.0 * network});
  if (is_multvae(request.model)) {
    // Every item's score for a batch, and up to 32 slopes for its hidden values.
    parts.push_back({"scores of a batch", 4.0 * batch * (catalogue + 32.0 * request.neural.vae.hidden)});
    parts.push_back({"decoded users", bytes_of({facts.users, std::size_t{request.neural.vae.hidden} + 1})});
    return;
  }
  parts.push_back({"interactions in order", 16.0 * static_cast<double>(facts.interactions)});
  parts.push_back({"who has what", membership_bytes(users, catalogue)});
  parts.push_back(
      {"items' part of the first layer", bytes_of({facts.catalogue, request.neural.neumf.layers[1]})});
}

double judging_bytes(const TrainRequest& request, const MemoryFacts& facts) {
  const auto judged = static_cast<double>(facts.judged);
  const auto cutoffs = static_cast<double>(request.cutoffs.size());
  const std::uint32_t deepest = *std::max_element(request.cutoffs.begin(), request.cutoffs.end());
  // A list of the deepest cut-off, seven values a cut-off, and AUC, candidates and the user beside them.
  const double values = judged * (4.0 * deepest + 8.0 * (7.0 * cutoffs + 1.0) + 24.0);
  return values + static_cast<double>(EvaluateOptions{}.memory_bytes);
}

// Matrices of doubles while they are solved, and a third of one beside; floats afterwards.
void add_item_model(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  const auto users = static_cast<double>(facts.users), catalogue = static_cast<double>(facts.catalogue);
  const auto interactions = static_cast<double>(facts.interactions);
  parts.push_back({"who has each item", 4.0 * interactions + 12.0 * catalogue});
  const bool triangle = catalogue <= static_cast<double>(usual_dense_items);
  // Pairs that occur are at most all, and about the square of the mean history for each user.
  const double occurring =
      std::min(catalogue * catalogue, 3.0 * interactions * interactions / std::max(1.0, users));
  const double shards = static_cast<double>(std::min<std::uint64_t>(facts.threads, 8));
  if (facts_of(request.model).federated)
    parts.push_back({"sums of pairs", triangle ? 4.0 * shards * catalogue * catalogue : 30.0 * occurring});
  if (request.model == ModelKind::ease || request.model == ModelKind::fedease) {
    const bool wide = ease_is_wide(request, facts.users, facts.catalogue);
    const double size = wide ? users : std::min(catalogue, static_cast<double>(request.linear.dense_items));
    parts.push_back({"the matrix to solve", (8.0 * 4.0 / 3.0 + (wide ? 0.0 : 4.0)) * size * size});
    return;
  }
  if (request.model == ModelKind::slim) parts.push_back({"pairs of items", 8.0 * occurring});
  parts.push_back({"weights", 16.0 * std::min<double>(request.knn.neighbors, catalogue) * catalogue});
}

bool draws_by_job(ModelKind model) {
  return model == ModelKind::bprmf || model == ModelKind::kahfm || model == ModelKind::warp ||
         model == ModelKind::mf;
}

// What the models of least squares need beside their rows.
void add_solving_parts(const TrainRequest& request, const MemoryFacts& facts,
                       std::vector<MemoryPart>& parts) {
  if (!solves_exactly(request.model)) return;
  const auto catalogue = static_cast<double>(facts.catalogue), threads = static_cast<double>(facts.threads);
  const auto interactions = static_cast<double>(facts.interactions);
  const double row = row_bytes(request, facts.features);
  const double square = row * (request.plan.fpl.factors + 8.0);
  parts.push_back({"solvers", square * (2.0 * threads + 32.0)});
  if (request.model == ModelKind::ials) {
    parts.push_back(
        {"one side once more", row * static_cast<double>(std::max(facts.users, facts.catalogue))});
    parts.push_back({"who has an item", 4.0 * interactions + 8.0 * catalogue});
    return;
  }
  parts.push_back({"the received rows", row * catalogue});
  const auto sum_row = [](double width) { return 4.0 * (width + 15.0); };
  if (request.model == ModelKind::fedals) {
    // A row needs 64-bit sums once as many devices are in it as ones fit 30 bits.
    const double wide = interactions / static_cast<double>(1u << (30 - request.plan.fixed.bits)) + 1.0;
    const double width = sum_row(static_cast<double>(FedAls::statistic_width(request.plan.fpl.factors)));
    parts.push_back({"sums", threads * (catalogue * (width + 12.0) + 4.0 * wide * width)});
    return;
  }
  parts.push_back({"sums", threads * catalogue * (3.0 * sum_row(request.plan.fpl.factors) + 12.0)});
  // A checkpoint and the best model so far hold them too.
  const double copies = (facts.keeps_checkpoints ? 4.0 : 1.0) + (request.early.patience > 0 ? 1.0 : 0.0);
  if (request.factors.server.value_or(ServerStep::adam) == ServerStep::adam)
    parts.push_back({"the server's moments", copies * 2.0 * catalogue * sum_row(request.plan.fpl.factors)});
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

double private_row_bytes(const TrainRequest& request, std::uint64_t users, std::uint64_t features) {
  if (!has_factors(request)) return 0.0;
  double rows = 1.0;
  if (is_kgflex(request.model)) {
    // One for each feature of the longest profile, which may be as long as it is allowed to be.
    rows = 0.0;
    for (const std::uint32_t most : profile_options(request).most) rows += most;
    rows = std::min(rows, static_cast<double>(features));
  }
  return rows * row_bytes(request, features) * static_cast<double>(users);
}

std::vector<MemoryPart> memory_parts(const TrainRequest& request, const MemoryFacts& facts) {
  const auto users = static_cast<double>(facts.users), catalogue = static_cast<double>(facts.catalogue);
  std::vector<MemoryPart> parts;
  if (has_factors(request)) {
    const auto features = static_cast<double>(facts.features);
    const double shared =
        row_bytes(request, facts.features) * (is_kgflex(request.model) ? features : catalogue);
    const double own = private_row_bytes(request, facts.users, facts.features);
    parts.push_back({"shared rows", shared});
    if (!facts.scratch) parts.push_back({"private rows", own});
    if (!facts_of(request.model).federated) parts.push_back({"the model handed over", shared + own});
    if (request.early.patience > 0) parts.push_back({"the best model so far", shared + own});
    // A copy of the parameters and their bytes, which may grow to twice their size while they are written.
    if (facts.keeps_checkpoints) parts.push_back({"a checkpoint", 3.0 * (shared + own)});
    if (!solves_exactly(request.model))
      parts.push_back({"who has what", membership_bytes(users, catalogue) + 8.0 * users});
  }
  add_solving_parts(request, facts, parts);
  if (facts_of(request.model).family == ModelFamily::network) add_network_parts(request, facts, parts);
  // Every row may come to need 64-bit sums beside its 32-bit ones.
  if (request.model == ModelKind::fpl || request.model == ModelKind::kgflex)
    parts.push_back(
        {"sums", static_cast<double>(facts.threads) *
                     (request.model == ModelKind::fpl ? catalogue : static_cast<double>(facts.features)) *
                     (3.0 * row_bytes(request, facts.features) + 12.0)});
  // In the federation, and once more where they are judged.
  if (request.plan.down != ModelPrecision::f32)
    parts.push_back({"rows as devices hold them", 2.0 * catalogue * row_bytes(request, facts.features)});
  if (draws_by_job(request.model))
    parts.push_back({"interactions by job", 8.0 * static_cast<double>(facts.interactions) + 5.0 * catalogue});
  if ((request.model == ModelKind::bprmf || request.model == ModelKind::kahfm) && facts.threads > 1)
    parts.push_back({"items as they are dealt", catalogue * (row_bytes(request, facts.features) + 4.0)});
  if (request.model == ModelKind::userknn || request.model == ModelKind::itemknn) {
    const double rows = request.model == ModelKind::userknn ? users : catalogue;
    parts.push_back({"neighbours", 8.0 * std::min<double>(request.knn.neighbors, rows) * rows});
  }
  // VSM keeps one set for items and one for profiles.
  if (request.model == ModelKind::vsm || request.model == ModelKind::kahfm)
    parts.push_back({"weights of features", (request.model == ModelKind::vsm ? 2.0 : 1.0) *
                                                (4.0 * static_cast<double>(facts.feature_facts) +
                                                 8.0 * (catalogue + static_cast<double>(facts.features)))});
  if (is_item_model(request.model)) add_item_model(request, facts, parts);
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
  std::string remedy = "close other programs, or judge fewer users with --eval-users";
  if (has_factors(request)) remedy = "lower --factors, or judge fewer users with --eval-users";
  if (is_kgflex(request.model))
    remedy = "keep fewer features a person with --first-hop and --second-hop, or " + remedy;
  if (request.model == ModelKind::kahfm)
    remedy =
        "a row is as wide as there are features: keep fewer with --kg-min-items, or judge fewer users "
        "with --eval-users";
  if (is_multvae(request.model)) remedy = "lower --hidden or --batch, or " + remedy;
  if (request.model == ModelKind::fpl && !facts.scratch)
    remedy = "keep private rows on the disk with --scratch DIR, " + remedy;
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

}  // namespace sotto
