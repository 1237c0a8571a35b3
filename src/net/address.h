// Address: where somebody listens, as people write it: "host:port", "[::1]:port" or "unix:PATH"; and the
// plain sockets that belong to one, for what gRPC does not say.
//
// Laws: what parse_address() takes, text() gives back; a Socket is closed when it goes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sotto::net {

struct Address {
  std::string path;  // of a unix socket; else empty
  std::string host;
  std::uint16_t port = 0;

  [[nodiscard]] bool is_unix() const { return !path.empty(); }
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] Result<Address> parse_address(std::string_view text);
// Whether it is an IPv4 or IPv6 address and no name.
[[nodiscard]] bool is_ip(const std::string& host);

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// A connected stream whose reads and writes give up after `timeout_ms`. Fails in words for a person.
[[nodiscard]] Result<Socket> connect_to(const Address& address, int timeout_ms);
// Listening sockets at all addresses of the host, not a unix one's, on one port: the address's, or a free
// one, which is told.
[[nodiscard]] Result<std::vector<Socket>> listen_at(const Address& address, int waiting, std::uint16_t& port);
// Why nobody can listen there: asks the system by trying. Fine where it can.
[[nodiscard]] Status can_listen(const Address& address);

}  // namespace sotto::net
