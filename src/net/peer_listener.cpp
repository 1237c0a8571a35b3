#include "net/peer_listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace sotto::net {

namespace {

constexpr int waiting_connections = 4096;
constexpr int full_house_ms = 50;  // until another descriptor may be free
constexpr int accepted_in_a_row = 256;
constexpr std::size_t least_looked_at = 1024;
constexpr std::chrono::milliseconds between_looks{200};
constexpr std::size_t worth_a_look = 16;  // one of so many is closed

std::string peer_of(const sockaddr_storage& name) {
  if (name.ss_family == AF_INET) {
    const auto& ip = reinterpret_cast<const sockaddr_in&>(name).sin_addr;
    return {reinterpret_cast<const char*>(&ip), sizeof(ip)};
  }
  const auto& ip = reinterpret_cast<const sockaddr_in6&>(name).sin6_addr;
  const auto* bytes = reinterpret_cast<const char*>(&ip);
  constexpr std::size_t network = 8, mapped = 12;  // ::ffff:1.2.3.4 is 1.2.3.4
  return IN6_IS_ADDR_V4MAPPED(&ip) ? std::string(bytes + mapped, sizeof(ip) - mapped)
                                   : std::string(bytes, network);
}

std::size_t half_of_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  return std::max<std::size_t>(limit.rlim_cur / 2, 1);
}

std::uint64_t inode_of(int descriptor) {
  struct stat found {};
  return fstat(descriptor, &found) == 0 && S_ISSOCK(found.st_mode) ? found.st_ino : 0;
}

}  // namespace

PeerListener::PeerListener(std::vector<Socket> sockets, std::uint16_t port, std::size_t most_a_peer,
                           Socket wake_read, Socket wake_write)
    : sockets_(std::move(sockets)),
      port_(port),
      most_a_peer_(most_a_peer),
      wake_read_(std::move(wake_read)),
      wake_write_(std::move(wake_write)),
      look_at_(least_looked_at) {}

Result<std::unique_ptr<PeerListener>> PeerListener::listen(const Address& address, std::size_t most_a_peer) {
  std::uint16_t port = 0;
  Address every = address;
  if (address.host == "0.0.0.0") every.host = "::";  // all it has, of both kinds
  auto opened = listen_at(every, waiting_connections, port);
  if (!opened.ok() && every.host != address.host) opened = listen_at(address, waiting_connections, port);
  SOTTO_TRY(std::vector<Socket> sockets, std::move(opened));
  const int on = 1;
  for (const Socket& socket : sockets)  // what is accepted inherits it
    setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return fail(Code::io, "the process has no file descriptors left");
  const std::size_t most = std::min(most_a_peer == 0 ? SIZE_MAX : most_a_peer, half_of_descriptors());
  return std::unique_ptr<PeerListener>(new PeerListener(std::move(sockets), port, most_a_peer == 0 ? 0 : most,
                                                        Socket(ends[0]), Socket(ends[1])));
}

void PeerListener::start(Take take) {
  take_ = std::move(take);
  thread_ = std::thread([this] { work(); });
}

void PeerListener::stop() {
  if (!thread_.joinable()) return;
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = write(wake_write_.descriptor(), &byte, 1);
  thread_.join();
  sockets_.clear();
}

void PeerListener::work() {
  std::vector<pollfd> wait{{.fd = wake_read_.descriptor(), .events = POLLIN, .revents = 0}};
  for (const Socket& socket : sockets_)
    wait.push_back({.fd = socket.descriptor(), .events = POLLIN, .revents = 0});
  for (;;) {
    if (poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) return;
    if (wait[0].revents != 0) return;
    for (std::size_t n = 0; n < sockets_.size(); ++n)
      if (wait[n + 1].revents != 0) accept_from(sockets_[n]);
  }
}

// All that wait, but other addresses and the end are heard in between.
void PeerListener::accept_from(const Socket& listener) {
  for (int n = 0; n < accepted_in_a_row && accept_one(listener); ++n) {
  }
}

bool PeerListener::accept_one(const Socket& listener) {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  const int connection =
      accept4(listener.descriptor(), reinterpret_cast<sockaddr*>(&name), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (connection < 0) {
    pollfd stopped{.fd = wake_read_.descriptor(), .events = POLLIN, .revents = 0};
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
      poll(&stopped, 1, full_house_ms);
    return false;
  }
  if (most_a_peer_ == 0 || admits(peer_of(name), connection)) {
    take_(listener.descriptor(), connection);
    return true;
  }
  ++turned_away_;
  close(connection);
  return true;
}

bool PeerListener::admits(const std::string& peer, int connection) {
  if (known_ >= look_at_) {  // peers that went would stay for ever
    for (auto& [name, one] : peers_) drop_closed(one.open);
    std::erase_if(peers_, [](const auto& one) { return one.second.open.empty(); });
    known_ = 0;
    for (const auto& [name, one] : peers_) known_ += one.open.size();
    look_at_ = std::max(least_looked_at, 2 * known_);
  }
  Peer& own = peers_[peer];
  if (own.open.size() >= most_a_peer_) make_room(own);
  if (own.open.size() >= most_a_peer_) return false;
  own.open.push_back({connection, inode_of(connection)});
  ++known_;
  return true;
}

// A look costs a call for each connection, in the only thread that accepts: where it finds next to none
// closed, the next one waits.
void PeerListener::make_room(Peer& peer) {
  const auto now = std::chrono::steady_clock::now();
  if (now < peer.look_again) return;
  ++looks_;
  const std::size_t before = peer.open.size();
  drop_closed(peer.open);
  const std::size_t closed = before - peer.open.size();
  known_ -= closed;
  if (closed <= before / worth_a_look) peer.look_again = now + between_looks;
}

void PeerListener::drop_closed(std::vector<Open>& all) {
  std::erase_if(all, [](const Open& one) { return inode_of(one.descriptor) != one.inode; });
}

}  // namespace sotto::net
