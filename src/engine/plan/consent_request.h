// What a plan says of people's own consent, beside π and the mask of everybody: one policy for all, a mix of
// levels that people draw from, a mix of protocols for contexts (UDCP), or the folder of one simulated
// person's device.
//
// The two mixes are drawn apart: a level says what leaves, a protocol what enters the model on the device;
// levels of a mix let all contexts in. The device's policy goes before both.
// Laws: what a person draws from a mix is a function of (seed, user) and stays for all rounds; a plan holds
// the whole policy, so that a run can be made again without the file it came from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/split.h"
#include "privacy/consent.h"

namespace sotto::engine {

struct ConsentRequest {
  std::string policy;  // a policy as TOML (device/consent_file.h); empty: none
  std::string policy_name = "the plan's consent policy";  // what messages call it
  std::string mix;     // "open=0.3,balanced=0.4,careful=0.2,closed=0.1"; empty: none
  std::string udcp;    // "full=0.5,partial=0.3,none=0.2": of every dimension of context; empty: all full
  std::string device;  // "USER=DIR": this person's policy comes from there, and the ledger goes there
  std::string device_policy;  // the policy that lay there when the run began

  bool records = true;  // false: a model is made again from what was sent; no ledger is written

  [[nodiscard]] bool any() const {
    return !policy.empty() || !mix.empty() || !udcp.empty() || !device.empty();
  }
};

// Sets the device and reads its policy.
[[nodiscard]] Status set_device(ConsentRequest& request, const std::string& text);

// What can be wrong before data is read. `everybody` is the plan's own π and mask.
[[nodiscard]] Status check(const ConsentRequest& request, const ConsentPolicy& everybody);

// The simulated person whose device lies in a folder.
struct WatchedDevice {
  UserIndex user;
  std::string folder;
};
[[nodiscard]] Result<std::optional<WatchedDevice>> watched_device(const ConsentRequest& request,
                                                                  const Split& split);

// Everybody's terms on these data; null where the request asks for none.
[[nodiscard]] Result<std::shared_ptr<const ConsentBook>> book_for(const ConsentRequest& request,
                                                                  const ConsentPolicy& everybody,
                                                                  const Split& split, std::uint64_t seed);

// The level that each person draws from the mix, by its place among `names`.
struct DrawnLevels {
  std::vector<std::string> names;
  std::vector<std::uint16_t> of_user;
};
// None where the request has no mix.
[[nodiscard]] std::optional<DrawnLevels> drawn_levels(const ConsentRequest& request, std::size_t users,
                                                      std::uint64_t seed);

}  // namespace sotto::engine
