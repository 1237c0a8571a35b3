// CoordinatorChannel: a device's way to its coordinator, request by request: each one signed anew, with a
// nonce of its own and the server's time.
//
// Laws: the same request may be asked again after a failure, and never goes out with the same nonce; what
// comes back is a reply of this protocol, or is named as none; the clock follows the server's replies alone
// as far as a clock may be wrong.
#pragma once

#include <sotto/v1/federation.pb.h>

#include <cstdint>
#include <string>

#include "device/device_store.h"
#include "fed/wire/transport.h"

namespace sotto::device {

// What came back.
struct Heard {
  enum class What : std::uint8_t {
    reply,
    lost,      // none: the request may have arrived or not
    nonsense,  // something that is no reply of this protocol
  };
  What what = What::lost;
  v1::Reply reply;
  std::string why;  // where there is none
  std::uint64_t bytes_up = 0;
  std::uint64_t bytes_down = 0;
};
// An encoded reply, checked.
[[nodiscard]] Heard hear(const Result<std::string>& answer);

class CoordinatorChannel {
 public:
  // `ahead_ms`: of the server's clock before ours, if an earlier channel learnt it.
  CoordinatorChannel(DeviceStore& kept, const Secret& identity_seed, std::int64_t ahead_ms = 0)
      : kept_(kept), identity_(identity_seed), ahead_ms_(ahead_ms) {}

  // Fails only where the device store does.
  [[nodiscard]] Result<Heard> ask(Transport& wire, Method method, std::string body, std::int64_t now_ms);
  [[nodiscard]] std::int64_t ahead_ms() const { return ahead_ms_; }
  // The server's time, as far as its replies told.
  [[nodiscard]] std::int64_t server_time(std::int64_t now_ms) const { return now_ms + ahead_ms_; }

 private:
  DeviceStore& kept_;
  Identity identity_;
  std::int64_t ahead_ms_;
};

}  // namespace sotto::device
