// PeerListener: listens at an address and hands on every connection, unless its peer has too many open
// already.
//
// A peer is an IPv4 address, or 64 bits of an IPv6 one: what one person is commonly given. Who took a
// connection need not say when it ends: a descriptor is that connection as long as its inode is.
// Laws: of one peer at most so many are open, and never more than half of what the process may open; who
// comes beyond them is closed at once; others do not notice, however often it comes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "net/address.h"

namespace sotto::net {

class PeerListener {
 public:
  // The connection is the taker's from then on.
  using Take = std::function<void(int listener, int connection)>;

  // Port 0 takes a free one. 0 a peer: no limit.
  [[nodiscard]] static Result<std::unique_ptr<PeerListener>> listen(const Address& address,
                                                                    std::size_t most_a_peer);
  PeerListener(const PeerListener&) = delete;
  PeerListener& operator=(const PeerListener&) = delete;
  ~PeerListener() { stop(); }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  void start(Take take);
  void stop();
  [[nodiscard]] std::uint64_t turned_away() const { return turned_away_; }
  // How often a peer's connections were looked at for closed ones.
  [[nodiscard]] std::uint64_t looks() const { return looks_; }

 private:
  struct Open {
    int descriptor = -1;
    std::uint64_t inode = 0;
  };
  struct Peer {
    std::vector<Open> open;
    std::chrono::steady_clock::time_point look_again;  // not before
  };

  PeerListener(std::vector<Socket> sockets, std::uint16_t port, std::size_t most_a_peer, Socket wake_read,
               Socket wake_write);
  void work();
  void accept_from(const Socket& listener);
  [[nodiscard]] bool accept_one(const Socket& listener);
  [[nodiscard]] bool admits(const std::string& peer, int connection);
  void make_room(Peer& peer);
  static void drop_closed(std::vector<Open>& all);

  std::vector<Socket> sockets_;
  std::uint16_t port_;
  std::size_t most_a_peer_;
  Socket wake_read_, wake_write_;
  Take take_;
  std::map<std::string, Peer> peers_;
  std::size_t known_ = 0;    // connections of theirs
  std::size_t look_at_ = 0;  // known ones, then all are looked at
  std::atomic<std::uint64_t> looks_ = 0;
  std::atomic<std::uint64_t> turned_away_ = 0;
  std::thread thread_;
};

}  // namespace sotto::net
