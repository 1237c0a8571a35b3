// Strangers at the port: each misbehaves in its own way while an honest device goes on calling.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <fstream>
#include <string_view>

#include "net/byte_buffers.h"
#include "net/testing/trial.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SOTTO_SANITIZED
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();  // g++ ships no header for it
#endif

namespace sotto::net::hostility_test {
namespace {

using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using Connection = std::unique_ptr<SSL, Freed<SSL_free>>;

constexpr std::string_view http2_preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// What the program holds. A sanitizer keeps freed memory back, so there it is what is allocated.
std::size_t held_bytes() {
#ifdef SOTTO_SANITIZED
  return __sanitizer_get_current_allocated_bytes();
#else
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#endif
}

void send_all(const Socket& socket, std::string_view bytes) {
  send(socket.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// Whether the server closes the connection, whatever it says before; waits as long as the socket does.
bool is_closed(const Socket& socket) {
  std::array<char, 4096> part{};
  ssize_t got = 0;
  while ((got = recv(socket.descriptor(), part.data(), part.size(), 0)) > 0) {
  }
  return got == 0 || errno == ECONNRESET;
}

class Hostility : public testing::Test {
 protected:
  explicit Hostility() {
    ServerOptions options = trial::loopback();
    options.limits.handshake_ms = 1000;
    options.limits.idle_ms = 1000;
    options.limits.age_ms = 1500;
    options.limits.age_grace_ms = 500;
    server_ = trial::serve(options, trial::echo);
    honest_ = trial::dial(*server_);
  }

  // As a device does, it tries again when its own handshake took too long on a busy machine.
  void others_are_served() {
    auto answer = honest_->call(Method::check_in, "here");
    for (int again = 0; again < 3 && !answer.ok(); ++again) answer = honest_->call(Method::check_in, "here");
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer.value(), "CheckIn|here");
  }

  Socket connect() { return connect_to(server_->address(), 20'000).value(); }

  // A gRPC client without the limits and manners of ours.
  std::shared_ptr<grpc::Channel> channel() {
    grpc::ChannelArguments arguments;
    arguments.SetMaxSendMessageSize(-1);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    grpc::SslCredentialsOptions ssl;
    ssl.pem_root_certs = trial::ca().certificate;
    return grpc::CreateCustomChannel(server_->address().text(), grpc::SslCredentials(ssl), arguments);
  }

  grpc::Status call(grpc::ClientContext& context, const std::string& path, const std::string& request) {
    grpc::GenericStub stub(channel());
    grpc::CompletionQueue events;
    grpc::ByteBuffer reply;
    grpc::Status status;
    const auto reader = stub.PrepareUnaryCall(&context, path, buffer_of(request), &events);
    reader->StartCall();
    reader->Finish(&reply, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    events.Next(&tag, &ok);
    return status;
  }

  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<Transport> honest_;
};

TEST_F(Hostility, AMessageOfOneByteTooMuch) {
  const std::string path = "/sotto.v1.Federation/Fetch";
  grpc::ClientContext fits;
  // Its reply has six bytes more and cannot go: the request came through whole.
  EXPECT_EQ(call(fits, path, std::string(most_message_bytes, 'x')).error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(server_->counts().answered, 1u);
  grpc::ClientContext larger;
  EXPECT_FALSE(call(larger, path, std::string(most_message_bytes + 1, 'x')).ok());
  EXPECT_EQ(server_->counts().answered, 1u);
  const auto own = honest_->call(Method::fetch, std::string(most_message_bytes + 1, 'x'));
  ASSERT_FALSE(own.ok());
  EXPECT_NE(own.error().message.find("too large for one call"), std::string::npos);
  others_are_served();
}

TEST_F(Hostility, AMessageThatWouldUnpackToMore) {
  const std::size_t before = held_bytes();
  {
    const std::string zeros(std::size_t{16} << 20, '\0');
    grpc::ClientContext context;
    context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
    EXPECT_FALSE(call(context, "/sotto.v1.Federation/Fetch", zeros).ok());
  }
  EXPECT_EQ(server_->counts().answered, 0u);
  EXPECT_LT(held_bytes(), before + (std::size_t{96} << 20));
  others_are_served();
}

TEST_F(Hostility, ManyAndLongHeaders) {
  grpc::ClientContext context;
  context.AddMetadata("x-long", std::string(100'000, 'a'));
  EXPECT_FALSE(call(context, "/sotto.v1.Federation/Fetch", "x").ok());
  grpc::ClientContext path;
  EXPECT_FALSE(call(path, "/sotto.v1.Federation/" + std::string(50'000, 'b'), "x").ok());
  EXPECT_EQ(server_->counts().answered, 0u);
  others_are_served();
}

TEST_F(Hostility, GarbageInsteadOfTls) {
  const std::string garbage(4000, '\xa5');
  for (const std::string_view bytes : {std::string_view("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), http2_preface,
                                       std::string_view(garbage), std::string_view("\x16\x03\x01\xff\xff")}) {
    const Socket socket = connect();
    send_all(socket, bytes);
    others_are_served();
    EXPECT_TRUE(is_closed(socket));
  }
}

TEST_F(Hostility, HandshakesThatNeverEnd) {
  std::vector<Socket> sockets;
  for (int at = 0; at < 150; ++at) {
    sockets.push_back(connect());
    if (at % 2 == 1) send_all(sockets.back(), "\x16\x03\x01\x02");  // the beginning of a ClientHello
  }
  others_are_served();
  for (const Socket& socket : sockets) EXPECT_TRUE(is_closed(socket));
  others_are_served();
}

// Beyond the handshake: half a preface, half a frame, a frame that says it is enormous.
TEST_F(Hostility, ConnectionsThatNeverSaySomething) {
  const Context context(SSL_CTX_new(TLS_client_method()));
  const std::string preface(http2_preface);
  const std::string settings("\0\0\0\4\0\0\0\0\0", 9);
  const std::string half_headers("\0\x10\0\1\4\0\0\0\1 half", 14);
  const std::string enormous("\xff\xff\xff\1\4\0\0\0\1", 9);
  std::vector<Socket> sockets;
  std::vector<Connection> connections;
  for (const std::string& words : {std::string(), preface.substr(0, 10), preface, preface + settings,
                                   preface + settings + half_headers, preface + settings + enormous}) {
    sockets.push_back(connect());
    Connection& connection = connections.emplace_back(SSL_new(context.get()));
    constexpr std::array<unsigned char, 3> http2{2, 'h', '2'};
    SSL_set_alpn_protos(connection.get(), http2.data(), http2.size());
    SSL_set_fd(connection.get(), sockets.back().descriptor());
    ASSERT_EQ(SSL_connect(connection.get()), 1);
    if (!words.empty()) SSL_write(connection.get(), words.data(), static_cast<int>(words.size()));
  }
  others_are_served();
  for (const Socket& socket : sockets) EXPECT_TRUE(is_closed(socket));
}

// A call that is begun and whose request never comes ends with the age of its connection.
TEST_F(Hostility, CallsWithoutARequest) {
  grpc::GenericStub stub(channel());
  grpc::ClientContext context;
  grpc::CompletionQueue events;
  const auto stream = stub.PrepareCall(&context, "/sotto.v1.Federation/Step", &events);
  void* tag = nullptr;
  bool ok = false;
  stream->StartCall(nullptr);
  ASSERT_TRUE(events.Next(&tag, &ok));
  while (server_->counts().open == 0) std::this_thread::yield();
  others_are_served();
  grpc::Status status;
  stream->Finish(&status, nullptr);
  ASSERT_TRUE(events.Next(&tag, &ok));
  EXPECT_FALSE(status.ok());
  while (server_->counts().open != 0) std::this_thread::yield();
  EXPECT_EQ(server_->counts().broken, 1u);
}

// And before that, when it takes longer than a request may.
TEST_F(Hostility, CallsWhoseRequestIsLate) {
  ServerOptions options = trial::loopback();
  options.limits.read_ms = 200;
  server_ = trial::serve(options, trial::echo);
  grpc::GenericStub stub(channel());
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  grpc::CompletionQueue events;
  const auto stream = stub.PrepareCall(&context, "/sotto.v1.Federation/Step", &events);
  void* tag = nullptr;
  bool ok = false;
  stream->StartCall(nullptr);
  ASSERT_TRUE(events.Next(&tag, &ok));
  grpc::Status status;
  stream->Finish(&status, nullptr);
  ASSERT_TRUE(events.Next(&tag, &ok));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::CANCELLED);  // by the server, not by our own deadline
  while (server_->counts().open != 0) std::this_thread::yield();
  EXPECT_EQ(server_->counts().broken, 1u);
}

TEST_F(Hostility, ThousandsThatComeAndGo) {
  const auto come_and_go = [&](int times) {
    for (int at = 0; at < times; ++at) {
      const Socket socket = connect();
      if (at % 3 == 0) send_all(socket, "\x16\x03\x01");
      if (at % 500 == 0) others_are_served();
    }
    others_are_served();
  };
  come_and_go(2000);  // what the allocator keeps for later, it has kept now
  const std::size_t before = held_bytes();
  come_and_go(2000);
  EXPECT_LT(held_bytes(), before + (std::size_t{32} << 20));
}

TEST_F(Hostility, UnknownMethodsCostNothing) {
  const auto one = channel();
  grpc::GenericStub stub(one);
  const auto ask = [&](const std::string& path) {
    grpc::ClientContext context;
    grpc::CompletionQueue events;
    grpc::ByteBuffer reply;
    grpc::Status status;
    const auto reader = stub.PrepareUnaryCall(&context, path, buffer_of(std::string(1000, 'x')), &events);
    reader->StartCall();
    reader->Finish(&reply, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    events.Next(&tag, &ok);
    return status.error_code();
  };
  for (const char* path :
       {"/sotto.v1.Federation/Nothing", "/sotto.v1.Federation/", "/sotto.v1.Federation/stepx",
        "/sotto.v1.Admin/Ask", "/other", "/sotto.v2.Federation/Step"})
    EXPECT_EQ(ask(path), grpc::StatusCode::UNIMPLEMENTED) << path;
  const std::size_t before = held_bytes();
  for (int at = 0; at < 1000; ++at) ask("/a/" + std::to_string(at));
  EXPECT_LT(held_bytes(), before + (std::size_t{32} << 20));
  EXPECT_EQ(server_->counts().answered, 0u);
  others_are_served();
}

}  // namespace
}  // namespace sotto::net::hostility_test
