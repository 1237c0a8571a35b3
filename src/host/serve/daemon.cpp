#include "host/serve/daemon.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "host/tls_files.h"
#include "net/grpc_setup.h"

namespace sotto::host {

namespace {

constexpr auto tick_every = std::chrono::milliseconds(50);
constexpr int last_answers_ms = 5'000;
constexpr int answer_within_ms = 1'000;  // of who listens on this machine

// The wall clock as it was at the start, and what has passed since: setting the clock moves no deadline.
std::int64_t now_ms() {
  using namespace std::chrono;
  static const auto wall = system_clock::now().time_since_epoch();
  static const auto start = steady_clock::now();
  return duration_cast<milliseconds>(wall + (steady_clock::now() - start)).count();
}

// As many connections as the system lets this process have.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

// The method of a name in the .proto; none: no such.
std::optional<Method> method_of(const std::string& name) {
  for (const Method method : {Method::enrol, Method::check_in, Method::fetch, Method::step, Method::leave})
    if (name == to_string(method)) return method;
  return std::nullopt;
}

v1::Reply reply_to_operator(Coordinator& coordinator, const std::string& request) {
  v1::Reply reply;
  reply.set_version(protocol_version);
  reply.set_server_time_ms(static_cast<std::uint64_t>(now_ms()));
  v1::AdminRequest asked;
  if (!asked.ParseFromString(request)) {
    reply.set_refusal(v1::REFUSAL_BAD_MESSAGE);
    reply.set_why("the request does not decode");
    return reply;
  }
  auto answer = coordinator.ask(asked.command(), asked.json(), now_ms());
  if (answer.ok()) {
    reply.set_body(std::move(*answer));
  } else {
    reply.set_refusal(answer.error().code == Code::not_found ? v1::REFUSAL_NOT_FOUND
                                                             : v1::REFUSAL_BAD_MESSAGE);
    reply.set_why(answer.error().message);
  }
  return reply;
}

std::string turned_away_text(const ServerCounts& counts) {
  return fmt::format(
      "# HELP sotto_connections_turned_away_total Connections of peers that had too many.\n"
      "# TYPE sotto_connections_turned_away_total counter\nsotto_connections_turned_away_total {}\n",
      counts.turned_away);
}

}  // namespace

Result<CheckedConfig> Daemon::check(const ServeConfig& config) {
  SOTTO_TRY(const ServerTls tls, read_server_tls({config.certificate, config.key, config.client_ca}, ""));
  SOTTO_TRY(const Address admin, parse_address(config.admin_address()));
  CheckedConfig seen{.running = connect_to(admin, answer_within_ms).ok(), .taken = {}};
  for (const std::string& where : {config.listen, config.status}) {
    if (where.empty()) continue;
    SOTTO_TRY(const Address address, parse_address(where));
    if (address.port == 0) continue;
    if (seen.running && connect_to(address, answer_within_ms).ok())
      seen.taken.push_back(where);
    else
      SOTTO_TRY_DONE(can_listen(address));
  }
  return seen;
}

Result<std::unique_ptr<Daemon>> Daemon::start(const ServeConfig& config, LogSink& log) {
  set_up_grpc();
  raise_descriptor_limit();
  SOTTO_TRY(const CheckedConfig seen, check(config));  // before the store knows of a new task
  if (seen.running)
    return fail(Code::io, fmt::format("a coordinator runs on {} already: stop it first, or give this one "
                                      "another state folder",
                                      config.state.string()));
  SOTTO_TRY(const ServerTls tls, read_server_tls({config.certificate, config.key, config.client_ca}, ""));
  SOTTO_TRY(auto store, SqliteStore::open(config.state));
  SOTTO_TRY(auto coordinator, Coordinator::open(*store, config.options, config.tasks, log, now_ms()));
  std::unique_ptr<Daemon> daemon(new Daemon(std::move(store), std::move(coordinator), log));
  SOTTO_TRY_DONE(daemon->listen(config, tls));
  return daemon;
}

Daemon::~Daemon() { stop(); }

Status Daemon::listen(const ServeConfig& config, const ServerTls& tls) {
  const auto handler = [this](Service service, const std::string& method, const std::string& request) {
    return answer(service, method, request);
  };
  ServerOptions own{
      .address = config.admin_address(), .tls = {}, .federation = false, .admin = true, .limits = {}};
  own.limits.threads = 2;
  // The socket is made for its owner alone from the first moment.
  const mode_t before = umask(0077);
  auto admin = GrpcServer::start(own, handler);
  umask(before);
  SOTTO_TRY(operator_, std::move(admin));
  SOTTO_TRY(devices_,
            GrpcServer::start({.address = config.listen, .tls = tls, .limits = config.limits}, handler));
  if (!config.status.empty()) {
    SOTTO_TRY(pages_, HttpEndpoint::start(config.status, pages()));
  }
  return Done{};
}

std::string Daemon::answer(Service service, const std::string& method, const std::string& request) {
  if (service == Service::admin) return reply_to_operator(*coordinator_, request).SerializeAsString();
  const auto known = method_of(method);
  SOTTO_ASSERT(known, "the server knows the methods of its services");
  return coordinator_->handle(*known, request, now_ms());
}

HttpPages Daemon::pages() {
  const auto text = [](int status, std::string body) {
    return HttpPage{.status = status, .type = "text/plain; charset=utf-8", .body = std::move(body)};
  };
  return {
      {"/metrics",
       [this] {
         return HttpPage{.status = 200,
                         .type = "text/plain; version=0.0.4; charset=utf-8",
                         .body = coordinator_->metrics() + turned_away_text(devices_->counts())};
       }},
      {"/healthz", [text] { return text(200, "alive\n"); }},
      {"/readyz", [this, text] { return stopping_ ? text(503, "stopping\n") : text(200, "ready\n"); }},
      {"/status",
       [this] {
         auto status = coordinator_->ask("status", "", now_ms());
         return HttpPage{.status = status.ok() ? 200 : 500,
                         .type = "application/json",
                         .body = (status.ok() ? *status : "{}") + "\n"};
       }},
  };
}

void Daemon::warn(const char* what, const Error& cause) {
  log_.line({LogLevel::warning, "", std::nullopt, what, {{"cause", cause.message}}});
}

void Daemon::reload(const std::filesystem::path& file) {
  const auto config = read_serve_config(file);
  const Status taken =
      config.ok() ? coordinator_->reload(config->options, config->tasks) : Status(config.error());
  if (!taken.ok()) return warn("the configuration was not taken; the old one holds", taken.error());
  log_.line({LogLevel::info, "", std::nullopt,
             "limits and rules of the configuration hold from now on; addresses and the wire's limits "
             "(memory_mib, threads, queued_calls, open_calls, peer_connections) do at the next start"});
  take_certificates(*config);
}

void Daemon::take_certificates(const ServeConfig& config) {
  const auto tls = read_server_tls({config.certificate, config.key, config.client_ca}, "");
  const auto changed = tls.ok() ? devices_->change_certificates(*tls) : Result<bool>(tls.error());
  if (!changed.ok()) return warn("the certificates were not taken; the old ones hold", changed.error());
  if (*changed) log_.line({LogLevel::info, "", std::nullopt, "new connections get the new certificate"});
}

void Daemon::run(const std::atomic<bool>& stop, std::atomic<bool>& asked, const std::filesystem::path& file) {
  const auto tick = [&] {
    coordinator_->tick(now_ms());
    std::this_thread::sleep_for(tick_every);
  };
  // While one of both makes a model the other keeps the time.
  std::thread other([&] {
    while (!stop) tick();
  });
  while (!stop) {
    if (asked.exchange(false)) reload(file);
    tick();
  }
  other.join();
}

void Daemon::stop() {
  if (stopping_.exchange(true)) return;
  coordinator_->stop();
  if (devices_) devices_->stop(last_answers_ms);
  pages_.reset();
  if (operator_) operator_->stop(last_answers_ms);
}

}  // namespace sotto::host
