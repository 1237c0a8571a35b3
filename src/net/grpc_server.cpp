#include "net/grpc_server.h"

#include <fmt/format.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include "fed/wire/transport.h"
#include "net/byte_buffers.h"
#include "net/grpc_setup.h"
#include "net/peer_listener.h"
#include "net/server_certificates.h"

namespace sotto::net {

namespace {

constexpr std::chrono::milliseconds look_every{500};  // for calls whose request does not come
constexpr int asked_ahead = 64;  // calls that gRPC can hand over before the first is looked at

// One call, from the moment gRPC is asked for it until its answer is sent.
struct Call {
  enum class Step : std::uint8_t { asked, reading, answering };
  // Stored before every operation: gRPC orders the threads that a call goes through, and so a sanitizer sees
  // it too.
  std::atomic<Step> step;
  grpc::GenericServerContext context;
  grpc::GenericServerAsyncReaderWriter stream{&context};
  grpc::ByteBuffer request;
  Service service = Service::federation;
  std::string_view method;                        // in the context's path
  std::chrono::steady_clock::time_point since{};  // reading
};

void set_limits(grpc::ServerBuilder& builder, const ServerLimits& limits) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(most_message_bytes));
  builder.SetMaxSendMessageSize(static_cast<int>(most_message_bytes));
  grpc::ResourceQuota quota("sotto");
  quota.Resize(limits.memory_bytes);
  quota.SetMaxThreads(static_cast<int>(limits.threads) + 8);
  builder.SetResourceQuota(quota);
  const auto set = [&](const char* name, int value) { builder.AddChannelArgument(name, value); };
  set(GRPC_ARG_MAX_CONCURRENT_STREAMS, limits.streams);
  set(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, limits.handshake_ms);
  set(GRPC_ARG_MAX_CONNECTION_IDLE_MS, limits.idle_ms);
  set(GRPC_ARG_MAX_CONNECTION_AGE_MS, limits.age_ms);
  set(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, limits.age_grace_ms);
  set(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 60'000);
  set(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 2);
  set(GRPC_ARG_MAX_METADATA_SIZE, 8192);
  // Otherwise a second server would take a part of the connections instead of being told that the port is
  // used.
  set(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Bulk is packed by the engine; what unpacks itself on arrival could grow a thousandfold.
  set(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
}

}  // namespace

class GrpcServer::Calls {
 public:
  Calls(ServerOptions options, Address address, CallHandler handler)
      : options_(std::move(options)), address_(std::move(address)), handler_(std::move(handler)) {}
  ~Calls() { stop(0); }

  [[nodiscard]] Status start();
  void stop(int deadline_ms);
  [[nodiscard]] const Address& address() const { return address_; }
  [[nodiscard]] ServerCounts counts() const;
  [[nodiscard]] Result<bool> change_certificates(const ServerTls& tls);

 private:
  [[nodiscard]] Result<std::shared_ptr<grpc::ServerCredentials>> credentials();
  [[nodiscard]] Status listen(grpc::ServerBuilder& builder,
                              const std::shared_ptr<grpc::ServerCredentials>& credentials);
  void work();
  void ask_for_next();
  void go_on(Call& call, bool ok);
  void begin(Call& call);
  void admit(Call& call);
  void answer(Call& call);
  void finish(Call& call, const grpc::Status& status);
  void drop(Call& call);
  void cancel_slow();
  [[nodiscard]] bool route(Call& call) const;

  ServerOptions options_;
  Address address_;
  CallHandler handler_;
  std::unique_ptr<ServerCertificates> certificates_;  // none: without TLS
  grpc::AsyncGenericService service_;
  std::unique_ptr<grpc::ServerCompletionQueue> events_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<PeerListener> listener_;  // none for a unix socket
  std::size_t thread_count_ = 0;
  std::vector<std::thread> threads_;

  std::mutex mutex_;
  std::condition_variable all_gone_;
  std::size_t calls_ = 0;  // that exist, also those only asked for
  std::size_t busy_ = 0;   // threads in the handler
  std::deque<Call*> waiting_;
  std::unordered_set<Call*> reading_;  // whose request is still on its way
  bool stopped_ = false;
  std::atomic<std::chrono::steady_clock::time_point> looked_{};

  std::atomic<std::uint64_t> open_ = 0;
  std::atomic<std::uint64_t> answered_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::atomic<std::uint64_t> unknown_ = 0;
  std::atomic<std::uint64_t> broken_ = 0;
};

Result<std::shared_ptr<grpc::ServerCredentials>> GrpcServer::Calls::credentials() {
  if (options_.tls) {
    SOTTO_TRY(certificates_, ServerCertificates::make(*options_.tls));
    return certificates_->credentials();
  }
  if (!address_.is_unix())
    return fail(Code::usage,
                fmt::format("a server without TLS listens on a unix socket alone, not at {}: give "
                            "certificates ('sotto certs' makes some) or unix:PATH",
                            address_.text()));
  return grpc::InsecureServerCredentials();
}

Result<bool> GrpcServer::Calls::change_certificates(const ServerTls& tls) {
  if (certificates_ == nullptr)
    return fail(Code::usage, fmt::format("the server at {} speaks no TLS", address_.text()));
  return certificates_->change(tls);
}

// gRPC counts no connections: they are accepted here and given to it.
Status GrpcServer::Calls::listen(grpc::ServerBuilder& builder,
                                 const std::shared_ptr<grpc::ServerCredentials>& credentials) {
  if (address_.is_unix()) {
    SOTTO_TRY_DONE(can_listen(address_));
    builder.AddListeningPort(address_.text(), credentials);
    return Done{};
  }
  SOTTO_TRY(listener_, PeerListener::listen(address_, options_.limits.peer_connections));
  address_.port = listener_->port();
  acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials);
  return Done{};
}

Status GrpcServer::Calls::start() {
  SOTTO_TRY(const auto own, credentials());
  grpc::ServerBuilder builder;
  set_limits(builder, options_.limits);
  SOTTO_TRY_DONE(listen(builder, own));
  builder.RegisterAsyncGenericService(&service_);
  events_ = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) {
    events_->Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (events_->Next(&tag, &ok)) {
    }
    events_.reset();
    SOTTO_TRY_DONE(can_listen(address_));
    return fail(Code::io, fmt::format("gRPC cannot listen at {}: check the address and the certificates",
                                      address_.text()));
  }
  if (address_.is_unix()) chmod(address_.path.c_str(), S_IRUSR | S_IWUSR);
  for (int at = 0; at < asked_ahead; ++at) ask_for_next();
  thread_count_ = std::max<std::size_t>(2, options_.limits.threads);
  for (std::size_t at = 0; at < thread_count_; ++at) threads_.emplace_back([this] { work(); });
  if (listener_ != nullptr)
    listener_->start([this](int listener, int connection) {
      grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters given;
      given.listener_fd = listener;
      given.fd = connection;
      acceptor_->HandleNewConnection(&given);
    });
  return Done{};
}

void GrpcServer::Calls::stop(int deadline_ms) {
  if (server_ == nullptr || std::exchange(stopped_, true)) return;
  if (listener_ != nullptr) listener_->stop();
  server_->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(deadline_ms));
  {
    // Nothing may be begun on a queue that is shut down: every call goes first.
    std::unique_lock lock(mutex_);
    all_gone_.wait(lock, [this] { return calls_ == 0; });
  }
  events_->Shutdown();
  for (std::thread& thread : threads_) thread.join();
}

ServerCounts GrpcServer::Calls::counts() const {
  return {.answered = answered_,
          .refused = refused_,
          .unknown = unknown_,
          .broken = broken_,
          .open = open_,
          .turned_away = listener_ == nullptr ? 0 : listener_->turned_away()};
}

void GrpcServer::Calls::work() {
  void* tag = nullptr;
  bool ok = false;
  for (;;) {
    const auto look_up = std::chrono::system_clock::now() + look_every;
    switch (events_->AsyncNext(&tag, &ok, look_up)) {
      case grpc::CompletionQueue::SHUTDOWN:
        return;
      case grpc::CompletionQueue::TIMEOUT:
        break;
      case grpc::CompletionQueue::GOT_EVENT:
        go_on(*static_cast<Call*>(tag), ok);
    }
    cancel_slow();
  }
}

// Who sends the beginning of many requests and never the rest would fill the house.
void GrpcServer::Calls::cancel_slow() {
  const auto now = std::chrono::steady_clock::now();
  // One thread looks, now and then; the others do not even wait for it.
  auto looked = looked_.load(std::memory_order_relaxed);
  if (now - looked < look_every || !looked_.compare_exchange_strong(looked, now)) return;
  const std::lock_guard lock(mutex_);
  for (Call* call : reading_)
    if (now - call->since > std::chrono::milliseconds(options_.limits.read_ms)) call->context.TryCancel();
}

void GrpcServer::Calls::ask_for_next() {
  auto* call = new Call;  // gRPC holds it as a tag; go_on() gets it back and drop() deletes it
  {
    const std::lock_guard lock(mutex_);
    ++calls_;
  }
  call->step = Call::Step::asked;
  service_.RequestCall(&call->context, &call->stream, events_.get(), events_.get(), call);
}

void GrpcServer::Calls::go_on(Call& call, bool ok) {
  switch (call.step) {
    case Call::Step::asked:
      if (!ok) return drop(call);  // the server stops
      ask_for_next();
      return begin(call);
    case Call::Step::reading: {
      const std::lock_guard lock(mutex_);
      reading_.erase(&call);
    }
      if (ok) return admit(call);
      ++broken_;
      return finish(call, {grpc::StatusCode::INVALID_ARGUMENT, "a request is one message of at most 4 MiB"});
    case Call::Step::answering:
      --open_;
      return drop(call);
  }
}

void GrpcServer::Calls::begin(Call& call) {
  const std::uint64_t open = ++open_;
  if (!route(call)) {
    ++unknown_;
    return finish(call, {grpc::StatusCode::UNIMPLEMENTED, "there is no such method here"});
  }
  if (open > options_.limits.open_calls) {
    ++refused_;
    return finish(call, {grpc::StatusCode::RESOURCE_EXHAUSTED, "too many calls at once: try again later"});
  }
  call.step = Call::Step::reading;
  call.since = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    reading_.insert(&call);
  }
  call.stream.Read(&call.request, &call);
}

bool GrpcServer::Calls::route(Call& call) const {
  const std::string_view path = call.context.method();
  const auto leads_to = [&](std::string_view prefix, Service service) {
    if (!path.starts_with(prefix)) return false;
    call.service = service;
    call.method = path.substr(prefix.size());
    return true;
  };
  if (options_.admin && leads_to("/sotto.v1.Admin/", Service::admin)) return call.method == "Ask";
  if (!options_.federation || !leads_to("/sotto.v1.Federation/", Service::federation)) return false;
  for (const Method method : {Method::enrol, Method::check_in, Method::fetch, Method::step, Method::leave})
    if (call.method == to_string(method)) return true;
  return false;
}

// The thread that read the request answers it, as long as another is left to look after the connections: so
// there is no change of threads on the way, and a full house is still told so at once.
void GrpcServer::Calls::admit(Call& call) {
  Call* next = &call;
  {
    const std::lock_guard lock(mutex_);
    if (busy_ + 1 < thread_count_) {
      ++busy_;
    } else if (waiting_.size() < options_.limits.queued_calls) {
      return waiting_.push_back(next);
    } else {
      next = nullptr;
    }
  }
  if (next == nullptr) {
    ++refused_;
    return finish(call, {grpc::StatusCode::RESOURCE_EXHAUSTED, "the server is busy: try again later"});
  }
  while (next != nullptr) {
    answer(*next);
    const std::lock_guard lock(mutex_);
    next = waiting_.empty() ? nullptr : waiting_.front();
    if (next == nullptr)
      --busy_;
    else
      waiting_.pop_front();
  }
}

void GrpcServer::Calls::answer(Call& call) {
  std::string reply;
  try {
    reply = handler_(call.service, std::string(call.method), text_of(call.request));
  } catch (const std::exception&) {  // its words may hold anything: they stay here
    return finish(call, {grpc::StatusCode::INTERNAL, "the server failed"});
  }
  ++answered_;
  call.request.Clear();
  call.step = Call::Step::answering;
  call.stream.WriteAndFinish(buffer_of(reply), grpc::WriteOptions(), grpc::Status::OK, &call);
}

void GrpcServer::Calls::finish(Call& call, const grpc::Status& status) {
  call.step = Call::Step::answering;
  call.stream.Finish(status, &call);
}

void GrpcServer::Calls::drop(Call& call) {
  delete &call;
  const std::lock_guard lock(mutex_);
  if (--calls_ == 0) all_gone_.notify_all();
}

Result<std::unique_ptr<GrpcServer>> GrpcServer::start(const ServerOptions& options, CallHandler handler) {
  set_up_grpc();
  SOTTO_TRY(Address address, parse_address(options.address));
  auto calls = std::make_unique<Calls>(options, std::move(address), std::move(handler));
  SOTTO_TRY_DONE(calls->start());
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(calls)));
}

GrpcServer::GrpcServer(std::unique_ptr<Calls> calls) : calls_(std::move(calls)) {}
GrpcServer::~GrpcServer() = default;

const Address& GrpcServer::address() const { return calls_->address(); }
ServerCounts GrpcServer::counts() const { return calls_->counts(); }
Result<bool> GrpcServer::change_certificates(const ServerTls& tls) {
  return calls_->change_certificates(tls);
}
void GrpcServer::stop(int deadline_ms) { calls_->stop(deadline_ms); }

}  // namespace sotto::net
