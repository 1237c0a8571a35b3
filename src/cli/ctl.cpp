// sotto ctl: the operator's questions and orders to a running coordinator.
#include "cli/ctl.h"

#include <fmt/format.h>
#include <sodium.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/ctl_text.h"
#include "cli/example_flags.h"
#include "cli/field_flags.h"
#include "engine/files/files.h"
#include "engine/plan/model_entry.h"
#include "engine/plan/shared_fields.h"
#include "engine/train/released_run.h"
#include "fed/wire/catalogue.h"
#include "fed/wire/published_model.h"
#include "net/grpc_setup.h"
#include "net/grpc_transport.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_items_of_a_task = std::size_t{1} << 26;

struct CtlOptions {
  CommonOptions common;
  std::string admin = default_admin;
  int timeout_ms = default_timeout_ms;
  std::string task;
  std::string device;
  std::string out = "-";
  std::string items;  // export: a file with their names
  std::string run;    // export: a folder to make a run in
  FieldFlags edits;   // export: the run's data
  std::optional<std::uint32_t> version;
  double share = 0.0;  // release: of the devices, which have it first
  std::uint64_t count = 1;
  std::uint64_t most = 20;
};

// Files that are made while it lives are for their owner's eyes.
class OwnerOnly {
 public:
  OwnerOnly() : before_(umask(0077)) {}
  OwnerOnly(const OwnerOnly&) = delete;
  OwnerOnly& operator=(const OwnerOnly&) = delete;
  ~OwnerOnly() { umask(before_); }

 private:
  mode_t before_;
};

Result<Json> ask(const CtlOptions& options, const std::string& command, const Json& arguments) {
  set_up_grpc();
  SOTTO_TRY(AdminClient client, AdminClient::connect({}, options.admin, options.timeout_ms));
  SOTTO_TRY(const std::string answer, client.ask(command, arguments.dump()));
  Json read = Json::parse(answer, nullptr, false);
  if (read.is_discarded()) return fail(Code::incompatible, "the coordinator's answer is not JSON");
  return read;
}

Json with_task(const CtlOptions& options, Json arguments = Json::object()) {
  if (!options.task.empty()) arguments["task"] = options.task;
  return arguments;
}

// Asks, and prints the answer as JSON or by `show`.
Status tell(const CtlOptions& options, const Console& console, const std::string& command,
            const Json& arguments, std::string (*show)(const Json&, const Console&)) {
  SOTTO_TRY(const Json answer, ask(options, command, arguments));
  if (options.common.json) {
    print_json(console, answer);
  } else if (answer.is_array() && answer.empty()) {
    console.print("There are none yet.\n");
  } else {
    console.print(show(answer, console));
  }
  return Done{};
}

Status status(CtlOptions& options, const Console& console) {
  return tell(options, console, "status", Json::object(), status_text);
}
Status tasks(CtlOptions& options, const Console& console) {
  return tell(options, console, "tasks", Json::object(), task_table);
}
Status rounds(CtlOptions& options, const Console& console) {
  return tell(options, console, "rounds", with_task(options, {{"most", options.most}}), round_table);
}
Status versions(CtlOptions& options, const Console& console) {
  return tell(options, console, "versions", with_task(options, {{"most", options.most}}), version_table);
}
Status devices(CtlOptions& options, const Console& console) {
  return tell(options, console, "devices", {{"most", options.most}}, device_table);
}
std::string one_task(const Json& answer, const Console& console) {
  return task_table(Json::array({answer}), console);
}
Status pause_task(CtlOptions& options, const Console& console) {
  return tell(options, console, "pause", with_task(options), one_task);
}
Status resume_task(CtlOptions& options, const Console& console) {
  return tell(options, console, "resume", with_task(options), one_task);
}
Status release(CtlOptions& options, const Console& console) {
  return tell(
      options, console, "release",
      with_task(options, {{"version", *options.version}, {"share", options.share}}),
      [](const Json& answer, const Console&) {
        const std::string who =
            !answer.contains("trial")
                ? "devices are"
                : fmt::format("{:g}% of the devices are", 100.0 * answer["trial"]["share"].get<double>());
        return fmt::format("Version {} is version {} again: {} given it from now on.\n",
                           answer["version"].get<std::uint32_t>(), answer["again"].get<std::uint32_t>(), who);
      });
}
Status promote(CtlOptions& options, const Console& console) {
  return tell(options, console, "promote", with_task(options), [](const Json& answer, const Console&) {
    return fmt::format("Version {} is all devices' from now on.\n", answer["version"].get<std::uint32_t>());
  });
}
Status revoke(CtlOptions& options, const Console& console) {
  return tell(options, console, "revoke", {{"device", options.device}}, [](const Json&, const Console&) {
    return std::string("Revoked: it is refused from now on.\n");
  });
}
Status unrevoke(CtlOptions& options, const Console& console) {
  return tell(options, console, "unrevoke", {{"device", options.device}},
              [](const Json&, const Console&) { return std::string("It may take part again.\n"); });
}

Status tokens(CtlOptions& options, const Console& console) {
  if (options.out != "-" && std::filesystem::exists(options.out))
    return fail(
        Code::usage,
        fmt::format("{}: this file exists, perhaps with unused tokens: choose another name", options.out));
  Json answer{{"tokens", Json::array()}};
  constexpr std::uint64_t at_once = 10'000;
  for (std::uint64_t left = options.count; left > 0;) {
    const std::uint64_t count = std::min(left, at_once);
    SOTTO_TRY(const Json some, ask(options, "tokens", {{"count", count}}));
    for (const Json& token : some["tokens"]) answer["tokens"].push_back(token);
    left -= count;
  }
  if (options.common.json) return print_json(console, answer), Done{};
  std::string text;
  for (const Json& token : answer["tokens"]) text += token.get<std::string>() + "\n";
  const OwnerOnly owner;
  return write_output(console, options.out, text);
}

Result<std::string> from_base64(const std::string& text) {
  std::string bytes(text.size(), '\0');
  std::size_t size = 0;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &size, nullptr, sodium_base64_VARIANT_ORIGINAL) != 0)
    return fail(Code::incompatible, "the coordinator's answer does not decode");
  bytes.resize(size);
  return bytes;
}

// All pieces of a long answer, as its bytes; `answer` is the last one.
Result<std::string> in_pieces(const CtlOptions& options, const std::string& command, Json arguments,
                              Json& answer) {
  std::string encoded;
  do {
    arguments["offset"] = encoded.size();
    SOTTO_TRY(answer, ask(options, command, arguments));
    if (answer.contains("version")) arguments["version"] = answer["version"];  // the same one to its end
    SOTTO_TRY(const std::string piece, from_base64(answer["encoded"].get<std::string>()));
    if (piece.empty() && answer["total"] != 0)
      return fail(Code::incompatible, "the coordinator's answer ends early");
    encoded += piece;
  } while (encoded.size() < answer["total"].get<std::uint64_t>());
  answer.erase("encoded");
  return encoded;
}

// As it was before it grew. Features and contexts are left out: only models that learn from neither grow, and
// a run of theirs needs none.
TaskCatalogue first_items(const TaskCatalogue& grown, std::uint32_t items) {
  TaskCatalogue first = grown;
  first.names = IdTable();
  for (std::uint32_t item = 0; item < items; ++item) first.names.intern(grown.names.name(item));
  for (std::vector<std::string>* column : {&first.titles, &first.categories, &first.pictures})
    if (!column->empty()) column->resize(items);
  first.features = nullptr;
  first.contexts = nullptr;
  return first;
}

// What is known of the task's items: from the coordinator, or their names from the file that the task was
// begun with. No names: the items are numbers.
Result<TaskCatalogue> catalogue_of(const CtlOptions& options, const v1::TaskSpec& spec) {
  std::string encoded;
  std::string where = "the task's catalogue";
  if (!options.items.empty()) {
    where = options.items;
    SOTTO_TRY(encoded, read_text(options.items));
  } else if (spec.has_catalogue()) {
    Json last;
    SOTTO_TRY(encoded, in_pieces(options, "catalogue", with_task(options, {{"whole", true}}), last));
  }
  if (encoded.empty()) return TaskCatalogue();
  const auto read = read_catalogue(pack_catalogue(encoded), most_items_of_a_task);
  if (!read.ok()) return chained(read.error(), where);
  if ((*read)->names.size() == spec.items()) return **read;
  if (options.items.empty() && (*read)->names.size() > spec.items()) return first_items(**read, spec.items());
  return fail(Code::bad_input, fmt::format("{}: {} names for a model of {} items: give the file of the task",
                                           where, (*read)->names.size(), spec.items()));
}

Result<v1::TaskSpec> spec_of(const Json& answer) {
  v1::TaskSpec spec;
  if (!answer.contains("spec"))
    return fail(Code::incompatible, "this coordinator is older than this program: update it first");
  SOTTO_TRY(const std::string encoded, from_base64(answer["spec"].get<std::string>()));
  if (!spec.ParseFromString(encoded))
    return fail(Code::incompatible, "the coordinator's task does not decode");
  return spec;
}

// Of people who have things, or labelled examples.
Result<DataRequest> data_of(const FieldFlags& edits, const ModelEntry& entry) {
  TrainRequest request;
  if (entry.needs_examples) {
    SOTTO_TRY(request, switched_to(std::move(request), entry));
  }
  SOTTO_TRY_DONE(apply(edits, request, true));
  return std::move(request.data);
}

// The version as a run, for people whose data are given.
Status export_run(CtlOptions& options, const Console& console, ReleasedVersion version) {
  SOTTO_TRY(const ModelEntry* entry, find_model(version.spec.model()));
  SOTTO_TRY(const DataRequest data, data_of(options.edits, *entry));
  const std::uint32_t number = version.number;
  ThreadPool threads(options.common.threads);
  SOTTO_TRY(const nlohmann::json summary,
            write_released_run(RunDir(options.run), std::move(version), data, threads));
  if (options.common.json) return print_json(console, summary), Done{};
  const std::string folder = shell_word(options.run);
  console.print(fmt::format("Version {} as a run of {} {}: 'sotto show {}'{}.\n", number,
                            summary["users"].get<std::uint64_t>(),
                            entry->needs_examples ? "devices" : "people", folder,
                            entry->needs_examples ? "" : fmt::format(", 'sotto evaluate --run {}'", folder)));
  return Done{};
}

Status export_model(CtlOptions& options, const Console& console) {
  if (options.run.empty() && options.common.json && options.out == "-")
    return fail(Code::usage, "the model is a table: with --json give --out FILE for it");
  Json arguments = with_task(options);
  if (options.version) arguments["version"] = *options.version;
  Json answer;
  SOTTO_TRY(const std::string encoded, in_pieces(options, "export", std::move(arguments), answer));
  SOTTO_TRY(RowMatrix rows, read_published(encoded, {answer["items"].get<std::size_t>(),
                                                     answer["width"].get<std::size_t>()}));
  SOTTO_TRY(const v1::TaskSpec spec, spec_of(answer));
  SOTTO_TRY(TaskCatalogue known, catalogue_of(options, spec));
  if (!options.run.empty())
    return export_run(options, console,
                      {.spec = spec,
                       .rows = std::move(rows),
                       .known = std::move(known),
                       .number = answer["version"].get<std::uint32_t>(),
                       .rounds = answer["version"].get<std::uint64_t>(),
                       .model_hash = answer["model_hash"].get<std::string>()});
  SOTTO_TRY(const Task task, read_task(spec));
  SOTTO_TRY(const ModelEntry* entry, find_model(spec.model()));
  SOTTO_TRY(const std::string table, model_table(rows, task, known.names, entry->has_user_rows));
  SOTTO_TRY_DONE(write_output(console, options.out, table));
  answer.erase("spec");
  if (options.common.json && options.out != "-") print_json(console, answer);
  return Done{};
}

Command<CtlOptions> add_one(CLI::App& parent, Cli& cli, const char* name, const char* about,
                            Status (*run)(CtlOptions&, const Console&), const char* example) {
  auto command = add_command<CtlOptions>(parent, cli, name, about, run);
  command.app->add_option("--admin", command.options->admin, "the coordinator's socket, in its state folder")
      ->type_name("ADDRESS")
      ->default_str(command.options->admin);
  add_common_options(*command.app, command.options->common);
  command.app->footer(examples({example}));
  return command;
}

void take_task(const Command<CtlOptions>& command) {
  command.app
      ->add_option("--task", command.options->task, "name of the task; not needed if there is only one")
      ->type_name("TASK");
}
void take_most(const Command<CtlOptions>& command, const char* what) {
  command.app->add_option("--last", command.options->most, what)->default_str("20");
}
void take_out(const Command<CtlOptions>& command) {
  command.app->add_option("-o,--out", command.options->out, "the file to write; -: stdout")
      ->type_name("FILE")
      ->default_str("-");
}

}  // namespace

std::vector<std::string> task_names(const std::string& admin) {
  std::vector<std::string> names;
  CtlOptions options;
  options.admin = admin;
  options.timeout_ms = 1000;
  const Result<Json> tasks = ask(options, "tasks", Json::object());
  if (tasks.ok())
    for (const Json& task : *tasks) names.push_back(task["task"].get<std::string>());
  return names;
}

void add_ctl(CLI::App& root, Cli& cli) {
  CLI::App& ctl = *root.add_subcommand("ctl", "ask and steer a running coordinator");
  ctl.require_subcommand(1);
  add_one(ctl, cli, "status", "devices, tasks and what is under way", status, "sotto ctl status");
  add_one(ctl, cli, "tasks", "the tasks and where they stand", tasks, "sotto ctl tasks --json");
  const auto round_command =
      add_one(ctl, cli, "rounds", "the newest rounds of a task", rounds, "sotto ctl rounds --task movies");
  take_task(round_command);
  take_most(round_command, "list the newest N");
  const auto version_command = add_one(ctl, cli, "versions", "the released models of a task", versions,
                                       "sotto ctl versions --task movies --last 5");
  take_task(version_command);
  take_most(version_command, "list the newest N");
  take_most(add_one(ctl, cli, "devices", "the enrolled devices", devices, "sotto ctl devices --last 100"),
            "list the newest N");
  take_task(add_one(ctl, cli, "pause", "stop giving out work for a task", pause_task,
                    "sotto ctl pause --task movies"));
  take_task(
      add_one(ctl, cli, "resume", "continue a paused task", resume_task, "sotto ctl resume --task movies"));
  const auto release_command = add_one(ctl, cli, "release", "give devices an earlier version again", release,
                                       "sotto ctl release --task movies --version 12");
  take_task(release_command);
  release_command.app->add_option("--version", release_command.options->version, "the version to go back to")
      ->required();
  release_command.app
      ->add_option(
          "--share", release_command.options->share,
          "give it to this share of the devices first, to compare; then promote it or release another")
      ->type_name("SHARE");
  take_task(add_one(ctl, cli, "promote", "give the version on trial to all devices", promote,
                    "sotto ctl promote --task movies"));
  const auto export_command = add_one(ctl, cli, "export", "a released model as a table, or as a run",
                                      export_model, "sotto ctl export --task movies --out model.tsv");
  take_task(export_command);
  take_out(export_command);
  export_command.app
      ->add_option("--items", export_command.options->items, "a file with the items' names, as the task's")
      ->type_name("FILE");
  export_command.app
      ->add_option("--run", export_command.options->run,
                   "make a run of it in this folder, for the people of --data")
      ->type_name("DIR");
  add_field_flags(*export_command.app, export_command.options->edits,
                  joined({fields::data_fields(), fields::knowledge_fields(), fields::context_fields(),
                          flags_of_examples()}));
  export_command.app->add_option("--version", export_command.options->version,
                                 "version to export; default: the newest");
  const auto revoke_command = add_one(ctl, cli, "revoke", "refuse a device from now on", revoke,
                                      "sotto ctl revoke 0123456789abcdef0123456789abcdef");
  const auto unrevoke_command = add_one(ctl, cli, "unrevoke", "let a revoked device take part again",
                                        unrevoke, "sotto ctl unrevoke 0123456789abcdef0123456789abcdef");
  for (const auto& one : {revoke_command, unrevoke_command})
    one.app->add_option("DEVICE", one.options->device, "its id, as 'sotto ctl devices' lists it")->required();
  const auto token_command = add_one(ctl, cli, "tokens", "make one-time tokens that devices enrol with",
                                     tokens, "sotto ctl tokens --count 100 --out tokens.txt");
  take_out(token_command);
  token_command.app->add_option("--count", token_command.options->count, "how many")->default_str("1");
}

}  // namespace sotto::cli
