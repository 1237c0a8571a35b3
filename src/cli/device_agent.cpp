// sotto device init, enrol, run, export, delete: a person's device as a program for Linux.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.h"
#include "cli/device_command.h"
#include "device/agent.h"
#include "device/enrol.h"
#include "device/export_data.h"
#include "engine/files/files.h"
#include "engine/plan/device_folder.h"
#include "engine/terminal/interrupt.h"
#include "engine/terminal/table.h"
#include "engine/train/neural_module.h"
#include "net/grpc_transport.h"

namespace sotto::cli {

namespace {

struct AgentOptions {
  CommonOptions common;
  std::string dir;
  std::string server, ca, server_name, token, token_file;  // enrol
  bool once = false, battery = false, metered = false;     // run
  bool reproducible = false;
  std::string out = "-";              // export
  bool force = false;                 // export
  bool yes = false, offline = false;  // delete
};

constexpr const char* server_note = "server";
constexpr const char* ca_note = "ca";
constexpr const char* server_name_note = "server name";

std::int64_t agent_time_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

Result<std::string> kept_note(Vault& vault, const char* name) {
  SOTTO_TRY(const auto text, vault.note(name));
  return text.value_or("");
}

Result<std::unique_ptr<Transport>> agent_wire(Vault& vault) {
  SOTTO_TRY(const std::string server, kept_note(vault, server_note));
  if (server.empty())
    return fail(Code::usage, "this device knows no coordinator: enrol it with 'sotto device enrol'");
  ClientTls tls;
  SOTTO_TRY(tls.ca_pem, kept_note(vault, ca_note));
  SOTTO_TRY(tls.server_name, kept_note(vault, server_name_note));
  return grpc_transport(tls, server);
}

// Of a device that was there before.
std::string init_level(const PersonalPolicy& policy) {
  return fmt::format("{}{}", level_of(policy),
                     policy.withdrawn ? ", and you have withdrawn"
                     : policy.paused  ? ", and it is paused"
                                      : "");
}

Status init_device(AgentOptions& options, const Console& console) {
  const DeviceFolder folder(options.dir);
  SOTTO_TRY(const bool was_there, is_there(folder.vault_path()));
  SOTTO_TRY(const auto vault, folder.open_or_make());
  SOTTO_TRY(const KeptLedger ledger, vault->ledger());
  SOTTO_TRY(const PersonalPolicy policy, vault->policy());
  if (options.common.json) {
    print_json(console, {{"vault", folder.vault_path().string()},
                         {"key", folder.key_path().string()},
                         {"ledger_key", ledger.public_key},
                         {"made", !was_there},
                         {"level", level_of(policy)}});
    return Done{};
  }
  if (was_there) {
    console.print(fmt::format(
        "There is a device in {} already; nothing was changed. Its level is {}: see 'sotto device consent "
        "show --dir {}'.\n",
        options.dir, init_level(policy), shell_word(options.dir)));
    return Done{};
  }
  console.print(fmt::format(
      "{}: a vault that opens with {}. Keep the two apart if you can: anyone who has both can read "
      "everything.\n"
      "Nothing leaves this device until you choose a level: 'sotto device consent preset careful --dir "
      "{}'.\n",
      folder.vault_path().string(), folder.key_path().string(), shell_word(options.dir)));
  return Done{};
}

Result<std::string> token_of(const AgentOptions& options) {
  if (options.token.empty() == options.token_file.empty())
    return fail(Code::usage, "the operator's token is needed: give --token or --token-file");
  if (!options.token.empty()) return options.token;
  return only_line(options.token_file, "token");
}

Status enrol_device(AgentOptions& options, const Console& console) {
  SOTTO_TRY(const std::string token, token_of(options));
  ClientTls tls{.ca_pem = {}, .server_name = options.server_name, .chain_pem = {}, .key_pem = {}};
  if (!options.ca.empty()) {
    SOTTO_TRY(tls.ca_pem, read_text(options.ca));
  }
  SOTTO_TRY(const auto vault, DeviceFolder(options.dir).open());
  SOTTO_TRY(const auto wire, grpc_transport(tls, options.server));
  SOTTO_TRY(const auto known, vault->enrolment());
  if (known)
    return fail(Code::usage,
                "this device is enrolled already: to join another coordinator, make another folder");
  SOTTO_TRY_DONE(vault->set_note(server_note, options.server));
  SOTTO_TRY_DONE(vault->set_note(ca_note, tls.ca_pem));
  SOTTO_TRY_DONE(vault->set_note(server_name_note, tls.server_name));
  SOTTO_TRY_DONE(enrol_vault(*vault, *wire, token));
  SOTTO_TRY(const PersonalPolicy policy, vault->policy());
  if (options.common.json) {
    print_json(console,
               {{"enrolled", true}, {"server", options.server}, {"takes_part", policy.takes_part()}});
    return Done{};
  }
  console.print(fmt::format("Enrolled at {}.{}\n", options.server,
                            policy.takes_part() ? ""
                                                : " Nothing is shared until you choose a level with 'sotto "
                                                  "device consent preset'."));
  return Done{};
}

nlohmann::json step_json(const AgentStep& step) {
  const ExchangeReport& report = step.next.report;
  constexpr const char* downloads[] = {"held", "delta", "full"};
  nlohmann::json json{{"ending", step.not_now ? "not now" : to_string(report.ending)},
                      {"retry_ms", step.next.wait_ms},
                      {"bytes_up", report.bytes_up},
                      {"bytes_down", report.bytes_down},
                      {"requests", report.requests}};
  if (report.task.empty()) return json;
  json["task"] = report.task;
  json["round"] = report.round;
  json["secure"] = report.secure;
  json["download"] = downloads[static_cast<int>(report.download)];
  return json;
}

std::string step_text(const AgentStep& step) {
  const ExchangeReport& report = step.next.report;
  if (step.not_now) return "not now: you have paused or withdrawn\n";
  std::string text = to_string(report.ending);
  if (report.ending == Ending::no_work && !report.task.empty())
    text = fmt::format("no work; the newest model of {} came", report.task);
  else if (!report.task.empty())
    text += fmt::format(", {} {} {}", report.task, report.judged ? "judged version" : "round", report.round);
  if (!report.why.empty()) text += ": " + report.why;
  return fmt::format(
      "{}; {} up, {} down, next in {:.1f} s\n", text, human_bytes(static_cast<double>(report.bytes_up)),
      human_bytes(static_cast<double>(report.bytes_down)), static_cast<double>(step.next.wait_ms) / 1000.0);
}

// In slices, so that Ctrl-C is heard.
void agent_sleep(std::int64_t wait_ms, const std::atomic<bool>& stop) {
  constexpr std::int64_t slice_ms = 100;
  for (std::int64_t left = wait_ms; left > 0 && !stop; left -= slice_ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(left, slice_ms)));
}

Status run_device(AgentOptions& options, const Console& console) {
  SOTTO_TRY(const auto vault, DeviceFolder(options.dir).open());
  SOTTO_TRY(const auto wire, agent_wire(*vault));
  const NeuralTasks networks;
  ExchangeOptions exchange;
  exchange.allow_reproducible = options.reproducible;
  exchange.networks = &networks;
  Agent agent(*vault, exchange);
  const AskConditions conditions = [&] { return Conditions{true, !options.battery, !options.metered}; };
  const InterruptGuard guard;
  while (!guard.stop()) {
    SOTTO_TRY(const AgentStep step, agent.advance(*wire, conditions, agent_time_ms()));
    const bool over = step.not_now || step.next.what != Exchange::Next::What::wait;
    if (over && options.once) {
      if (options.common.json)
        print_json(console, step_json(step));
      else
        console.print(step_text(step));
      const Ending ending = step.next.report.ending;
      if (!step.not_now && (ending == Ending::dropped || ending == Ending::refused_by_server))
        return fail(Code::io, "there was no exchange: " + step.next.report.why);
      return Done{};
    }
    if (over && options.common.json)
      console.write(step_json(step).dump() + "\n");
    else if (over)
      console.print(step_text(step));
    SOTTO_TRY_DONE(console.flush());
    agent_sleep(step.next.wait_ms, guard.stop());
  }
  return fail(Code::cancelled, "stopped; what was learned is kept");
}

Status export_device(AgentOptions& options, const Console& console) {
  SOTTO_TRY(const auto vault, DeviceFolder(options.dir).open());
  SOTTO_TRY(const std::string document, export_json(*vault));
  return write_private_output(console, options.out, document, options.force);
}

// Whether the coordinator knows now, or never knew.
Status tell_coordinator(Vault& vault) {
  SOTTO_TRY(const auto enrolment, vault.enrolment());
  if (!enrolment) return Done{};
  SOTTO_TRY(const auto wire, agent_wire(vault));
  return leave(vault, *wire, true, agent_time_ms());
}

Status delete_device(AgentOptions& options, const Console& console) {
  if (!options.yes)
    return fail(Code::usage, "this removes everything this device keeps, for good: confirm with --yes");
  const DeviceFolder folder(options.dir);
  std::string untold = "it was not asked";
  {
    const auto vault = folder.open();
    SOTTO_TRY(const bool there, is_there(folder.vault_path()));
    if (!there) return vault.error();
    if (vault.ok() && !options.offline) {
      const Status told = tell_coordinator(**vault);
      untold = told.ok() ? "" : told.error().message;
    }
  }
  SOTTO_TRY_DONE(folder.destroy());
  if (options.common.json) {
    print_json(console, {{"deleted", true}, {"coordinator_told", untold.empty()}});
    return Done{};
  }
  console.print(
      "Deleted: the key first, then the vault. What was sent before stays in the models it was "
      "summed into.\n");
  if (!untold.empty())
    console.print(fmt::format("The coordinator still has this device's public key ({}).\n", untold));
  return Done{};
}

}  // namespace

void add_device_agent(CLI::App& device, Cli& cli) {
  add_device_command(device, cli, "init", "make this device's vault", init_device,
                     {"sotto device init --dir my-device"});
  auto [enrol_app, enrolling] = add_device_command(
      device, cli, "enrol", "join a coordinator with a token from its operator", enrol_device,
      {"sotto device enrol --server example.org:7443 --ca ca.pem --token-file token --dir my-device"});
  enrol_app
      ->add_option("--server", enrolling->server, "where the coordinator listens: host:port or unix:PATH")
      ->type_name("ADDRESS")
      ->required();
  enrol_app->add_option("--ca", enrolling->ca, "certificate of the CA that signed the coordinator's")
      ->type_name("FILE");
  enrol_app
      ->add_option("--server-name", enrolling->server_name,
                   "the name in the coordinator's certificate, if it is not the host's")
      ->type_name("NAME");
  enrol_app
      ->add_option("--token", enrolling->token,
                   "the one-time token; other users of this machine can see it here")
      ->type_name("TOKEN");
  enrol_app->add_option("--token-file", enrolling->token_file, "a file with the token")->type_name("FILE");
  auto [run_app, running] = add_device_command(
      device, cli, "run", "take part: an exchange whenever the coordinator has work", run_device,
      {"sotto device run --dir my-device", "sotto device run --once --json --dir my-device"});
  run_app->add_flag("--once", running->once, "one exchange, then stop");
  run_app->add_flag("--battery", running->battery, "report that this device runs on battery");
  run_app->add_flag("--metered", running->metered, "report that the network of this device is metered");
  run_app->add_flag("--allow-reproducible", running->reproducible,
                    "take tasks whose random draws the coordinator knows: for tests");
  auto [export_app, exporting] =
      add_device_command(device, cli, "export", "all that this device keeps about you, as JSON",
                         export_device, {"sotto device export --out me.json --dir my-device"});
  add_private_output(*export_app, exporting->out, exporting->force);
  auto [delete_app, deleting] =
      add_device_command(device, cli, "delete", "remove all that this device keeps about you", delete_device,
                         {"sotto device delete --yes --dir my-device"});
  delete_app->add_flag("--yes", deleting->yes, "confirm");
  delete_app->add_flag("--offline", deleting->offline, "do not ask the coordinator to forget this device");
}

}  // namespace sotto::cli
