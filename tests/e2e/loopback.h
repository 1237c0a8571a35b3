// For tests and benchmarks: a coordinator behind a real wire on this machine, and the data its devices have.
#pragma once

#include <sodium.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/plan/prepare.h"
#include "host/fleet/fleet.h"
#include "net/certificates.h"
#include "net/grpc_server.h"
#include "net/grpc_transport.h"
#include "server/coordinator.h"
#include "server/testing/memory_store.h"

namespace sotto::tests::e2e {

inline std::int64_t wall_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

struct NoLog final : LogSink {
  void line(const LogLine& one) override {
    SOTTO_ASSERT(one.level != LogLevel::error, "the coordinator is well");
  }
};

// TLS 1.3 on a free port of 127.0.0.1.
class Loopback {
 public:
  explicit Loopback(const TaskConfig& task) {
    const Validity validity{.now_s = wall_ms() / 1000, .days = 1};
    ca_ = *make_ca("test", validity);
    const PemPair pair = *make_server_certificate(ca_, {"localhost", "127.0.0.1"}, validity);
    CoordinatorOptions options;
    options.retry_min_ms = 5;
    options.retry_max_ms = 20;
    options.poll_ms = 5;
    auto opened = Coordinator::open(store_, options, {task}, log_, wall_ms());
    SOTTO_ASSERT(opened.ok(), "the task is one");
    coordinator_ = std::move(*opened);
    ServerOptions server;
    server.address = "127.0.0.1:0";
    server.tls = ServerTls{pair.certificate, pair.key, ""};
    auto started = GrpcServer::start(server, [this](Service, const std::string& method, std::string request) {
      return coordinator_->handle(method_named(method), request, wall_ms());
    });
    SOTTO_ASSERT(started.ok(), "a free port is found");
    server_ = std::move(*started);
    ticker_ = std::thread([this] {
      while (!over_) {
        coordinator_->tick(wall_ms());
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    });
  }
  ~Loopback() {
    over_ = true;
    ticker_.join();
    server_->stop(1000);
  }

  [[nodiscard]] nlohmann::json ask(const std::string& command,
                                   const nlohmann::json& arguments = nlohmann::json::object()) {
    const auto answer = coordinator_->ask(command, arguments.dump(), wall_ms());
    SOTTO_ASSERT(answer.ok(), "the operator asks for what there is");
    return nlohmann::json::parse(*answer);
  }
  [[nodiscard]] std::vector<std::string> tokens(std::size_t count) {
    return ask("tokens", {{"count", count}})["tokens"].get<std::vector<std::string>>();
  }
  // Of the newest version.
  [[nodiscard]] std::string model_hash() { return ask("versions")[0]["model_hash"].get<std::string>(); }
  [[nodiscard]] std::size_t versions() { return ask("versions", {{"most", 1000}}).size(); }
  // Bytes of an answer.
  [[nodiscard]] static std::string blob(const std::string& base64) {
    std::string bytes(base64.size(), '\0');
    std::size_t size = 0;
    const int wrong =
        sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), base64.data(),
                          base64.size(), nullptr, &size, nullptr, sodium_base64_VARIANT_ORIGINAL);
    SOTTO_ASSERT(wrong == 0, "an answer decodes");
    bytes.resize(size);
    return bytes;
  }
  [[nodiscard]] std::string address() const { return server_->address().text(); }
  [[nodiscard]] const std::string& ca_pem() const { return ca_.certificate; }
  [[nodiscard]] ConnectWire connect() const {
    return [tls = ClientTls{.ca_pem = ca_.certificate, .server_name = "", .chain_pem = "", .key_pem = ""},
            where = address()] { return grpc_transport(tls, where); };
  }

 private:
  static Method method_named(const std::string& name) {
    for (const Method method : {Method::enrol, Method::check_in, Method::fetch, Method::step, Method::leave})
      if (name == to_string(method)) return method;
    return Method::check_in;  // the server knows no others
  }

  PemPair ca_;
  NoLog log_;
  MemoryStore store_;
  std::unique_ptr<Coordinator> coordinator_;
  std::unique_ptr<GrpcServer> server_;
  std::atomic<bool> over_ = false;
  std::thread ticker_;
};

}  // namespace sotto::tests::e2e
