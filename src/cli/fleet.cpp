// sotto fleet: plays the devices of a dataset against a coordinator.
#include "host/fleet/fleet.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.h"
#include "cli/example_flags.h"
#include "cli/field_flags.h"
#include "cli/values.h"
#include "engine/files/files.h"
#include "engine/plan/prepare.h"
#include "engine/plan/shared_fields.h"
#include "engine/terminal/interrupt.h"
#include "engine/terminal/table.h"
#include "engine/train/neural_module.h"
#include "host/fleet/refusal_text.h"
#include "net/grpc_transport.h"

namespace sotto::cli {

namespace {

struct FleetCommandOptions {
  CommonOptions common;
  FieldFlags edits;
  FleetOptions fleet;
  std::string server, ca, server_name, tokens, admin, until;
  std::string level, mask;
  std::string collection;     // of labelled examples; empty: devices have things
  std::uint32_t deal_to = 0;  // devices that examples are dealt to; 0: as usual
  std::optional<double> pi;
  double timeout_s = default_timeout_ms / 1000.0;
  bool enrol_only = false;
  bool quiet = false;
};

Result<std::string> text_in(const std::string& path) {
  SOTTO_TRY(const Bytes bytes, read_file(path));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::vector<std::string> tokens_in(const std::string& text) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) tokens.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return tokens;
}

// A coordinator that was started a moment ago may not listen yet.
Result<std::string> ask_soon(const std::string& address, const std::string& command,
                             const std::string& json) {
  for (int tries = 1;; ++tries) {
    auto answer = [&]() -> Result<std::string> {
      SOTTO_TRY(AdminClient admin, AdminClient::connect({}, address));
      return admin.ask(command, json);
    }();
    if (answer.ok() || tries == 25) return answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

Result<std::vector<std::string>> tokens_for(const FleetCommandOptions& options) {
  if (!options.tokens.empty()) {
    SOTTO_TRY(const std::string text, text_in(options.tokens));
    return tokens_in(text);
  }
  if (options.admin.empty())
    return fail(Code::usage, "devices need tokens: give --tokens FILE, or --admin ADDRESS to have some made");
  const std::size_t count = std::size_t{options.fleet.first} + options.fleet.devices;
  constexpr std::size_t at_once = 10'000;
  std::vector<std::string> tokens;
  while (tokens.size() < count) {
    const std::size_t some = std::min(count - tokens.size(), at_once);
    SOTTO_TRY(const std::string answer,
              ask_soon(options.admin, "tokens", nlohmann::json{{"count", some}}.dump()));
    const auto parsed = nlohmann::json::parse(answer, nullptr, false);
    if (!parsed.is_object() || !parsed.contains("tokens") || parsed["tokens"].size() != some)
      return fail(Code::incompatible, "the coordinator's answer has no tokens: is it of this version?");
    for (const auto& token : parsed["tokens"])
      tokens.push_back(token.is_string() ? token.get<std::string>() : std::string());
  }
  return tokens;
}

Status set_policy(FleetCommandOptions& options) {
  PersonalPolicy& policy = options.fleet.policy;
  if (!options.level.empty()) SOTTO_TRY_DONE(set_level(policy, options.level));
  if (options.pi) policy.pi = *options.pi;
  if (!options.mask.empty()) {
    SOTTO_TRY(policy.mask, parse_mask(options.mask));
  }
  return Done{};
}

nlohmann::json refusals_json(const FleetReport& report) {
  nlohmann::json refusals = nlohmann::json::object();
  for (const auto& [code, count] : report.refusals)
    refusals[v1::Refusal_Name(static_cast<v1::Refusal>(code))] = count;
  return refusals;
}

nlohmann::json fleet_json(const FleetReport& report) {
  nlohmann::json rounds = nlohmann::json::object();
  for (const auto& [task, range] : report.rounds)
    rounds[task] = {{"first", range.first}, {"last", range.second}};
  const double answered = static_cast<double>(std::max<std::uint64_t>(report.of(Ending::answered), 1));
  nlohmann::json out{
      {"devices", report.devices},
      {"seconds", report.seconds},
      {"exchanges_per_second", static_cast<double>(report.of(Ending::answered)) / report.seconds},
      {"latency_ms",
       {{"p50", report.latency.percentile(0.5)},
        {"p90", report.latency.percentile(0.9)},
        {"p99", report.latency.percentile(0.99)},
        {"most", report.latency.percentile(1.0)}}},
      {"downloads",
       {{"held", report.downloads[0]}, {"delta", report.downloads[1]}, {"full", report.downloads[2]}}},
      {"requests", report.requests},
      {"bytes_up", report.bytes_up},
      {"bytes_down", report.bytes_down},
      {"bytes_up_per_answer", static_cast<double>(report.bytes_up) / answered},
      {"bytes_down_per_answer", static_cast<double>(report.bytes_down) / answered},
      {"fell_silent", report.silent},
      {"refusals", refusals_json(report)},
      {"objections", report.objections},
      {"rounds", rounds}};
  for (std::size_t n = 0; n < report.endings.size(); ++n)
    out["endings"][to_string(static_cast<Ending>(n))] = report.endings[n];
  return out;
}

void print_fleet(const FleetReport& report, const Console& console) {
  const std::uint64_t answered = report.of(Ending::answered);
  const double each = static_cast<double>(std::max<std::uint64_t>(answered, 1));
  Table table = fact_table();
  const auto fact = [&](const char* name, std::string value) { table.row({name, std::move(value)}); };
  fact("devices", human_count(report.devices));
  fact("time", human_seconds(report.seconds));
  fact("exchanges", fmt::format("{} answered, {:.0f} per second", human_count(answered),
                                static_cast<double>(answered) / report.seconds));
  fact("latency", fmt::format("median {:.1f} ms, 90%: {:.1f}, 99%: {:.1f}, all: {:.1f}",
                              report.latency.percentile(0.5), report.latency.percentile(0.9),
                              report.latency.percentile(0.99), report.latency.percentile(1.0)));
  fact("models", fmt::format("{} held, {} deltas, {} in full", human_count(report.downloads[0]),
                             human_count(report.downloads[1]), human_count(report.downloads[2])));
  fact("bytes per answer",
       fmt::format("{} up, {} down", human_bytes(static_cast<double>(report.bytes_up) / each),
                   human_bytes(static_cast<double>(report.bytes_down) / each)));
  for (const Ending ending :
       {Ending::no_work, Ending::kept_quiet, Ending::dropped, Ending::refused_by_device})
    if (report.of(ending) > 0) fact(to_string(ending), human_count(report.of(ending)));
  if (report.silent > 0) fact("dropped out", human_count(report.silent));
  for (const auto& [why, count] : report.objections) fact(why.c_str(), human_count(count));
  for (const auto& [task, range] : report.rounds)
    fact("rounds", fmt::format("{}: {} to {}", task, range.first, range.second));
  console.print(table.text(console));
  if (!report.refusals.empty())
    console.print("\nThe coordinator refused:\n" + refusal_lines(report.refusals));
}

// Whether the task is finished, as far as the operator's side says.
std::function<bool()> watch_task(const FleetCommandOptions& options) {
  if (options.until.empty()) return {};
  auto admin = std::make_shared<Result<AdminClient>>(AdminClient::connect({}, options.admin));
  return [admin, task = options.until] {
    if (!admin->ok()) return false;
    const auto answer = (*admin)->ask("tasks", "{}");
    if (!answer.ok()) return false;
    const auto parsed = nlohmann::json::parse(*answer, nullptr, false);
    if (!parsed.is_array()) return false;
    for (const auto& one : parsed)
      if (one.value("task", "") == task) return one.value("state", "") == "finished";
    return false;
  };
}

Result<ConnectWire> wire_of(const FleetCommandOptions& options) {
  ClientTls tls;
  tls.server_name = options.server_name;
  if (!options.ca.empty()) {
    SOTTO_TRY(tls.ca_pem, text_in(options.ca));
  }
  constexpr double longest_s = 3600.0;
  if (!(options.timeout_s >= 0.001 && options.timeout_s <= longest_s))
    return fail(Code::usage, "--timeout is a number of seconds from 0.001 to 3600");
  return ConnectWire([tls, address = options.server, ms = static_cast<int>(options.timeout_s * 1000.0)] {
    return grpc_transport(tls, address, ms);
  });
}

// What a people's file says is what each says of themself on their device.
constexpr const char* people_flag = "--people";
Field flag_of_people() {
  const Fields all = fields::context_fields();
  return *std::ranges::find(all, people_flag, &Field::flag);
}

// Their --devices has another name here.
Fields dealing_flags() {
  Fields flags = flags_of_examples();
  std::erase_if(flags, [](const Field& field) { return field.flag == "--devices"; });
  return flags;
}

Result<DataRequest> data_asked(const FleetCommandOptions& options) {
  TrainRequest request;
  if (options.collection.empty()) {
    for (const Field& field : dealing_flags())
      if (options.edits.words_of(field.flag) != nullptr)
        return fail(Code::usage, field.flag + " is about labelled examples: name them with --collection");
    if (options.deal_to != 0)
      return fail(Code::usage, "--deal-to is about labelled examples: name them with --collection");
    SOTTO_TRY_DONE(apply(options.edits, request.data));
    if (!request.data.contexts.people.empty()) request.data.contexts.of = {"person"};
    return request.data;
  }
  if (options.edits.words_of(people_flag) != nullptr)
    return fail(Code::usage, "--people is about people with things: leave it out beside --collection");
  SOTTO_TRY(request, switched_to(std::move(request), entry_of_examples()));
  SOTTO_TRY_DONE(apply(options.edits, request, true));
  request.data.examples.wanted = true;
  request.data.examples.devices = options.deal_to;
  request.data.split.seed = options.common.seed;  // as in a training, of which the deal is a part
  SOTTO_TRY_DONE(check_examples(request.data));
  return request.data;
}

Status play_fleet(FleetCommandOptions& options, const Console& console) {
  options.fleet.seed = options.common.seed;
  if (options.common.threads > 0) options.fleet.workers = options.common.threads;
  if (!options.until.empty() && options.admin.empty())
    return fail(Code::usage, "--until-finished asks the operator's side: give --admin ADDRESS too");
  if (!(options.fleet.seconds >= 0.0))
    return fail(Code::usage, "--seconds is a number from 0 up; 0: no limit");
  SOTTO_TRY_DONE(set_policy(options));
  SOTTO_TRY(DataRequest request, data_asked(options));
  request.split.keep_records = request.split_file.empty();  // a saved split has none
  SOTTO_TRY(const Prepared prepared, prepare(request));
  const auto users = static_cast<std::uint32_t>(prepared.split.train.users());
  if (options.fleet.devices == 0) options.fleet.devices = users - std::min(users, options.fleet.first);
  options.fleet.collection = options.collection;
  SOTTO_TRY_DONE(check(options.fleet, prepared.split));
  SOTTO_TRY(const ConnectWire connect, wire_of(options));
  SOTTO_TRY(const std::vector<std::string> tokens, tokens_for(options));
  const InterruptGuard interrupt;
  SOTTO_TRY(const std::vector<Enrolment> devices, enrol_fleet(options.fleet, tokens, connect));
  if (!options.quiet) console.note(fmt::format("{} devices are enrolled", human_count(devices.size())));
  if (options.enrol_only) return Done{};
  FleetWatch watch{.stop = interrupt.stop(), .finished = watch_task(options), .tell = {}};
  if (!options.quiet)
    watch.tell = [&](const FleetReport& report) {
      console.note(fmt::format("{:6.0f} s  {:>10} answered", report.seconds,
                               human_count(report.of(Ending::answered))));
    };
  const NeuralTasks networks;
  options.fleet.networks = &networks;
  SOTTO_TRY(const FleetReport report, run_fleet(prepared.split, options.fleet, devices, connect, watch));
  if (options.common.json)
    print_json(console, fleet_json(report));
  else
    print_fleet(report, console);
  if (interrupt.stop()) return fail(Code::cancelled, "the fleet was stopped");
  return Done{};
}

void add_behaviour(CLI::App& app, FleetOptions& fleet) {
  constexpr const char* group = "Behaviour";
  const auto number = [&](const char* name, const char* type, const char* help, auto& value) {
    app.add_option(name, value, help)->type_name(type)->default_str(fmt::format("{}", value))->group(group);
  };
  number("--dropout", "CHANCE", "chance that a device drops out at some step of an exchange", fleet.dropout);
  number("--churn", "CHANCE",
         "chance that a device is away for ten seconds after an exchange, and loses its model", fleet.churn);
  number("--byzantine", "SHARE",
         "share of devices that forge, replay, send garbage and what is not theirs, and lie in secure sums",
         fleet.byzantine);
  number("--delay", "MS", "longest delay before each request", fleet.delay_ms);
  app.add_flag("--fresh", fleet.fresh, "nobody keeps a model: every download is in full")->group(group);
  app.add_flag("--reproducible", fleet.reproducible,
               "take tasks whose random draws the server knows; enrols in the users' order")
      ->group(group);
}

}  // namespace

void add_fleet(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<FleetCommandOptions>(
      root, cli, "fleet", "play the devices of a dataset against a coordinator", play_fleet);
  FleetOptions& fleet = options->fleet;
  app->add_option("--server", options->server, "the coordinator: HOST:PORT, or unix:PATH")->required();
  app->add_option("--ca", options->ca, "certificate of the CA that signed the server's")->type_name("FILE");
  app->add_option("--server-name", options->server_name,
                  "the name in the server's certificate, if it is not the host's");
  app->add_option("--tokens", options->tokens, "one-time tokens, one line per user")->type_name("FILE");
  app->add_option("--admin", options->admin, "where the operator's side listens: unix:PATH");
  app->add_option("--until-finished", options->until, "stop when this task is finished")->type_name("TASK");
  app->add_option("--first", fleet.first, "the first user to play");
  app->add_option("--devices", fleet.devices, "number of users to play from there on; 0: all");
  app->add_option("--exchanges", fleet.exchanges, "stop after N exchanges; 0: no limit");
  app->add_option("--seconds", fleet.seconds, "stop after S seconds; 0: no limit")->type_name("S");
  app->add_option("--connections", fleet.connections,
                  "connections to the coordinator; at most as many as requests at once")
      ->type_name("K");
  app->add_option("--timeout", options->timeout_s,
                  "how long a request waits for its answer before it is repeated")
      ->type_name("S")
      ->default_str("30");
  app->add_flag("--enrol-only", options->enrol_only, "enrol the devices and stop");
  app->add_flag("-q,--quiet", options->quiet, "no progress");
  app->add_option("--consent", options->level, "everybody's level: closed, careful, balanced, open");
  app->add_option("--pi", options->pi, "everybody's share of positive evidence")->type_name("SHARE");
  values(app->add_option("--mask", options->mask, "sticky, round or redraw"), {"sticky", "round", "redraw"});
  app->add_flag("--evaluation", options->fleet.policy.evaluation,
                "everybody lets versions be evaluated (tasks that evaluate)");
  add_behaviour(*app, fleet);
  app->add_option("--collection", options->collection,
                  "devices have labelled examples of this name, dealt as 'sotto train --model fedavg' does")
      ->type_name("NAME")
      ->group("Examples");
  app->add_option("--deal-to", options->deal_to, "devices that iid and shards deal to; 0: 100")
      ->type_name("N")
      ->group("Examples");
  add_field_flags(*app, options->edits, dealing_flags());
  add_field_flags(*app, options->edits, fields::data_fields());
  add_field_flags(*app, options->edits, {flag_of_people()});
  add_common_options(*app, options->common,
                     "seed of keys and behaviour; --threads: requests at once, 32 by default");
  app->footer(examples(
      {"sotto fleet --server localhost:7000 --ca ca.pem --data world --tokens tokens.txt --seconds 30",
       "sotto fleet --server unix:/run/sotto/devices --admin unix:/run/sotto/admin --data world "
       "--until-finished films",
       "sotto fleet --server localhost:7000 --ca ca.pem --data world --tokens tokens.txt --dropout 0.1 "
       "--byzantine 0.05 --exchanges 10000 --json",
       "sotto fleet --server localhost:7000 --ca ca.pem --tokens tokens.txt --collection digits --generate "
       "--deal shards --deal-to 20",
       "sotto fleet --server 192.0.2.1:7000 --ca ca.pem --data world --tokens tokens.txt --timeout 2"}));
}

}  // namespace sotto::cli
