// HostileTransport: a device's line in the hands of somebody who wants harm: what the device says is changed
// on the way, signed anew with its own key where that helps, and sent twice. Half of
// its contributions are well formed and lies; in a secure sum it keeps to the phases and lies within them. So
// it gets far enough to do harm.
//
// What is done to which request is drawn from the fleet's seed. A coordinator must refuse each by its code.
#pragma once

#include <cstdint>

#include "fed/wire/signed_request.h"
#include "host/fleet/fleet_draws.h"

namespace sotto::host {

class HostileTransport final : public Transport {
 public:
  // Everything outlives it.
  HostileTransport(Transport& wire, const Identity& identity, FleetDraws& draws)
      : wire_(wire), identity_(identity), draws_(draws) {}

  [[nodiscard]] Result<std::string> call(Method method, const std::string& request) override;

 private:
  [[nodiscard]] Result<std::string> resigned(Method method, const v1::SignedRequest& request,
                                             std::string body) const;
  [[nodiscard]] Result<std::string> spoiled_step(const v1::SignedRequest& request);
  [[nodiscard]] Result<std::string> lying_step(const v1::SignedRequest& request, v1::StepRequest step);

  Transport& wire_;
  const Identity& identity_;
  FleetDraws& draws_;
};

}  // namespace sotto::host
