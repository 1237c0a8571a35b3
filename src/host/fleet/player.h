// Player: one device of a fleet: what it keeps, how it behaves, and the exchange it is in.
#pragma once

#include <memory>

#include "device/memory_device_store.h"
#include "host/fleet/fleet.h"

namespace sotto::host {

// What all players look at.
struct FleetWorld {
  const Split& split;
  const FleetOptions& options;
  SharedShelf shelf;
};

class Player {
 public:
  Player(FleetWorld& world, std::uint32_t user, const Enrolment& enrolment);

  struct Turn {
    std::int64_t wait_ms = 0;
    bool over = false;    // the exchange is
    bool silent = false;  // and it was the device that fell silent
    ExchangeReport report;
  };
  // Goes on with the exchange, or begins one.
  [[nodiscard]] Result<Turn> play(Transport& wire, std::int64_t now_ms);
  [[nodiscard]] bool hostile() const { return hostile_; }

 private:
  void begin();
  [[nodiscard]] Result<Turn> finish(const Exchange::Next& next, bool silent);

  FleetWorld& world_;
  std::uint32_t user_;
  std::uint32_t number_ = 0;      // of the exchange
  std::uint32_t calls_left_ = 0;  // until it falls silent; 0: it does not
  bool hostile_ = false;
  MemoryDeviceStore kept_;
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace sotto::host
