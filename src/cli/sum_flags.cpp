#include "cli/sum_flags.h"

#include <fmt/format.h>

namespace sotto {

void add_sum_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  constexpr const char* group = "Secure sum";
  add_edit<std::string>(app, edits, "--sum",
                        "how contributions are added up: plain, secure, shares, paillier",
                        [](TrainRequest& request, const std::string& value) -> Status {
                          SOTTO_TRY(request.sum.kind, parse_sum_kind(value));
                          return Done{};
                        })
      ->type_name("KIND")
      ->default_str(to_string(SumOptions{}.kind))
      ->group(group);
  const auto number = [&](const char* name, const char* type, const char* help, auto member) {
    using Value = std::remove_reference_t<decltype(member(std::declval<SumOptions&>()))>;
    SumOptions sample;
    add_edit<Value>(app, edits, name, help,
                    [member](TrainRequest& request, const Value& value) { member(request.sum) = value; })
        ->type_name(type)
        ->default_str(fmt::format("{}", member(sample)))
        ->group(group);
  };
  using Count = std::uint32_t;
  number("--secure-block", "ROWS", "rows within which a device's touch is hidden; 0: the whole catalogue",
         [](SumOptions& sum) -> Count& { return sum.block; });
  number("--secure-group", "N",
         "devices summed together, at least, and the server sees each such sum; 0: the whole cohort",
         [](SumOptions& sum) -> Count& { return sum.group; });
  number("--secure-bits", "N", "bits of the ring; 0: as few as hold the sum",
         [](SumOptions& sum) -> Count& { return sum.bits; });
  number("--secure-limit", "N", "largest integer a device may give; 0: as large as they may be",
         [](SumOptions& sum) -> Count& { return sum.limit; });
  number("--secure-dropout", "SHARE", "simulated: devices that fall silent in each round",
         [](SumOptions& sum) -> double& { return sum.silent; });
  number("--secure-tolerate", "SHARE", "assumed: devices that may fall silent without failing the round",
         [](SumOptions& sum) -> double& { return sum.assumed.dropped; });
  number("--secure-corrupt", "SHARE", "assumed: devices that work for the server",
         [](SumOptions& sum) -> double& { return sum.assumed.corrupt; });
  number("--secure-crowd", "N", "honest devices that anybody is at least summed with",
         [](SumOptions& sum) -> Count& { return sum.assumed.crowd; });
  number("--secure-aggregators", "N", "aggregators of shares",
         [](SumOptions& sum) -> Count& { return sum.aggregators; });
}

}  // namespace sotto
