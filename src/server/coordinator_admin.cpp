// What the operator asks of a coordinator, and its metrics.
#include <fmt/core.h>
#include <sodium.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "fed/wire/catalogue.h"
#include "server/coordinator.h"
#include "server/figures_metrics.h"
#include "server/trial.h"

namespace sotto::server {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t usual_most = 20;
constexpr std::uint64_t most_tokens = 10'000;  // at once: an answer is one message

std::string to_hex(std::string_view bytes) {
  std::string hex(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  hex.pop_back();
  return hex;
}

std::string to_base64(std::string_view bytes) {
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();
  return text;
}

const char* name_of(TaskState state) {
  return state == TaskState::running ? "running" : state == TaskState::paused ? "paused" : "finished";
}
const char* name_of(RoundState state) {
  return state == RoundState::open ? "open" : state == RoundState::committed ? "committed" : "abandoned";
}

Json round_json(const RoundRecord& round) {
  Json out{{"round", round.round},         {"state", name_of(round.state)},
           {"opened_ms", round.opened_ms}, {"closed_ms", round.closed_ms},
           {"assigned", round.assigned},   {"contributions", round.contributions}};
  if (!round.why.empty()) out["why"] = round.why;
  return out;
}

// `is_newest`: an older version whose trial has not ended in a promotion was dropped.
Json trial_json(const VersionTrial& trial, bool is_newest) {
  return {{"stable", trial.stable},
          {"share", share_of(trial)},
          {"state", trial.promoted ? "promoted"
                    : is_newest    ? "open"
                                   : "dropped"}};
}

Json version_json(const VersionRecord& version, bool is_newest = true) {
  Json out{{"version", version.number},
           {"round", version.round},
           {"contributions", version.contributions},
           {"model_hash", version.model_hash},
           {"time_ms", version.time_ms}};
  if (version.again) out["again"] = *version.again;
  if (version.trial) out["trial"] = trial_json(*version.trial, is_newest);
  return out;
}

Json task_json(const TaskRun& task) {
  Json out{{"task", task.name()},
           {"state", name_of(task.state())},
           {"model", task.config().spec.model()},
           {"sum", task.config().spec.sum() == v1::SUM_SECURE ? "secure" : "plain"},
           {"items", task.config().spec.items()},
           {"factors", task.shape().width - 1},
           {"goal", task.config().rules.goal},
           {"quorum", task.config().rules.quorum},
           {"rounds", task.config().rules.rounds},
           {"assignments", task.assignments()},
           {"newest", version_json(task.version())}};
  if (const auto round = task.open_round()) out["open"] = round_json(*round);
  if (task.next().is_under_way()) out["open"]["releasing"] = true;
  if (!task.why_finished().empty()) out["why"] = task.why_finished();
  if (const auto spent = task.spent()) {
    const TaskDp& dp = *task.config().dp;
    out["privacy"] = {{"epsilon", dp.epsilon}, {"delta", dp.delta}, {"spent", *spent}};
    if (dp.population != 0) out["privacy"]["population"] = dp.population;
  }
  return out;
}

}  // namespace

// The commands, one function each. They run under the lock.
struct Coordinator::Answers {
  Coordinator& own;
  const Json& arguments;

  [[nodiscard]] Result<TaskRun*> task() const {
    const std::string name = arguments.value("task", std::string());
    if (TaskRun* found = own.find_task(name)) return found;
    if (std::ranges::any_of(own.unread_, [&](const TaskConfig& one) { return one.spec.name() == name; }))
      return fail(Code::io, fmt::format("task '{}' waits until the store can be read", name));
    if (name.empty() && own.tasks_.size() == 1) return own.tasks_.front().get();
    return fail(Code::not_found,
                name.empty() ? "say which task" : fmt::format("there is no task '{}'", name));
  }
  [[nodiscard]] std::size_t most() const { return arguments.value("most", usual_most); }

  [[nodiscard]] Result<Json> tasks() const {
    Json all = Json::array();
    for (const auto& task : own.tasks_) all.push_back(task_json(*task));
    return all;
  }
  [[nodiscard]] Result<Json> status() const {
    SOTTO_TRY(Json all, tasks());
    Json out{{"time_ms", own.now_ms_},           {"stopping", own.stopping_},
             {"devices", own.registry_.size()},  {"revoked", own.registry_.revoked()},
             {"assignments", own.assignments()}, {"exchanges", own.metrics_.exchanges()},
             {"tasks", std::move(all)}};
    for (const TaskConfig& config : own.unread_) out["unread"].push_back(config.spec.name());
    return out;
  }
  [[nodiscard]] Result<Json> rounds() const {
    SOTTO_TRY(const TaskRun* one, task());
    SOTTO_TRY(const auto records, own.store_.rounds(one->name(), most()));
    Json all = Json::array();
    const auto open = one->open_round();
    for (const RoundRecord& round : records)
      all.push_back(round_json(open && open->round == round.round ? *open : round));
    return all;
  }
  [[nodiscard]] Result<Json> versions() const {
    SOTTO_TRY(const TaskRun* one, task());
    SOTTO_TRY(const auto records, own.store_.versions(one->name(), most()));
    SOTTO_TRY(const auto evaluations, own.store_.evaluations(one->name(), 2 * most()));
    Json all = Json::array();
    for (const VersionRecord& version : records) {
      all.push_back(version_json(version, version.number == one->version().number));
      for (const EvaluationRecord& judged : evaluations)
        if (judged.version == version.number)
          all.back()[judged.beside ? "beside" : "evaluation"] = evaluation_json(judged, one->config());
    }
    return all;
  }
  [[nodiscard]] Result<Json> devices() const {
    own.save_seen();
    Json all = Json::array();
    std::deque<DeviceRecord> newest;  // first the one that enrolled last
    SOTTO_TRY_DONE(own.store_.each_device([&](const DeviceRecord& device) {
      newest.push_front(device);
      if (newest.size() > most()) newest.pop_back();
    }));
    for (const DeviceRecord& device : newest) {
      all.push_back({{"device", to_hex(text_of(device.id))},
                     {"index", device.index},
                     {"revoked", device.revoked},
                     {"enrolled_ms", device.enrolled_ms},
                     {"last_seen_ms", device.last_seen_ms}});
      if (device.home)
        all.back()["moved"] = {{"times", device.home->moves}, {"since_ms", device.home->since_ms}};
      if (const Conduct::Record* conduct = own.around_.conduct.find(device.id)) {
        all.back()["refused"] = conduct->refused;
        all.back()["secure_sums"] = {{"named", conduct->named},
                                     {"disputes", conduct->disputes},
                                     {"doubts", conduct->all_doubts()},
                                     {"kept_out", own.around_.conduct.is_kept_out(*conduct, own.now_ms_)},
                                     {"kept_out_until_ms", own.around_.conduct.kept_out_until(*conduct)}};
      }
    }
    return all;
  }
  [[nodiscard]] Result<Json> set_state(TaskState state) const {
    SOTTO_TRY(TaskRun * one, task());
    SOTTO_TRY_DONE(one->set_state(state));
    return task_json(*one);
  }
  [[nodiscard]] Result<Json> release() const {
    SOTTO_TRY(TaskRun * one, task());
    if (!arguments.contains("version"))
      return fail(Code::usage, "state which version: 'versions' lists them");
    SOTTO_TRY_DONE(one->release_again(arguments.at("version").get<std::uint32_t>(),
                                      arguments.value("share", 0.0), own.now_ms_));
    return version_json(one->version());
  }
  [[nodiscard]] Result<Json> promote() const {
    SOTTO_TRY(TaskRun * one, task());
    SOTTO_TRY_DONE(one->promote(own.now_ms_));
    return version_json(one->version());
  }
  [[nodiscard]] Result<Json> export_model() const {
    SOTTO_TRY(const TaskRun* one, task());
    VersionRecord version = one->version();
    if (arguments.contains("version")) {
      const auto number = arguments.at("version").get<std::uint32_t>();
      // Every commit is one version: the newest `behind + 1` reach back to it.
      if (number > version.number) return fail(Code::not_found, "there is no such version");
      SOTTO_TRY(const auto records, own.store_.versions(one->name(), version.number - number + 1));
      version = records.back();
    }
    SOTTO_TRY(std::string encoded, own.store_.blob(version.master));
    const ModelShape shape = published_shape(encoded).value_or(ModelShape());
    v1::TaskSpec spec = one->config().spec;
    // A version of before the catalogue grew is of fewer items.
    if (shape.rows * shape.width < one->shape().rows * one->shape().width)
      spec.set_items(static_cast<std::uint32_t>(shape.rows));
    encoded.resize(published_bytes(shape));  // without what the server carries along
    Json out = version_json(version);
    out["task"] = one->name();
    out["spec"] = to_base64(spec.SerializeAsString());
    out["items"] = shape.rows;  // of features, where the model is of these
    out["width"] = shape.width;
    // In pieces: a model may be larger than a message.
    const auto offset = std::min<std::size_t>(arguments.value("offset", std::size_t{0}), encoded.size());
    out["total"] = encoded.size();
    out["encoded"] = to_base64(std::string_view(encoded).substr(offset, most_chunk_bytes));
    return out;
  }
  // The names of a task's items, one a line, or "whole" all that the catalogue says of them; in pieces.
  [[nodiscard]] Result<Json> catalogue() const {
    SOTTO_TRY(const TaskRun* one, task());
    const bool whole = arguments.value("whole", false);
    std::string names = whole ? one->config().catalogue : "";
    if (!whole && !one->config().catalogue.empty()) {
      SOTTO_TRY(const auto read,
                read_catalogue(pack_catalogue(one->config().catalogue), one->config().spec.items()));
      for (std::uint32_t item = 0; item < read->names.size(); ++item)
        names.append(read->names.name(item)).push_back('\n');
    }
    const auto offset = std::min<std::size_t>(arguments.value("offset", std::size_t{0}), names.size());
    return Json{{"total", names.size()},
                {"encoded", to_base64(std::string_view(names).substr(offset, most_chunk_bytes))}};
  }
  [[nodiscard]] Result<Json> set_revoked(bool revoked) const {
    const std::string hex = arguments.value("device", std::string());
    DeviceId id{};
    std::size_t size = 0;
    if (sodium_hex2bin(id.data(), id.size(), hex.data(), hex.size(), nullptr, &size, nullptr) != 0 ||
        size != id.size() || own.registry_.find(id) == nullptr)
      return fail(Code::not_found, "there is no such device: 'devices' lists them");
    SOTTO_TRY_DONE(own.store_.set_revoked(id, revoked));
    own.registry_.find(id)->revoked = revoked;
    return Json{{"device", hex}, {"revoked", revoked}};
  }
  [[nodiscard]] Result<Json> tokens() const {
    const auto count = arguments.value("count", std::uint64_t{1});
    if (count == 0 || count > most_tokens)
      return fail(Code::usage, fmt::format("count is a number from 1 to {}", most_tokens));
    Json all = Json::array();
    std::vector<std::string> hashes;
    for (std::uint64_t n = 0; n < count; ++n) {
      std::string bytes(16, '\0');
      randombytes_buf(bytes.data(), bytes.size());
      all.push_back(to_hex(bytes));
      hashes.push_back(blob_hash(all.back().get<std::string>()));
    }
    SOTTO_TRY_DONE(own.store_.add_tokens(hashes));
    return Json{{"tokens", std::move(all)}};
  }
  [[nodiscard]] Result<Json> answer(const std::string& command) const {
    if (command == "status") return status();
    if (command == "tasks") return tasks();
    if (command == "rounds") return rounds();
    if (command == "versions") return versions();
    if (command == "devices") return devices();
    if (command == "pause") return set_state(TaskState::paused);
    if (command == "resume") return set_state(TaskState::running);
    if (command == "release") return release();
    if (command == "promote") return promote();
    if (command == "export") return export_model();
    if (command == "catalogue") return catalogue();
    if (command == "revoke") return set_revoked(true);
    if (command == "unrevoke") return set_revoked(false);
    if (command == "tokens") return tokens();
    return fail(
        Code::usage,
        "that is no command: status, tasks, rounds, versions, devices, pause, resume, release, promote, "
        "export, catalogue, revoke, unrevoke or tokens");
  }
};

Result<std::string> Coordinator::ask(const std::string& command, const std::string& json,
                                     std::int64_t now_ms) {
  try {
    const Json arguments = json.empty() ? Json::object() : Json::parse(json);
    if (!arguments.is_object()) return fail(Code::usage, "the arguments of a command are a JSON object");
    std::unique_lock hold(lock_);
    if (command == "release") wait_for_releases(hold);
    now_ms_ = std::max(now_ms_, now_ms);
    SOTTO_TRY(const Json answer, (Answers{*this, arguments}.answer(command)));
    return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
  } catch (const nlohmann::json::exception&) {
    return fail(Code::usage, fmt::format("the arguments of '{}' are not what it takes", command));
  }
}

TaskRun* Coordinator::find_task(const std::string& name) {
  for (const auto& task : tasks_)
    if (task->name() == name) return task.get();
  return nullptr;
}

std::string Coordinator::metrics() {
  const std::lock_guard hold(lock_);
  std::string text = metrics_.text();
  text += gauge_text("sotto_devices", "Devices enrolled.", static_cast<double>(registry_.size()));
  text +=
      gauge_text("sotto_open_assignments", "Assignments of open rounds.", static_cast<double>(assignments()));
  text += gauge_text("sotto_devices_kept_out", "Devices kept out of secure sums.",
                     static_cast<double>(around_.conduct.kept_out(now_ms_)));
  text += gauge_text("sotto_upload_bytes", "Bytes of unfinished uploads.",
                     static_cast<double>(around_.upload_bytes));
  text += "# HELP sotto_version Newest version of a task.\n# TYPE sotto_version gauge\n";
  for (const auto& task : tasks_)
    text += fmt::format("sotto_version{{task=\"{}\"}} {}\n", task->name(), task->version().number);
  text += "# HELP sotto_epsilon_spent Privacy budget spent by a task.\n# TYPE sotto_epsilon_spent gauge\n";
  for (const auto& task : tasks_)
    if (const auto spent = task->spent())
      text += fmt::format("sotto_epsilon_spent{{task=\"{}\"}} {}\n", task->name(), *spent);
  return text + figures_metrics(tasks_);
}

}  // namespace sotto::server
