// sotto serve: a coordinator, until it is told to stop.
#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "engine/terminal/interrupt.h"
#include "host/serve/daemon.h"
#include "host/serve/json_log.h"

namespace sotto::cli {

namespace {

struct ServeOptions {
  CommonOptions common;
  std::string config;
  bool check = false;
};

std::atomic<bool> reload_asked = false;

// While it lives, SIGHUP asks for the configuration to be read again.
class HangupGuard {
 public:
  HangupGuard() {
    struct sigaction ask {};
    ask.sa_handler = [](int) { reload_asked = true; };
    sigaction(SIGHUP, &ask, &before_);
  }
  HangupGuard(const HangupGuard&) = delete;
  HangupGuard& operator=(const HangupGuard&) = delete;
  ~HangupGuard() { sigaction(SIGHUP, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

void say_where(const ServeOptions& options, const Daemon& daemon, const Console& console) {
  if (options.common.json)
    return print_json(console, {{"address", daemon.address()},
                                {"admin", daemon.admin_address()},
                                {"status", daemon.status_address()}});
  console.print(fmt::format("Devices come to    {}\nThe operator asks  sotto ctl status --admin {}\n",
                            daemon.address(), daemon.admin_address()));
  if (!daemon.status_address().empty())
    console.print(fmt::format("Status pages       http://{}/status and /metrics, /healthz, /readyz\n",
                              daemon.status_address()));
  console.print(
      "Ctrl-C stops it: rounds that can be finished are. The log follows, one JSON line per event.\n");
}

Status check_only(const ServeOptions& options, const ServeConfig& config, const Console& console) {
  SOTTO_TRY(const CheckedConfig seen, Daemon::check(config));
  if (options.common.json)
    return print_json(console, {{"tasks", config.tasks.size()}, {"ok", true}, {"running", seen.running}}),
           Done{};
  console.print(fmt::format(
      "{}: {} task{}, nothing wrong with the file, its certificates and addresses. Not checked: the state "
      "folder {}; a task that began there with another computation is refused at the start.\n",
      options.config, config.tasks.size(), config.tasks.size() == 1 ? "" : "s", config.state.string()));
  if (!seen.running) return Done{};
  console.print(fmt::format("A coordinator runs on {}{}.\n", config.state.string(),
                            seen.taken.empty()
                                ? ""
                                : fmt::format(" and is assumed to be the program that listens at {}",
                                              fmt::join(seen.taken, " and "))));
  return Done{};
}

Status serve(ServeOptions& options, const Console& console) {
  SOTTO_TRY(const ServeConfig config, read_serve_config(options.config));
  if (options.check) return check_only(options, config, console);
  const InterruptGuard interrupt;
  const HangupGuard hangup;
  JsonLog log(stderr);
  SOTTO_TRY(auto daemon, Daemon::start(config, log));
  say_where(options, *daemon, console);
  SOTTO_TRY_DONE(console.flush());
  daemon->run(interrupt.stop(), reload_asked, options.config);
  log.line({LogLevel::info, "", std::nullopt, "stopping: no new assignments"});
  daemon->stop();
  log.line({LogLevel::info, "", std::nullopt, "stopped"});
  return Done{};
}

}  // namespace

void add_serve(CLI::App& root, Cli& cli) {
  auto [app, options] =
      add_command<ServeOptions>(root, cli, "serve", "run a coordinator that real devices train with", serve);
  app->add_option("--config", options->config, "its configuration (docs/operating.md); SIGHUP: read again")
      ->type_name("FILE")
      ->required();
  app->add_flag("--check", options->check,
                "only check that the file, its certificates and addresses can be used, also while its "
                "coordinator runs; the tasks in its state folder are not checked");
  add_common_options(*app, options->common, "has no effect here: a task's seed is in the configuration");
  app->footer(
      examples({"sotto certs --out certs --host localhost", "sotto serve --config coordinator.toml",
                "sotto serve --config coordinator.toml --check",
                "sotto certs --out certs --host localhost --renew && systemctl reload sotto-coordinator"}));
}

}  // namespace sotto::cli
