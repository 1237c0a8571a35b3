// GrpcServer: listens at one address and gives each unary call's bytes to one function, whose bytes it sends
// back. It knows the services of proto/sotto/v1/federation.proto by name and looks into no message.
//
// Laws: the function is called by several threads at once and never with more than 4 MiB; a call beyond the
// bounds is refused at once (RESOURCE_EXHAUSTED) and costs the others nothing; an unknown method is
// UNIMPLEMENTED; without TLS it listens on unix sockets alone; a connection that is idle, old or does not get
// on with its handshake is closed, and so is one of a peer that has too many (net/peer_listener.h);
// certificates change for new connections alone (net/server_certificates.h); after stop() no thread of it
// runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "net/tls.h"

namespace sotto::net {

enum class Service : std::uint8_t { federation, admin };

// The reply to a call; `method` as in the .proto: "CheckIn". What it throws becomes INTERNAL.
using CallHandler = std::function<std::string(Service, std::string method, std::string request)>;

struct ServerLimits {
  std::size_t threads = 8;          // at least 2; more than cores, because an answer may wait for the disk
  std::size_t queued_calls = 1024;  // that wait for a thread
  std::size_t open_calls = 4096;    // also those whose request is still under way
  std::size_t memory_bytes = std::size_t{256} << 20;  // for gRPC's buffers
  std::size_t peer_connections = 1024;                // open at once from one address; 0: no limit
  int streams = 128;                                  // at once on one connection
  int handshake_ms = 10'000;
  int read_ms = 10'000;       // for a call's request to come in whole
  int idle_ms = 30'000;       // without a call
  int age_ms = 120'000;       // then the client connects anew
  int age_grace_ms = 30'000;  // for the calls under way at that age
};

struct ServerOptions {
  std::string address;  // "host:port" (port 0: a free one) or "unix:PATH"
  std::optional<ServerTls> tls;
  bool federation = true;
  bool admin = false;  // only where none but the operator comes
  ServerLimits limits;
};

struct ServerCounts {
  std::uint64_t answered = 0;
  std::uint64_t refused = 0;      // beyond the bounds
  std::uint64_t unknown = 0;      // methods
  std::uint64_t broken = 0;       // without a whole request
  std::uint64_t open = 0;         // now
  std::uint64_t turned_away = 0;  // connections of peers that had too many
};

class GrpcServer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<GrpcServer>> start(const ServerOptions& options,
                                                                 CallHandler handler);
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;
  ~GrpcServer();  // stops at once

  // Where it listens, with the port it got.
  [[nodiscard]] const Address& address() const;
  [[nodiscard]] ServerCounts counts() const;
  // For connections that come from now on; those that stand keep theirs. What cannot be used is refused, and
  // the old ones stay. False: they are the ones it has.
  [[nodiscard]] Result<bool> change_certificates(const ServerTls& tls);
  // Takes no more calls, lets those under way finish until the deadline, then ends them.
  void stop(int deadline_ms);

 private:
  class Calls;
  explicit GrpcServer(std::unique_ptr<Calls> calls);
  std::unique_ptr<Calls> calls_;
};

}  // namespace sotto::net
