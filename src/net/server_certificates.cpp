#include "net/server_certificates.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include <chrono>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/assert.h"
#include "net/certificates.h"

namespace sotto::net {

namespace {

Status check_tls(const ServerTls& tls) {
  using namespace std::chrono;
  const std::int64_t now_s = duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
  SOTTO_TRY_DONE(
      check_pair({"the server's certificate", tls.chain_pem}, {"the server's key", tls.key_pem}, "", now_s));
  if (tls.client_ca_pem.empty()) return Done{};
  return check_ca({"the clients' CA certificate", tls.client_ca_pem}, now_s);
}

// gRPC's C++ side takes certificates once; its C side asks for them at each handshake.
class AskedCredentials final : public grpc::ServerCredentials {
 public:
  explicit AskedCredentials(grpc_server_credentials* own) : own_(own) {}
  AskedCredentials(const AskedCredentials&) = delete;
  AskedCredentials& operator=(const AskedCredentials&) = delete;
  ~AskedCredentials() override { grpc_server_credentials_release(own_); }
  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>& /*processor*/) override {
    SOTTO_ASSERT(false, "requests are signed by devices, not by metadata");
  }

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), own_);
  }

  grpc_server_credentials* own_;
};

}  // namespace

class ServerCertificates::Held {
 public:
  explicit Held(ServerTls tls) : tls_(std::move(tls)) {}

  [[nodiscard]] bool asks_clients() const { return asks_clients_; }
  [[nodiscard]] bool take(const ServerTls& tls) {
    const std::lock_guard lock(mutex_);
    if (std::tie(tls.chain_pem, tls.key_pem, tls.client_ca_pem) ==
        std::tie(tls_.chain_pem, tls_.key_pem, tls_.client_ca_pem))
      return false;
    tls_ = tls;
    return fresh_ = true;
  }
  // Called by gRPC at the start and at each handshake.
  static grpc_ssl_certificate_config_reload_status fetch(void* held,
                                                         grpc_ssl_server_certificate_config** config) {
    auto& own = *static_cast<Held*>(held);
    const std::lock_guard lock(own.mutex_);
    if (!std::exchange(own.fresh_, false)) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    const grpc_ssl_pem_key_cert_pair pair{own.tls_.key_pem.c_str(), own.tls_.chain_pem.c_str()};
    // gRPC 1.51 insists on some certificates here; where no client is asked for one, they decide nothing.
    const std::string& roots = own.asks_clients_ ? own.tls_.client_ca_pem : own.tls_.chain_pem;
    *config = grpc_ssl_server_certificate_config_create(roots.c_str(), &pair, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

 private:
  std::mutex mutex_;
  ServerTls tls_;
  bool fresh_ = true;
  const bool asks_clients_ = !tls_.client_ca_pem.empty();
};

ServerCertificates::ServerCertificates(std::unique_ptr<Held> held) : held_(std::move(held)) {}
ServerCertificates::~ServerCertificates() = default;

Result<std::unique_ptr<ServerCertificates>> ServerCertificates::make(const ServerTls& tls) {
  SOTTO_TRY_DONE(check_tls(tls));
  return std::unique_ptr<ServerCertificates>(new ServerCertificates(std::make_unique<Held>(tls)));
}

Result<bool> ServerCertificates::change(const ServerTls& tls) {
  SOTTO_TRY_DONE(check_tls(tls));
  if (held_->asks_clients() == tls.client_ca_pem.empty())
    return fail(Code::usage,
                "whether clients need a certificate is decided at the start: start again to change it");
  return held_->take(tls);
}

std::shared_ptr<grpc::ServerCredentials> ServerCertificates::credentials() const {
  const auto asked = held_->asks_clients() ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                                           : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE;
  return std::make_shared<AskedCredentials>(grpc_ssl_server_credentials_create_with_options(
      grpc_ssl_server_credentials_create_options_using_config_fetcher(asked, &Held::fetch, held_.get())));
}

}  // namespace sotto::net
