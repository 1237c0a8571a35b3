// The plans behind the Fed-CARS targets, and the studies made of them. The one place where they are changed.
//
// Laws: a plan is what TOML says on top of the defaults; a dataset without a plan of its own takes the plan
// for any. A variant (a share of people, some contexts, a protocol, an epoch) is Fed-CARS' plan but for that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/reproduce/studies.h"

namespace sotto {

[[nodiscard]] std::vector<Target> cars_targets();

// Some contexts of figure 4: what of the data's contexts is looked at.
struct ContextVariant {
  std::string_view label;  // "both"
  std::vector<std::string> of;
};
[[nodiscard]] const std::vector<ContextVariant>& context_variants();
// The epochs at which figure 4 looks, rising; the last are those of the plan.
[[nodiscard]] Result<std::vector<std::uint32_t>> curve_epochs(std::string_view dataset, Effort effort);
// "both, epoch 20".
[[nodiscard]] std::string curve_label(std::string_view variant, std::uint32_t epoch);

// The shares of people who take part in figure 3, rising, and their labels: "50%".
[[nodiscard]] std::vector<double> participation_shares(Effort effort);
[[nodiscard]] std::string share_label(double share);

// What people choose: a mix of protocols for contexts, a level of sharing, or a part of the history.
struct ProtocolVariant {
  std::string_view label;
  std::string_view udcp;    // "full=0.5,none=0.5"; empty: all full
  std::string_view mix;     // "open=0.5,closed=0.5"; empty: all open
  std::string_view policy;  // TOML of everybody's; empty: none
  std::string_view others;  // what those choose who do not let all in: "none"; empty: nobody does
  double full = 0.0;        // the share of people who let all in
};
[[nodiscard]] const std::vector<ProtocolVariant>& protocol_variants();

inline constexpr double cold_start_participation = 0.8;
inline constexpr std::string_view cold_start_model = "Fed-CARS of 80%";

// A fresh one each call: everything but data and seed.
[[nodiscard]] Result<TrainRequest> cars_request(std::string_view dataset, std::string_view model);

[[nodiscard]] Result<std::vector<PlannedStudy>> cars_studies(const Target& target, const PaperData& data,
                                                             Effort effort);

}  // namespace sotto
