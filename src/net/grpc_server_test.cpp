#include "net/grpc_server.h"

#include <gtest/gtest.h>
#include <sotto/v1/federation.pb.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <future>
#include <latch>
#include <regex>
#include <sstream>
#include <thread>

#include "net/testing/trial.h"

namespace sotto::net::grpc_server_test {
namespace {

constexpr std::array methods{Method::enrol, Method::check_in, Method::fetch, Method::step, Method::leave};

void expect_words(const Error& error, const std::string& words) {
  EXPECT_NE(error.message.find(words), std::string::npos) << error.message;
}

TEST(GrpcServer, CarriesBytesBothWays) {
  const auto server = trial::serve(trial::loopback(), trial::echo);
  const auto line = trial::dial(*server);
  for (const Method method : methods) {
    std::string bytes = "\0\xff and text";
    bytes.resize(70'000, '\x80');
    EXPECT_EQ(line->call(method, bytes).value(), std::string(to_string(method)) + "|" + bytes);
    EXPECT_EQ(line->call(method, "").value(), std::string(to_string(method)) + "|");
  }
  EXPECT_EQ(server->counts().answered, 2 * methods.size());
}

// The names that the .proto gives are those that are served: read from the contract itself.
TEST(GrpcServer, ServesTheContractsMethods) {
  std::ifstream file(SOTTO_SOURCE_DIR "/proto/sotto/v1/federation.proto");
  std::stringstream text;
  text << file.rdbuf();
  const std::string contract = text.str();
  const std::size_t begin = contract.find("service Federation {");
  const std::string service = contract.substr(begin, contract.find('}', begin) - begin);
  const std::regex rpc(R"(rpc (\w+)\()");
  std::vector<std::string> named;
  for (std::sregex_iterator at(service.begin(), service.end(), rpc), end; at != end; ++at)
    named.push_back((*at)[1]);
  std::vector<std::string> served;
  for (const Method method : methods) served.emplace_back(to_string(method));
  EXPECT_EQ(named, served);
  EXPECT_NE(contract.find("package sotto.v1;"), std::string::npos);
  EXPECT_NE(contract.find("service Admin {\n  rpc Ask("), std::string::npos);
}

TEST(GrpcServer, OneServiceDoesNotAnswerForTheOther) {
  const trial::Folder folder;
  ServerOptions options;
  options.address = folder.socket("admin");
  options.federation = false;
  options.admin = true;
  const auto admin = trial::serve(options, [](Service service, const std::string&, const std::string& bytes) {
    EXPECT_EQ(service, Service::admin);
    v1::AdminRequest request;
    EXPECT_TRUE(request.ParseFromString(bytes));
    v1::Reply reply;
    reply.set_body(request.command() + request.json());
    if (request.command() == "break") {
      reply.set_refusal(v1::REFUSAL_NOT_FOUND);
      reply.set_why("there is no such thing");
    }
    return reply.SerializeAsString();
  });
  AdminClient client = AdminClient::connect({}, admin->address().text()).value();
  EXPECT_EQ(client.ask("tasks", "{}").value(), "tasks{}");
  const auto refused = client.ask("break", "{}");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::not_found);
  EXPECT_EQ(refused.error().message, "there is no such thing");
  expect_words(trial::dial(*admin)->call(Method::fetch, "x").error(), "does not offer this call");
  EXPECT_EQ(admin->counts().unknown, 1u);

  const auto federation = trial::serve(trial::loopback(), trial::echo);
  AdminClient stranger = AdminClient::connect(trial::client_tls(), federation->address().text()).value();
  expect_words(stranger.ask("tasks", "{}").error(), "does not offer this call");
}

TEST(GrpcServer, WithoutTlsOnlyUnixSocketsOfTheOwner) {
  const trial::Folder folder;
  ServerOptions options;
  options.address = "127.0.0.1:0";
  expect_words(GrpcServer::start(options, trial::echo).error(), "without TLS listens on a unix socket alone");
  options.address = folder.socket("s");
  const auto server = trial::serve(options, trial::echo);
  EXPECT_EQ(trial::dial(*server)->call(Method::leave, "x").value(), "Leave|x");
  struct stat found {};
  ASSERT_EQ(stat((folder.path() / "s").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST(GrpcServer, APlaceThatIsTakenIsSaid) {
  const auto first = trial::serve(trial::loopback(), trial::echo);
  ServerOptions options = trial::loopback();
  options.address = first->address().text();
  const auto second = GrpcServer::start(options, trial::echo);
  ASSERT_FALSE(second.ok());
  expect_words(second.error(), options.address + " is in use by another program");
  const trial::Folder folder;
  ServerOptions local;
  local.address = folder.socket("s");
  const auto third = trial::serve(local, trial::echo);
  expect_words(GrpcServer::start(local, trial::echo).error(), "is in use by another program");
  EXPECT_EQ(trial::dial(*third)->call(Method::step, "x").value(), "Step|x");  // and is not disturbed
}

TEST(GrpcServer, WhatTheHandlerThrowsStaysWithIt) {
  const auto server =
      trial::serve(trial::loopback(), [](Service, const std::string&, const std::string& request) {
        if (request == "bad") throw std::runtime_error("somebody's secret");
        return request;
      });
  const auto line = trial::dial(*server);
  const auto failed = line->call(Method::step, "bad");
  ASSERT_FALSE(failed.ok());
  expect_words(failed.error(), "the server failed");
  EXPECT_EQ(failed.error().message.find("secret"), std::string::npos);
  EXPECT_EQ(line->call(Method::step, "good").value(), "good");
}

TEST(GrpcServer, BeyondTheQueueIsRefusedAtOnce) {
  std::latch gate(1);
  ServerOptions options = trial::loopback();
  options.limits.threads = 3;  // one of them looks after the connections
  options.limits.queued_calls = 4;
  const auto server = trial::serve(options, [&](Service, const std::string&, const std::string& request) {
    gate.wait();
    return request;
  });
  const auto line = trial::dial(*server);
  std::vector<std::future<bool>> calls;
  for (int at = 0; at < 20; ++at)
    calls.push_back(std::async(std::launch::async, [&] { return line->call(Method::step, "x").ok(); }));
  while (server->counts().refused < 14)
    std::this_thread::yield();  // all that go back at once, before the gate opens
  EXPECT_EQ(server->counts().answered, 0u);
  gate.count_down();
  int answered = 0;
  for (auto& call : calls) answered += call.get() ? 1 : 0;
  EXPECT_EQ(answered, 6);  // two in hand and four that waited
  EXPECT_EQ(server->counts().refused, 14u);
  EXPECT_TRUE(line->call(Method::step, "x").ok());
}

TEST(GrpcServer, TooManyOpenCallsAreRefused) {
  ServerOptions options = trial::loopback();
  options.limits.open_calls = 0;
  const auto server = trial::serve(options, trial::echo);
  expect_words(trial::dial(*server)->call(Method::step, "x").error(), "too many calls at once");
}

TEST(GrpcServer, StopsWhenWhatIsUnderWayIsDone) {
  std::latch inside(1);
  std::latch gate(1);
  const auto server =
      trial::serve(trial::loopback(), [&](Service, const std::string&, const std::string& request) {
        inside.count_down();
        gate.wait();
        return request;
      });
  const auto line = trial::dial(*server);
  auto call = std::async(std::launch::async, [&] { return line->call(Method::step, "x"); });
  inside.wait();
  auto stopped = std::async(std::launch::async, [&] { server->stop(20'000); });
  gate.count_down();
  EXPECT_EQ(call.get().value(), "x");
  stopped.get();
  expect_words(trial::dial(*server)->call(Method::step, "x").error(), "nobody listens");
}

TEST(GrpcServer, AStopDoesNotWaitBeyondItsDeadline) {
  std::latch inside(1);
  std::latch gate(1);
  const auto server =
      trial::serve(trial::loopback(), [&](Service, const std::string&, const std::string& request) {
        inside.count_down();
        gate.wait();
        return request;
      });
  const auto line = trial::dial(*server);
  auto call = std::async(std::launch::async, [&] { return line->call(Method::step, "x"); });
  inside.wait();
  auto stopped = std::async(std::launch::async, [&] { server->stop(0); });
  EXPECT_FALSE(call.get().ok());  // ended while its handler still works
  gate.count_down();
  stopped.get();
}

TEST(GrpcServer, ManyThreadsAndStopsLoseNothing) {
  std::atomic<std::uint64_t> handled = 0;
  ServerOptions options = trial::loopback();
  options.limits.queued_calls = 100;
  const auto server = trial::serve(options, [&](Service, const std::string&, const std::string& request) {
    ++handled;
    return request;
  });
  const auto line = trial::dial(*server);
  std::vector<std::thread> threads;
  for (int at = 0; at < 8; ++at)
    threads.emplace_back([&, at] {
      for (int turn = 0; turn < 50; ++turn) {
        const std::string own = std::to_string(at * 1000 + turn);
        EXPECT_EQ(line->call(Method::check_in, own).value(), own);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(handled, 400u);
  server->stop(1000);
  EXPECT_EQ(server->counts().open, 0u);
}

TEST(GrpcServer, MutualTlsAsksForTheClientsCertificate) {
  const PemPair client_ca = make_ca("clients", {.now_s = trial::now_s(), .days = 1}).value();
  const PemPair known = make_client_certificate(client_ca, "one", {trial::now_s(), 1}).value();
  const PemPair foreign = make_client_certificate(trial::ca(), "two", {trial::now_s(), 1}).value();
  ServerOptions options = trial::loopback();
  options.tls->client_ca_pem = client_ca.certificate;
  const auto server = trial::serve(options, trial::echo);
  ClientTls tls = trial::client_tls();
  expect_words(trial::dial(*server, tls)->call(Method::step, "x").error(), "asks for a client's certificate");
  tls.chain_pem = foreign.certificate;
  tls.key_pem = foreign.key;
  expect_words(trial::dial(*server, tls)->call(Method::step, "x").error(),
               "does not take this client's certificate");
  tls.chain_pem = known.certificate;
  tls.key_pem = known.key;
  EXPECT_EQ(trial::dial(*server, tls)->call(Method::step, "x").value(), "Step|x");
}

}  // namespace
}  // namespace sotto::net::grpc_server_test
