#include "net/http_endpoint.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include "net/testing/trial.h"

namespace sotto::net::http_endpoint_test {
namespace {

// What a server sends back to these bytes until it closes; written with sockets alone.
std::string talk(const Address& address, const std::string& bytes) {
  const Socket socket = connect_to(address, 10'000).value();
  send(socket.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  std::string answer;
  std::array<char, 4096> part{};
  for (ssize_t got; (got = recv(socket.descriptor(), part.data(), part.size(), 0)) > 0;)
    answer.append(part.data(), static_cast<std::size_t>(got));
  return answer;
}

std::string request(const std::string& method, const std::string& path) {
  return method + " " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
}

std::unique_ptr<HttpEndpoint> open(std::atomic<int>& asked, int patience_ms = 5'000) {
  HttpPages pages;
  pages["/metrics"] = [&asked] {
    return HttpPage{200, "text/plain; version=0.0.4", "asked " + std::to_string(++asked)};
  };
  pages["/readyz"] = [] { return HttpPage{503, "text/plain", "not yet"}; };
  pages["/broken"] = []() -> HttpPage { throw std::runtime_error("somebody's secret"); };
  return HttpEndpoint::start("127.0.0.1:0", std::move(pages), patience_ms).value();
}

TEST(HttpEndpoint, AnswersItsPages) {
  std::atomic<int> asked = 0;
  const auto endpoint = open(asked);
  const std::string page = talk(endpoint->address(), request("GET", "/metrics"));
  EXPECT_TRUE(page.starts_with("HTTP/1.1 200 OK\r\n")) << page;
  EXPECT_TRUE(page.ends_with("\r\n\r\nasked 1")) << page;
  EXPECT_NE(page.find("Content-Type: text/plain; version=0.0.4\r\n"), std::string::npos);
  EXPECT_TRUE(talk(endpoint->address(), request("GET", "/metrics")).ends_with("asked 2"));
  EXPECT_TRUE(talk(endpoint->address(), request("GET", "/readyz")).starts_with("HTTP/1.1 503"));
  EXPECT_TRUE(talk(endpoint->address(), request("GET", "/other")).starts_with("HTTP/1.1 404"));
}

TEST(HttpEndpoint, OnlyReads) {
  std::atomic<int> asked = 0;
  const auto endpoint = open(asked);
  for (const char* method : {"POST", "PUT", "DELETE"})
    EXPECT_TRUE(talk(endpoint->address(), request(method, "/metrics")).starts_with("HTTP/1.1 405")) << method;
  const std::string broken = talk(endpoint->address(), request("GET", "/broken"));
  EXPECT_TRUE(broken.starts_with("HTTP/1.1 500"));
  EXPECT_EQ(broken.find("secret"), std::string::npos);
  EXPECT_EQ(asked, 0);
}

TEST(HttpEndpoint, SurvivesNonsense) {
  std::atomic<int> asked = 0;
  const auto endpoint = open(asked);
  talk(endpoint->address(), std::string(1, '\0') + "\x16\x03\x01 nonsense\r\n\r\n");
  talk(endpoint->address(), "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n\r\n");
  talk(endpoint->address(),
       "POST /metrics HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n" + std::string(5000, 'x'));
  EXPECT_TRUE(talk(endpoint->address(), request("GET", "/metrics")).ends_with("asked 1"));
}

TEST(HttpEndpoint, ManyAtOnce) {
  std::atomic<int> asked = 0;
  const auto endpoint = open(asked);
  std::vector<std::thread> threads;
  for (int at = 0; at < 50; ++at)
    threads.emplace_back([&] {
      EXPECT_TRUE(talk(endpoint->address(), request("GET", "/metrics")).starts_with("HTTP/1.1 200"));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(asked, 50);
}

void say(const Socket& socket, std::string_view bytes) {
  send(socket.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

TEST(HttpEndpoint, SlowClientsKeepNobodyWaiting) {
  std::atomic<int> asked = 0;
  const auto endpoint = open(asked, 60'000);  // longer than we wait ourselves
  std::vector<Socket> slow;
  for (int at = 0; at < 4; ++at) {
    slow.push_back(connect_to(endpoint->address(), 10'000).value());
    say(slow.back(), at % 2 == 0 ? "GET /metr" : "");
  }
  EXPECT_TRUE(talk(endpoint->address(), request("GET", "/metrics")).ends_with("asked 1"));
  slow.clear();
}

// A byte now and then is no request: it ends when its time is up.
TEST(HttpEndpoint, ARequestThatTricklesIsCut) {
  std::atomic<int> asked = 0;
  const auto endpoint = open(asked, 300);
  const Socket slow = connect_to(endpoint->address(), 50).value();
  say(slow, "GET /metrics HTTP/1.1\r\nHost: ");
  bool cut = false;
  for (int at = 0; at < 400 && !cut; ++at) {
    say(slow, "x");
    char byte = 0;
    const ssize_t got = recv(slow.descriptor(), &byte, 1, 0);
    cut = got == 0 || (got < 0 && errno != EAGAIN);
  }
  EXPECT_TRUE(cut);
  EXPECT_EQ(asked, 0);
}

// A signal that an answering thread happens to get does not cut the request it waits for.
TEST(HttpEndpoint, ASignalEndsNoRequest) {
  std::atomic<int> asked = 0;
  const auto endpoint = open(asked, 60'000);
  ASSERT_NE(std::signal(SIGURG, [](int) {}), SIG_ERR);  // without a handler it would be no interruption
  const Socket slow = connect_to(endpoint->address(), 10'000).value();
  say(slow, "GET /metrics HTTP/1.1\r\n");
  for (int time = 0; time < 10; ++time) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
      if (const int id = std::stoi(thread.path().filename().string()); id != getpid())
        syscall(SYS_tgkill, getpid(), id, SIGURG);
  }
  say(slow, "Host: x\r\n\r\n");
  char byte = 0;
  EXPECT_EQ(recv(slow.descriptor(), &byte, 1, 0), 1);
  EXPECT_EQ(asked, 1);
  std::signal(SIGURG, SIG_DFL);
}

TEST(HttpEndpoint, APortInUseIsSaid) {
  std::atomic<int> asked = 0;
  const auto endpoint = open(asked);
  const auto second = HttpEndpoint::start(endpoint->address().text(), {});
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("is in use by another program"), std::string::npos)
      << second.error().message;
  EXPECT_FALSE(HttpEndpoint::start("unix:/tmp/x", {}).ok());
}

}  // namespace
}  // namespace sotto::net::http_endpoint_test
