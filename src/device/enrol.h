// How a device comes to a coordinator, with a one-time token of the operator, and how it goes.
//
// Laws: what it draws from `entropy` is the same every time, so that enrolling again after a lost reply is
// the same enrolment; the secret half of its key never leaves.
#pragma once

#include <cstdint>
#include <string_view>

#include "device/device_store.h"
#include "fed/wire/transport.h"

namespace sotto::device {

// What to keep. `entropy` is of the system's generator, kept until this succeeded or was refused.
[[nodiscard]] Result<Enrolment> enrol(Transport& wire, std::string_view token, const Secret& entropy);

// Tells the coordinator that this device takes no part any more; `forget`: and asks it to remove the record.
[[nodiscard]] Status leave(DeviceStore& kept, Transport& wire, bool forget, std::int64_t now_ms);

}  // namespace sotto::device
