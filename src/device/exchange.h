// Exchange: a device's side of one training exchange, from the check-in to the last step, as a state machine
// that is given the time and a transport and can stop and go on between any two requests.
//
//   check-in ──assigned──▶ catalogue ──▶ model (held, delta or full) ──▶ fit ──▶ contribution
//                                                                           └──▶ phases of a secure sum
//
// Laws: nothing leaves before the device store noted the answer, and no round is answered twice; a repeated
// request changes nothing on the other side; nothing the server says is believed before it is checked: sizes
// are bounded, blobs have the hash they are named by, tasks change by new items at most, terms of secure sums
// are reckoned here. Lost messages are asked for again until the round's deadline. Texts hold nothing of the
// person.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device_store.h"
#include "fed/wire/transport.h"
#include "model/averaging/network_tasks.h"

namespace sotto::device {

class SharedShelf;
class ExchangeRun;

struct ExchangeOptions {
  bool on_power = true;
  bool unmetered = true;
  std::vector<std::string> tasks = {};          // those it takes part in; none: all
  std::map<std::string, double> criteria = {};  // what it says about itself, 0 to 1, if its person tells it
  bool allow_reproducible = false;              // tasks whose random draws the server knows
  std::uint64_t most_model_bytes = 256u << 20;  // of an unpacked model
  int moves_a_call = 64;  // then advance() gives the thread back, however fast the server answers
  std::function<SecretKey()> entropy = system_key;  // a test's draws from its seed
  const NetworkTasks* networks = nullptr;           // what trains networks; null: it takes no such task
  SharedShelf* shelf = nullptr;                     // versions that other devices of the process have decoded
};

enum class Ending : std::uint8_t {
  no_work,            // the server had none; come back later
  answered,           // the contribution was taken
  kept_quiet,         // the device has nothing to answer with, or has answered this round
  dropped,            // the server could not be reached, or not in time
  refused_by_server,  // with `refusal`
  refused_by_device,  // the server said something that this device does not take
};
[[nodiscard]] const char* to_string(Ending ending);

enum class Download : std::uint8_t { held, delta, full };

struct ExchangeReport {
  Ending ending = Ending::no_work;
  std::string task = {};  // none: no assignment
  std::uint32_t round = 0;
  bool secure = false;
  bool judged = false;  // figures of a version were asked for, no training
  Download download = Download::held;
  int refusal = 0;       // v1::Refusal
  std::string why = {};  // for people
  std::int64_t began_ms = 0;
  std::uint32_t requests = 0;
  std::uint64_t bytes_up = 0;
  std::uint64_t bytes_down = 0;
};

class Exchange {
 public:
  struct Next {
    enum class What : std::uint8_t { wait, finished, refused };
    What what = What::wait;
    std::int64_t wait_ms = 0;  // when to call again: to go on, or for another exchange
    ExchangeReport report = {};
  };

  // The device store outlives it.
  Exchange(DeviceStore& kept, ExchangeOptions options);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Makes the next request or requests until it must wait or is at the end; the call after the end begins
  // another exchange. Fails only where the device store does, and the exchange is over then.
  [[nodiscard]] Result<Next> advance(Transport& wire, std::int64_t now_ms);

 private:
  DeviceStore& kept_;
  ExchangeOptions options_;
  std::int64_t ahead_ms_ = 0;         // of the server's clock before ours
  std::unique_ptr<ExchangeRun> run_;  // the exchange that is going on; none: the next call begins one
};

}  // namespace sotto::device
