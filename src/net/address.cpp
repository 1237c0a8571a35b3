#include "net/address.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

namespace sotto::net {

namespace {

constexpr std::string_view unix_prefix = "unix:";

using Found = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Result<Found> look_up(const Address& address, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* first = nullptr;
  const int wrong = getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &first);
  if (wrong != 0)
    return fail(Code::io,
                fmt::format("the name '{}' leads to no address ({}): check it, or give an IP address",
                            address.host, gai_strerror(wrong)));
  return Found(first, &freeaddrinfo);
}

Result<sockaddr_un> unix_name(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof(name.sun_path))
    return fail(Code::usage, fmt::format("the path of a unix socket has at most {} bytes: '{}' is longer",
                                         sizeof(name.sun_path) - 1, path));
  std::memcpy(name.sun_path, path.c_str(), path.size() + 1);
  return name;
}

// 0, or what errno said; waits no longer than that.
int connect_within(int descriptor, const sockaddr* name, socklen_t size, int timeout_ms) {
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  if (connect(descriptor, name, size) != 0) {
    if (errno != EINPROGRESS) return errno;
    pollfd wait{.fd = descriptor, .events = POLLOUT, .revents = 0};
    if (poll(&wait, 1, timeout_ms) <= 0) return ETIMEDOUT;
    int wrong = 0;
    socklen_t length = sizeof(wrong);
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &wrong, &length);
    if (wrong != 0) return wrong;
  }
  fcntl(descriptor, F_SETFL, 0);
  const timeval wait{.tv_sec = timeout_ms / 1000, .tv_usec = (timeout_ms % 1000) * 1000};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
  return 0;
}

Error no_connection(const Address& address, int wrong) {
  if (wrong == ECONNREFUSED || wrong == ENOENT)
    return fail(Code::io,
                fmt::format("nobody listens at {}: is the coordinator running, and is this its address?",
                            address.text()));
  if (wrong == ETIMEDOUT)
    return fail(Code::io, fmt::format("no answer from {}: a firewall may be between, or the machine is off",
                                      address.text()));
  if (wrong == EACCES)
    return fail(Code::io,
                fmt::format("{} is not open to this account: its owner may use it", address.text()));
  return fail(Code::io, fmt::format("{} cannot be reached: {}", address.text(), std::strerror(wrong)));
}

Error no_listening(const Address& address, int wrong) {
  if (wrong == EADDRINUSE)
    return fail(Code::io, fmt::format("{} is in use by another program: stop that one or choose another port",
                                      address.text()));
  if (wrong == EACCES)
    return fail(Code::io,
                fmt::format("this account may not listen at {}: ports below 1024 need a privilege, a path a "
                            "folder that can be written to",
                            address.text()));
  if (wrong == EADDRNOTAVAIL)
    return fail(Code::io,
                fmt::format("this machine does not have the address {}: 0.0.0.0 stands for all it has",
                            address.text()));
  return fail(Code::io, fmt::format("nobody can listen at {}: {}", address.text(), std::strerror(wrong)));
}

Status can_listen_unix(const Address& address) {
  if (connect_to(address, 1000).ok()) return no_listening(address, EADDRINUSE);
  SOTTO_TRY(const sockaddr_un name, unix_name(address.path));
  // A socket that nobody answers is left over from a crash; its place can be taken.
  if (access(address.path.c_str(), F_OK) == 0) return Done{};
  const Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (bind(socket.descriptor(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0)
    return no_listening(address, errno);
  unlink(address.path.c_str());
  return Done{};
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool is_ip(const std::string& host) {
  in6_addr space{};
  return inet_pton(AF_INET, host.c_str(), &space) == 1 || inet_pton(AF_INET6, host.c_str(), &space) == 1;
}

std::string Address::text() const {
  if (is_unix()) return std::string(unix_prefix) + path;
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<Address> parse_address(std::string_view text) {
  Address address;
  if (text.starts_with(unix_prefix) && text.size() > unix_prefix.size()) {
    address.path = text.substr(unix_prefix.size());
    SOTTO_TRY([[maybe_unused]] const sockaddr_un name, unix_name(address.path));
    return address;
  }
  const Error wrong =
      fail(Code::usage, fmt::format("'{}' is no address: write HOST:PORT, [IPv6]:PORT or unix:PATH", text));
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return wrong;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (error != std::errc{} || end != digits.data() + digits.size()) return wrong;
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string_view::npos)
    return wrong;
  if (host.empty() || host.find('/') != std::string_view::npos) return wrong;
  address.host = host;
  return address;
}

Result<Socket> connect_to(const Address& address, int timeout_ms) {
  if (address.is_unix()) {
    SOTTO_TRY(const sockaddr_un name, unix_name(address.path));
    Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int wrong = connect_within(socket.descriptor(), reinterpret_cast<const sockaddr*>(&name),
                                     sizeof(name), timeout_ms);
    if (wrong != 0) return no_connection(address, wrong);
    return socket;
  }
  SOTTO_TRY(const Found found, look_up(address, 0));
  int wrong = ECONNREFUSED;
  for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
    Socket socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    wrong = connect_within(socket.descriptor(), one->ai_addr, one->ai_addrlen, timeout_ms);
    if (wrong == 0) return socket;
  }
  return no_connection(address, wrong);
}

Result<std::vector<Socket>> listen_at(const Address& address, int waiting, std::uint16_t& port) {
  SOTTO_TRY(const Found found, look_up(address, AI_PASSIVE));
  std::vector<Socket> sockets;
  port = address.port;
  int wrong = EADDRNOTAVAIL;
  for (addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
    Socket socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    const int off = 0;  // "::" is all addresses of both kinds, whatever the system's default is
    if (one->ai_family == AF_INET6 && address.host == "::")
      setsockopt(socket.descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    // The second address takes the port that the first one got.
    auto& wanted = one->ai_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(one->ai_addr)->sin6_port
                                              : reinterpret_cast<sockaddr_in*>(one->ai_addr)->sin_port;
    wanted = htons(port);
    if (bind(socket.descriptor(), one->ai_addr, one->ai_addrlen) != 0 ||
        listen(socket.descriptor(), waiting) != 0) {
      wrong = errno;
      if (wrong == EADDRINUSE || wrong == EACCES) return no_listening(address, wrong);
      continue;  // a name may have an address of a kind that this machine lacks
    }
    socklen_t size = one->ai_addrlen;
    getsockname(socket.descriptor(), one->ai_addr, &size);
    port = ntohs(wanted);
    sockets.push_back(std::move(socket));
  }
  if (sockets.empty()) return no_listening(address, wrong);
  return sockets;
}

Status can_listen(const Address& address) {
  if (address.is_unix()) return can_listen_unix(address);
  std::uint16_t port = 0;
  SOTTO_TRY([[maybe_unused]] const std::vector<Socket> sockets, listen_at(address, 1, port));
  return Done{};
}

}  // namespace sotto::net
