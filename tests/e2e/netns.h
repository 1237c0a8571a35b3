// Network namespaces of a test: networks that nobody else sees, joined by wires that can be cut.
//
// Laws: a namespace has no name outside the process, so that nothing is left of it when the process and what
// it started in there are gone, whatever ended them; nothing leads from one to the machine's own network.
#pragma once

#include <string>

#include "base/result.h"

namespace sotto::tests::e2e {

class Namespace {
 public:
  // A new one with its own loopback. Fails in words where the system does not allow it.
  [[nodiscard]] static Result<Namespace> make();
  Namespace(Namespace&& other) noexcept;
  Namespace& operator=(Namespace&&) = delete;
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;
  ~Namespace();

  // `ip words…` in there.
  [[nodiscard]] Status ip(const std::string& words) const;
  // Where other programs find it while this process lives.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  explicit Namespace(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// While it lives, the thread that made it is in the namespace, with the sockets it opens and the programs it
// starts.
class Inside {
 public:
  explicit Inside(const Namespace& where);
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside();

 private:
  int before_;
};

// One end of a wire: the device it is there ("left") and its address with the network's size
// ("192.0.2.1/25").
struct WireEnd {
  const Namespace& where;
  std::string device;
  std::string address;
};
[[nodiscard]] Status join(const WireEnd& one, const WireEnd& other);

}  // namespace sotto::tests::e2e
