// Daemon: a coordinator with everything around it: store, wire, operator's socket, status pages, clock.
//
// Laws: whatever is wrong with configuration, certificates, port, store or clock is said before anybody can
// connect; after stop() begins no new work is given out, rounds that can be finished are, and the state is
// whole on the disk. It never writes anything about a single device to its log.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "host/serve/serve_config.h"
#include "net/http_endpoint.h"
#include "server/sqlite_store.h"

namespace sotto::host {

// What a look at a configuration that can be used found.
struct CheckedConfig {
  bool running = false;            // a coordinator runs on its state folder
  std::vector<std::string> taken;  // then: the addresses where somebody listens, by all appearances it
};

class Daemon {
 public:
  // Whether it could start, as far as can be seen without starting: certificates and addresses. Where a
  // coordinator of this folder runs, whether it could in its place. The store is not opened: a task that it
  // holds with another computation is found by start() alone.
  [[nodiscard]] static Result<CheckedConfig> check(const ServeConfig& config);
  // `log` outlives it.
  [[nodiscard]] static Result<std::unique_ptr<Daemon>> start(const ServeConfig& config, LogSink& log);
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  ~Daemon();

  // Where devices come, with the port it got.
  [[nodiscard]] std::string address() const { return devices_->address().text(); }
  [[nodiscard]] std::string admin_address() const { return operator_->address().text(); }
  // Where the status pages are; empty: nowhere.
  [[nodiscard]] std::string status_address() const { return pages_ ? pages_->address().text() : ""; }
  [[nodiscard]] Coordinator& coordinator() { return *coordinator_; }

  // Keeps the clock going until `stop`; where `asked` is set, reads the file again and takes its limits,
  // rules and certificates.
  void run(const std::atomic<bool>& stop, std::atomic<bool>& asked, const std::filesystem::path& file);
  // Ends it gracefully.
  void stop();

 private:
  Daemon(std::unique_ptr<SqliteStore> store, std::unique_ptr<Coordinator> coordinator, LogSink& log)
      : store_(std::move(store)), coordinator_(std::move(coordinator)), log_(log) {}
  [[nodiscard]] Status listen(const ServeConfig& config, const ServerTls& tls);
  [[nodiscard]] std::string answer(Service service, const std::string& method, const std::string& request);
  [[nodiscard]] HttpPages pages();
  void warn(const char* what, const Error& cause);
  void reload(const std::filesystem::path& file);
  void take_certificates(const ServeConfig& config);

  std::unique_ptr<SqliteStore> store_;
  std::unique_ptr<Coordinator> coordinator_;
  LogSink& log_;
  std::unique_ptr<GrpcServer> devices_;
  std::unique_ptr<GrpcServer> operator_;
  std::unique_ptr<HttpEndpoint> pages_;
  std::atomic<bool> stopping_ = false;
};

}  // namespace sotto::host
