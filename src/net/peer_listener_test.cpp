// How many connections one peer may have, and that others do not notice.
#include "net/peer_listener.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "net/testing/trial.h"

namespace sotto::net::peer_listener_test {
namespace {

// A connection to 127.0.0.1 that comes from another address of this machine.
Socket connect_from(const char* source, std::uint16_t port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  inet_pton(AF_INET, source, &name.sin_addr);
  EXPECT_EQ(bind(socket.descriptor(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
  inet_pton(AF_INET, "127.0.0.1", &name.sin_addr);
  name.sin_port = htons(port);
  EXPECT_EQ(connect(socket.descriptor(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
  return socket;
}

bool ends_within(const Socket& socket, int ms) {
  pollfd wait{.fd = socket.descriptor(), .events = POLLIN, .revents = 0};
  if (poll(&wait, 1, ms) <= 0) return false;
  char byte = 0;
  return recv(socket.descriptor(), &byte, 1, 0) <= 0;
}

struct Taken {
  std::mutex mutex;
  std::vector<int> descriptors;

  void take(int connection) {
    const std::lock_guard lock(mutex);
    descriptors.push_back(connection);
  }
  std::size_t size() {
    const std::lock_guard lock(mutex);
    return descriptors.size();
  }
  void close_first() {
    const std::lock_guard lock(mutex);
    close(descriptors.front());
    descriptors.erase(descriptors.begin());
  }
  ~Taken() {
    for (const int one : descriptors) close(one);
  }
};

// A listener whose connections are taken.
std::unique_ptr<PeerListener> listening(const char* address, std::size_t most, Taken& taken) {
  auto listener = PeerListener::listen(parse_address(address).value(), most).value();
  listener->start([&](int, int connection) { taken.take(connection); });
  return listener;
}

// So many connections of one peer; they are all taken.
std::vector<Socket> connected(std::size_t count, const PeerListener& listener, Taken& taken) {
  std::vector<Socket> sockets;
  for (std::size_t n = 0; n < count; ++n) sockets.push_back(connect_from("127.0.0.2", listener.port()));
  while (taken.size() < count) std::this_thread::yield();
  return sockets;
}

TEST(PeerListener, CountsOpenConnectionsByPeer) {
  Taken taken;
  const auto listener = listening("127.0.0.1:0", 3, taken);
  std::vector<Socket> greedy = connected(3, *listener, taken);
  EXPECT_TRUE(ends_within(connect_from("127.0.0.2", listener->port()), 20'000));
  EXPECT_EQ(listener->turned_away(), 1u);
  const Socket other = connect_from("127.0.0.3", listener->port());
  while (taken.size() < 4) std::this_thread::yield();
  // One that is closed makes room, though nobody says so; its number may be another's by then.
  taken.close_first();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // until they are looked at again
  greedy.push_back(connect_from("127.0.0.2", listener->port()));
  while (taken.size() < 4) std::this_thread::yield();
  EXPECT_TRUE(ends_within(connect_from("127.0.0.2", listener->port()), 20'000));
  EXPECT_EQ(listener->turned_away(), 2u);
}

// Whoever comes beyond its limit again and again does not make the accepting thread work.
TEST(PeerListener, ARefusedPeerIsNotLookedAtEachTime) {
  using Clock = std::chrono::steady_clock;
  Taken taken;
  const auto listener = listening("127.0.0.1:0", 3, taken);
  std::vector<Socket> greedy = connected(3, *listener, taken);
  EXPECT_EQ(listener->looks(), 0u);
  const auto began = Clock::now();
  for (int n = 0; n < 300; ++n) EXPECT_TRUE(ends_within(connect_from("127.0.0.2", listener->port()), 20'000));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began).count();
  EXPECT_EQ(listener->turned_away(), 300u);
  EXPECT_LE(listener->looks(), 1u + static_cast<std::uint64_t>(took) / 200);
}

// "0.0.0.0" is all addresses of both kinds, whatever the system's default for IPv6 sockets is.
TEST(PeerListener, ListensToBothKindsOfAddress) {
  std::uint16_t port = 0;
  const auto sockets = listen_at({"", "::", 0}, 4, port);
  if (!sockets.ok()) return;  // no IPv6 here
  int alone = 1;
  socklen_t size = sizeof(alone);
  ASSERT_EQ(getsockopt(sockets->front().descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, &alone, &size), 0);
  EXPECT_EQ(alone, 0);
  EXPECT_TRUE(connect_to({"", "127.0.0.1", port}, 2'000).ok());
}

TEST(PeerListener, WithoutALimitAllAreTaken) {
  Taken taken;
  const auto listener = listening("localhost:0", 0, taken);
  const std::vector<Socket> all = connected(20, *listener, taken);
  EXPECT_EQ(listener->turned_away(), 0u);
}

TEST(PeerListener, APortInUseIsSaid) {
  const auto first = PeerListener::listen(parse_address("127.0.0.1:0").value(), 3).value();
  const auto second = PeerListener::listen({"", "127.0.0.1", first->port()}, 3);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("is in use by another program"), std::string::npos);
}

// One peer takes what it may have and says nothing; another's calls go through, and when the first lets go,
// it may come again.
TEST(PeerListener, AGreedyPeerKeepsNobodyOutOfTheServer) {
  ServerOptions options = trial::loopback();
  options.limits.peer_connections = 4;
  options.limits.handshake_ms = 60'000;
  const auto server = trial::serve(options, trial::echo);
  const std::uint16_t port = server->address().port;
  {
    std::vector<Socket> greedy;
    for (int n = 0; n < 4; ++n) greedy.push_back(connect_from("127.0.0.2", port));
    for (int n = 0; n < 50; ++n) EXPECT_TRUE(ends_within(connect_from("127.0.0.2", port), 20'000));
    EXPECT_EQ(server->counts().turned_away, 50u);
    const auto answer = trial::dial(*server)->call(Method::check_in, "here");
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer.value(), "CheckIn|here");
    for (const Socket& one : greedy) EXPECT_FALSE(ends_within(one, 0));
  }
  while (ends_within(connect_from("127.0.0.2", port), 100)) std::this_thread::yield();
}

}  // namespace
}  // namespace sotto::net::peer_listener_test
