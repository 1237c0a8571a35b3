#include "host/serve/serve_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "engine/files/files.h"
#include "engine/plan/catalogue_request.h"
#include "fed/models/task_models.h"
#include "host/serve/criteria_keys.h"
#include "net/address.h"
#include "storage/toml_table.h"

namespace sotto::host {

namespace {

// Below it a released sum tells much about each of those in it.
constexpr std::uint32_t least_quorum = 5;

// Each name once, and none empty.
Status check_names(const std::string& text, const std::string& file) {
  std::unordered_map<std::string_view, std::size_t> lines;
  const std::string_view all = text;
  for (std::size_t at = 0, line = 1; at < all.size(); ++line) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string_view name = all.substr(at, end - at);
    if (name.empty() || name.find('\r') != std::string_view::npos ||
        name.find('\t') != std::string_view::npos)
      return fail(Code::bad_input,
                  fmt::format("{}, line {}: a name is one line of text, not empty and without tabs or "
                              "carriage returns",
                              file, line));
    const auto [first, fresh] = lines.emplace(name, line);
    if (!fresh)
      return fail(Code::bad_input,
                  fmt::format("{}, line {}: the same name as on line {}", file, line, first->second));
    at = end + 1;
  }
  return Done{};
}

// Items as a number, or as a file with their names, one a line.
Status read_items(TomlTable& table, const std::filesystem::path& folder, TaskConfig& task) {
  const toml::node* items = table.node("items");
  if (items == nullptr) {
    SOTTO_TRY_DONE(table.finish());  // perhaps it is there, mistyped
    return fail(Code::bad_input, fmt::format("{}: the items are missing: give a number, or a file with their "
                                             "names, one per line ('sotto data items' writes one)",
                                             table.where("items")));
  }
  if (items->is_string()) {
    std::string name;
    table.text("items", name);
    auto names = read_text(folder / name);
    if (!names.ok()) return chained(names.error(), table.where("items"));
    task.catalogue = std::move(*names);
    SOTTO_TRY_DONE(check_names(task.catalogue, (folder / name).string()));
    const auto lines = std::count(task.catalogue.begin(), task.catalogue.end(), '\n');
    const bool open_end = !task.catalogue.empty() && task.catalogue.back() != '\n';
    task.spec.set_items(static_cast<std::uint32_t>(lines + (open_end ? 1 : 0)));
    return Done{};
  }
  std::uint32_t count = 0;
  table.whole("items", count);
  task.spec.set_items(count);
  return Done{};
}

IdTable names_in(const std::string& lines) {
  IdTable names;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    names.intern(std::string_view(lines).substr(at, end - at));
    at = end + 1;
  }
  return names;
}

std::vector<std::string> below(const std::filesystem::path& folder, std::vector<std::string> files) {
  for (std::string& file : files) file = (folder / file).string();
  return files;
}

// What devices get beside the names: from the files that `sotto train` reads.
Result<DeviceKnowledge> read_catalogue_table(const toml::table& table, const std::string& path,
                                             const std::string& file, const std::filesystem::path& folder,
                                             TaskConfig& task) {
  TomlTable keys(table, file, path);
  CatalogueRequest request;
  std::string words, attributes;
  keys.texts("names", request.names);
  keys.texts("pictures", request.pictures);
  keys.texts("kg", request.kg.paths);
  keys.texts("kg_links", request.kg.links);
  keys.text("kg_predicates", request.kg.predicates);
  keys.text("kg_objects", request.kg.objects);
  keys.texts("kg_include", request.kg.include);
  keys.texts("kg_exclude", request.kg.exclude);
  keys.flag("kg_labels", request.kg.labels);
  std::uint32_t least = FeatureFilter{}.min_items, depth = FeatureFilter{}.max_hops;
  keys.whole("kg_min_items", least);
  keys.whole("kg_depth", depth);
  keys.texts("contexts", request.contexts.of);
  std::uint32_t hours = ContextSchema{}.bin_hours, bins = ContextSchema{}.bins;
  keys.whole("interval_hours", hours);
  keys.whole("interval_bins", bins);
  keys.flag("interval_exact", request.contexts.interval_exact);
  keys.text("day", request.contexts.day);
  double offset = 0.0;
  keys.real("utc_offset", offset);
  keys.text("context_values", words);
  keys.text("person_values", attributes);
  keys.text("rating_scale", request.rating_scale);
  SOTTO_TRY_DONE(keys.finish());
  if (task.catalogue.empty())
    return fail(Code::usage, fmt::format("{}: what is said of items needs their names: give a file for items",
                                         place_of(table, file)));
  request.names = below(folder, std::move(request.names));
  request.pictures = below(folder, std::move(request.pictures));
  request.kg.paths = below(folder, std::move(request.kg.paths));
  request.kg.links = below(folder, std::move(request.kg.links));
  for (std::string* names : {&request.kg.predicates, &request.kg.objects})
    if (!names->empty()) *names = (folder / *names).string();
  if (!words.empty()) request.context_values = (folder / words).string();
  if (!attributes.empty()) request.person_values = (folder / attributes).string();
  request.kg.min_items = least;
  request.kg.depth = depth;
  request.contexts.interval_hours = hours;
  request.contexts.interval_bins = bins;
  request.contexts.utc_offset = offset;
  const auto made = make_catalogue(request, names_in(task.catalogue));
  if (!made.ok()) return chained(made.error(), place_of(table, file));
  task.catalogue = encode_catalogue(*made);
  return known_of(&*made);
}

// A table of the file as a model's options.
class TableOptions final : public TaskOptions {
 public:
  explicit TableOptions(TomlTable& table) : table_(table) {}
  void whole(const char* key, std::uint32_t& value) override { table_.whole(key, value); }
  void real(const char* key, float& value) override { table_.real(key, value); }
  void choice(const char* key, std::initializer_list<const char*> words, std::size_t& place) override {
    table_.choice(key, words, place);
  }
  void wholes(const char* key, std::vector<std::uint32_t>& values) override { table_.wholes(key, values); }
  void text(const char* key, std::string& value) override { table_.text(key, value); }

 private:
  TomlTable& table_;
};

// Each model has its own keys; a name that is none is said before them.
Status read_model(TomlTable& table, v1::TaskSpec& spec) {
  std::string name = task_models.front()->name;
  table.text("model", name);
  const auto model = find_task_model(name);
  if (!model.ok()) return chained(model.error(), table.where("model"));
  spec.set_model(name);
  TableOptions options(table);
  (*model)->configure(options, spec);
  auto bits = static_cast<std::uint32_t>((*model)->usual_bits);
  std::uint64_t seed = 1;
  bool reproducible = false;
  table.whole("fixed_bits", bits);
  table.whole("seed", seed);
  table.flag("reproducible", reproducible);
  spec.set_fixed_bits(bits);
  spec.set_seed(seed);
  spec.set_reproducible(reproducible);
  return Done{};
}

// The crowd that is asked for, whatever the sum.
std::uint32_t read_sum(TomlTable& table, v1::TaskSpec& spec) {
  v1::Precision down = v1::PRECISION_F32;
  v1::Sum sum = v1::SUM_PLAIN;
  double clip = 0.0, row_clip = 0.0;
  table.choice("down", {"f32", "f16", "i8"}, down);
  table.choice("sum", {"plain", "secure"}, sum);
  table.real("clip", clip);
  table.real("row_clip", row_clip);
  SumAssumptions assumed;
  table.real("corrupt", assumed.corrupt);
  table.real("dropped", assumed.dropped);
  table.real("leak", assumed.leak);
  table.real("abort", assumed.abort);
  table.whole("crowd", assumed.crowd);
  spec.set_down(down);
  spec.set_sum(sum);
  spec.set_clip(clip);
  spec.set_row_clip(row_clip);
  if (sum != v1::SUM_SECURE) return assumed.crowd;
  spec.mutable_assumed()->set_corrupt(assumed.corrupt);
  spec.mutable_assumed()->set_dropped(assumed.dropped);
  spec.mutable_assumed()->set_leak(assumed.leak);
  spec.mutable_assumed()->set_abort(assumed.abort);
  spec.mutable_assumed()->set_crowd(assumed.crowd);
  return assumed.crowd;
}

void read_rules(TomlTable& table, RoundRules& rules) {
  table.choice("mode", {"cohorts", "buffered"}, rules.mode);
  table.choice("selection", {"arrival", "drawn"}, rules.selection);
  table.whole("goal", rules.goal);
  table.real("over_selection", rules.over_selection);
  rules.quorum = std::max(rules.quorum, static_cast<std::uint32_t>((std::uint64_t{rules.goal} * 7 + 9) / 10));
  rules.quorum = std::min(rules.quorum, std::max(rules.goal, 1u));
  table.whole("quorum", rules.quorum);
  table.whole("population", rules.population);
  table.seconds("gather_s", rules.gather_ms);
  table.seconds("round_s", rules.round_ms);
  table.seconds("phase_s", rules.phase_ms);
  table.whole("rounds", rules.rounds);
  table.whole("max_staleness", rules.max_staleness);
  table.flag("need_power", rules.need_power);
  table.flag("need_unmetered", rules.need_unmetered);
  table.text("criterion", rules.criterion);
  table.real("canary_share", rules.canary_share);
}

void read_privacy(TomlTable& table, TaskConfig& task) {
  TaskDp dp;
  table.real("epsilon", dp.epsilon);
  table.real("delta", dp.delta);
  table.real("noise", dp.noise_multiplier);
  table.whole("people", dp.population);
  if (dp.epsilon != 0.0 || dp.noise_multiplier != 0.0) task.dp = dp;
}

void read_evaluation(TomlTable& table, const TaskModel& model, TaskConfig& task) {
  EvaluationTerms terms;
  if (model.examples != nullptr) terms.cutoff = 0;  // it makes no lists
  table.whole("evaluate_holdout", terms.holdout);
  table.real("evaluate_share", terms.share);
  table.whole("evaluate_cutoff", terms.cutoff);
  table.flag("evaluate_coverage", terms.coverage);
  table.whole("evaluate_goal", task.rules.evaluate_goal);
  table.text("stop_when", task.rules.stop_when);
  table.real("evaluate_noise", task.evaluation.noise_multiplier);
  table.real("evaluate_epsilon", task.evaluation.epsilon);
  table.real("evaluate_delta", task.evaluation.delta);
  if (terms.holdout == 0 && terms.share == 0.0f) return;
  v1::Evaluation& asked = *task.spec.mutable_evaluation();
  asked.set_holdout(terms.holdout);
  asked.set_share(terms.share);
  asked.set_cutoff(terms.cutoff);
  asked.set_coverage(terms.coverage);
}

Result<TaskConfig> read_task_table(const toml::table& table, const std::string& name, const std::string& file,
                                   const std::filesystem::path& folder) {
  TaskConfig task;
  TomlTable keys(table, file, fmt::format("task.{}.", name));
  task.spec.set_name(name);
  SOTTO_TRY_DONE(read_model(keys, task.spec));
  const std::uint32_t crowd = read_sum(keys, task.spec);
  SOTTO_TRY_DONE(read_criteria_keys(keys, task.spec, crowd));
  read_rules(keys, task.rules);
  read_privacy(keys, task);
  SOTTO_TRY(const TaskModel* model, find_task_model(task.spec.model()));
  read_evaluation(keys, *model, task);
  bool small_sums = false;
  keys.flag("small_sums", small_sums);
  const toml::table* catalogue = keys.inner("catalogue");
  SOTTO_TRY_DONE(read_items(keys, folder, task));
  SOTTO_TRY_DONE(keys.finish());
  DeviceKnowledge known;
  if (catalogue != nullptr) {
    SOTTO_TRY(known,
              read_catalogue_table(*catalogue, fmt::format("task.{}.catalogue.", name), file, folder, task));
  }
  if (const Status taken = take_known(known, task.spec); !taken.ok())
    return chained(taken.error(), place_of(table, file));
  if (task.spec.has_evaluation() && model->needs_ratings && known.records != nullptr)
    task.spec.mutable_evaluation()->set_rating_range(known.records->scale.highest -
                                                     known.records->scale.lowest);
  if (task.rules.quorum < least_quorum && !small_sums && !task.spec.reproducible())
    return fail(
        Code::usage,
        fmt::format("{}: a quorum of {} would release contributions of a few devices nearly as they were "
                    "sent: raise goal or quorum to at least {}, or write small_sums = true if that is meant",
                    place_of(table, file), task.rules.quorum, least_quorum));
  if (const Status fits = check(task); !fits.ok()) return chained(fits.error(), place_of(table, file));
  return task;
}

Status read_limits(const toml::table& table, const std::string& file, ServeConfig& config) {
  TomlTable keys(table, file, "limits.");
  CoordinatorOptions& options = config.options;
  std::uint64_t upload_mib = options.most_upload_bytes >> 20, memory_mib = config.limits.memory_bytes >> 20;
  keys.seconds("clock_window_s", options.clock_window_ms);
  keys.seconds("retry_min_s", options.retry_min_ms);
  keys.seconds("retry_max_s", options.retry_max_ms);
  keys.seconds("poll_s", options.poll_ms);
  keys.whole("check_ins_s", options.most_check_ins_s);
  keys.whole("assignments", options.most_assignments);
  keys.whole("upload_mib", upload_mib);
  keys.whole("refusal_lines", options.most_refusal_lines);
  keys.seconds("keep_out_s", options.keep_out_ms);
  keys.whole("memory_mib", memory_mib);
  keys.whole("threads", config.limits.threads);
  keys.whole("queued_calls", config.limits.queued_calls);
  keys.whole("open_calls", config.limits.open_calls);
  keys.whole("peer_connections", config.limits.peer_connections);
  SOTTO_TRY_DONE(keys.finish());
  const auto within = [&](const char* key, std::uint64_t value, std::uint64_t least,
                          std::uint64_t most) -> Status {
    if (value >= least && value <= most) return Done{};
    return fail(Code::bad_input,
                fmt::format("{} must be a number from {} to {}", keys.where(key), least, most));
  };
  SOTTO_TRY_DONE(within("threads", config.limits.threads, 2, 256));
  SOTTO_TRY_DONE(within("queued_calls", config.limits.queued_calls, 1, 1u << 20));
  SOTTO_TRY_DONE(within("open_calls", config.limits.open_calls, 1, 1u << 20));
  SOTTO_TRY_DONE(within("memory_mib", memory_mib, 16, 1u << 20));
  SOTTO_TRY_DONE(within("upload_mib", upload_mib, 1, 1u << 20));
  SOTTO_TRY_DONE(within("assignments", options.most_assignments, 1, UINT32_MAX));
  SOTTO_TRY_DONE(within("check_ins_s", options.most_check_ins_s, 1, UINT32_MAX));
  options.most_upload_bytes = upload_mib << 20;
  config.limits.memory_bytes = memory_mib << 20;
  return check(options);
}

Status check_address(const TomlTable& keys, const char* key, const std::string& text) {
  const auto address = parse_address(text);
  return address.ok() ? Status(Done{}) : Status(chained(address.error(), keys.where(key)));
}

Status read_tls(const toml::table& table, const std::string& file, const std::filesystem::path& folder,
                ServeConfig& config) {
  TomlTable keys(table, file, "tls.");
  std::string certificate = config.certificate, key = config.key, client_ca;
  keys.text("certificate", certificate);
  keys.text("key", key);
  keys.text("client_ca", client_ca);
  config.certificate = folder / certificate;
  config.key = folder / key;
  if (!client_ca.empty()) config.client_ca = folder / client_ca;
  return keys.finish();
}

}  // namespace

Result<ServeConfig> parse_serve_config(const std::string& text, const std::string& name,
                                       const std::filesystem::path& folder) {
  SOTTO_TRY(const toml::table table, parse_toml(text, name));
  ServeConfig config;
  TomlTable keys(table, name);
  std::string state = config.state;
  keys.text("listen", config.listen);
  keys.text("status", config.status);
  keys.text("state", state);
  const toml::table* limits = keys.inner("limits");
  const toml::table* tls = keys.inner("tls");
  const toml::table* tasks = keys.inner("task");
  SOTTO_TRY_DONE(keys.finish());
  SOTTO_TRY_DONE(check_address(keys, "listen", config.listen));
  if (!config.status.empty()) SOTTO_TRY_DONE(check_address(keys, "status", config.status));
  config.state = folder / state;
  if (limits != nullptr) SOTTO_TRY_DONE(read_limits(*limits, name, config));
  SOTTO_TRY_DONE(read_tls(tls != nullptr ? *tls : toml::table{}, name, folder, config));
  if (tasks == nullptr || tasks->empty())
    return fail(Code::bad_input, fmt::format("{}: there is no task: add one, as in [task.movies]", name));
  for (const auto& [key, value] : *tasks) {
    const std::string task(key.str());
    if (!value.is_table())
      return fail(Code::bad_input,
                  fmt::format("{}: task.{} must be a table: [task.{}]", place_of(value, name), task, task));
    SOTTO_TRY(TaskConfig read, read_task_table(*value.as_table(), task, name, folder));
    config.tasks.push_back(std::move(read));
  }
  return config;
}

Result<ServeConfig> read_serve_config(const std::filesystem::path& path) {
  SOTTO_TRY(const std::string text, read_text(path));
  return parse_serve_config(text, path.string(), path.parent_path());
}

}  // namespace sotto::host
