// A trial: a version that a share of a task's devices has first, while all others keep the one before.
//
// Laws: who is in the share follows from the trial's salt and the device's index alone, so that it stays as
// it is for the trial, over any restart, and the next trial has others; the salt is told to nobody, so that
// nobody can tell from an index. A device in a share is in any larger one of the same trial.
#pragma once

#include "server/store.h"

namespace sotto::server {

// A share that can be tried: above 0, below 1.
[[nodiscard]] Status check_share(double share);
// Of a new version, beside the `stable` one.
[[nodiscard]] VersionTrial begin_trial(std::uint32_t stable, double share);
[[nodiscard]] bool is_in_share(const VersionTrial& trial, std::uint32_t index);
[[nodiscard]] inline double share_of(const VersionTrial& trial) { return trial.millionths / 1e6; }

}  // namespace sotto::server
