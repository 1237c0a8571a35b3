#include "net/grpc_transport.h"

#include <fmt/format.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <sotto/v1/federation.pb.h>

#include <chrono>
#include <mutex>

#include "net/byte_buffers.h"
#include "net/certificates.h"
#include "net/grpc_setup.h"

namespace sotto::net {

namespace {

constexpr int diagnosis_ms = 3000;

grpc::ChannelArguments arguments_of(const ClientTls& tls, const Address& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(static_cast<int>(most_message_bytes));
  arguments.SetMaxSendMessageSize(static_cast<int>(most_message_bytes));
  // Channels to one address would share a connection.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5000);
  const std::string& name = tls.server_name.empty() ? address.host : tls.server_name;
  if (!address.is_unix()) arguments.SetSslTargetNameOverride(name);
  return arguments;
}

Result<std::shared_ptr<grpc::ChannelCredentials>> credentials_of(const ClientTls& tls,
                                                                 const Address& address) {
  if (address.is_unix()) return grpc::InsecureChannelCredentials();
  SOTTO_TRY([[maybe_unused]] const auto trusted, read_pem_certificates(tls.ca_pem, "the CA certificate"));
  grpc::SslCredentialsOptions ssl;
  ssl.pem_root_certs = tls.ca_pem;
  if (!tls.chain_pem.empty()) {
    SOTTO_TRY([[maybe_unused]] const auto own,
              read_pem_certificates(tls.chain_pem, "the client's certificate"));
    SOTTO_TRY([[maybe_unused]] const auto key, read_pem_key(tls.key_pem, "the client's key"));
    ssl.pem_cert_chain = tls.chain_pem;
    ssl.pem_private_key = tls.key_pem;
  }
  return grpc::SslCredentials(ssl);
}

// A channel to one address, and the words for what goes wrong on it.
class Wire {
 public:
  Wire(ClientTls tls, Address address, std::shared_ptr<grpc::Channel> channel, int timeout_ms)
      : tls_(std::move(tls)),
        address_(std::move(address)),
        stub_(std::move(channel)),
        timeout_ms_(timeout_ms) {}

  [[nodiscard]] static Result<std::unique_ptr<Wire>> open(const ClientTls& tls, const std::string& text,
                                                          int timeout_ms) {
    set_up_grpc();
    SOTTO_TRY(Address address, parse_address(text));
    SOTTO_TRY(const auto credentials, credentials_of(tls, address));
    auto channel = grpc::CreateCustomChannel(address.text(), credentials, arguments_of(tls, address));
    return std::make_unique<Wire>(tls, std::move(address), std::move(channel), timeout_ms);
  }

  [[nodiscard]] Result<std::string> call(const std::string& path, const std::string& request) {
    if (request.size() > most_message_bytes)
      return fail(Code::bad_input,
                  fmt::format("a message of {} bytes is too large for one call: at most {} go in one",
                              request.size(), most_message_bytes));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(timeout_ms_));
    grpc::CompletionQueue events;
    grpc::ByteBuffer reply;
    grpc::Status status;
    const auto reader = stub_.PrepareUnaryCall(&context, path, buffer_of(request), &events);
    reader->StartCall();
    reader->Finish(&reply, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    events.Next(&tag, &ok);
    if (!status.ok()) return explained(status);
    return text_of(reply);
  }

 private:
  [[nodiscard]] Error explained(const grpc::Status& status) {
    switch (status.error_code()) {
      case grpc::StatusCode::UNAVAILABLE:
        return unavailable(status.error_message());
      case grpc::StatusCode::DEADLINE_EXCEEDED:
        return fail(Code::io, fmt::format("no answer from {} within {} ms: try again later", address_.text(),
                                          timeout_ms_));
      case grpc::StatusCode::UNIMPLEMENTED:
        return fail(Code::io,
                    fmt::format("what listens at {} does not offer this call: is it a coordinator of "
                                "this version, and this its port for it?",
                                address_.text()));
      default:
        return fail(Code::io, fmt::format("{} did not answer: {}", address_.text(), status.error_message()));
    }
  }

  // gRPC says only that it could not connect. The same words have the same reason, so that a server in
  // trouble is not asked again by everybody.
  [[nodiscard]] Error unavailable(const std::string& words) {
    const std::lock_guard lock(mutex_);
    if (words != words_) {
      const Status reason = why_no_connection(address_, tls_, std::min(diagnosis_ms, timeout_ms_));
      words_ = words;
      diagnosis_ = reason.ok()
                       ? fmt::format("the connection to {} was lost ({}): try again", address_.text(), words)
                       : reason.error().message;
    }
    return fail(Code::io, diagnosis_);
  }

  ClientTls tls_;
  Address address_;
  grpc::GenericStub stub_;
  int timeout_ms_;
  std::mutex mutex_;
  std::string words_;
  std::string diagnosis_;
};

class GrpcTransport : public Transport {
 public:
  explicit GrpcTransport(std::unique_ptr<Wire> wire) : wire_(std::move(wire)) {}
  [[nodiscard]] Result<std::string> call(Method method, const std::string& request) override {
    return wire_->call(std::string("/sotto.v1.Federation/") + to_string(method), request);
  }

 private:
  std::unique_ptr<Wire> wire_;
};

}  // namespace

Result<std::unique_ptr<Transport>> grpc_transport(const ClientTls& tls, const std::string& address,
                                                  int timeout_ms) {
  SOTTO_TRY(auto wire, Wire::open(tls, address, timeout_ms));
  return std::unique_ptr<Transport>(std::make_unique<GrpcTransport>(std::move(wire)));
}

class AdminClient::Connection {
 public:
  explicit Connection(std::unique_ptr<Wire> opened) : wire(std::move(opened)) {}
  std::unique_ptr<Wire> wire;
};

AdminClient::AdminClient(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
AdminClient::AdminClient(AdminClient&&) noexcept = default;
AdminClient::~AdminClient() = default;

Result<AdminClient> AdminClient::connect(const ClientTls& tls, const std::string& address, int timeout_ms) {
  SOTTO_TRY(auto wire, Wire::open(tls, address, timeout_ms));
  return AdminClient(std::make_unique<Connection>(std::move(wire)));
}

Result<std::string> AdminClient::ask(const std::string& command, const std::string& json) {
  v1::AdminRequest request;
  request.set_version(protocol_version);
  request.set_command(command);
  request.set_json(json);
  SOTTO_TRY(const std::string bytes,
            connection_->wire->call("/sotto.v1.Admin/Ask", request.SerializeAsString()));
  v1::Reply reply;
  if (!reply.ParseFromString(bytes))
    return fail(Code::incompatible, "the coordinator's answer cannot be read: is it of this version?");
  if (reply.refusal() == v1::REFUSAL_NONE) return reply.body();
  return fail(reply.refusal() == v1::REFUSAL_NOT_FOUND ? Code::not_found : Code::bad_input, reply.why());
}

}  // namespace sotto::net
