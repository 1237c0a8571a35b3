#include "cli/kgflex_flags.h"

namespace sotto {

void add_kgflex_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  const auto count = [&](const char* name, const char* help, const char* standard, auto member) {
    add_edit<std::uint32_t>(
        app, edits, name, help,
        [member](TrainRequest& request, const std::uint32_t& value) { member(request.kgflex) = value; })
        ->type_name("N")
        ->default_str(standard)
        ->group("KGFlex");
  };
  add_edit<std::string>(app, edits, "--gain", "how a feature is weighed: information, gini or ratio",
                        [](TrainRequest& request, const std::string& value) -> Status {
                          SOTTO_TRY(request.kgflex.gain, parse_gain(value));
                          return Done{};
                        })
      ->type_name("NAME")
      ->default_str("information")
      ->group("KGFlex");
  count(
      "--first-hop", "features of one hop that a person keeps, best gain first", "100",
      [](KgflexRequest & kgflex) -> auto& { return kgflex.first_hop; });
  count(
      "--second-hop", "features of two hops that a person keeps", "100",
      [](KgflexRequest & kgflex) -> auto& { return kgflex.second_hop; });
  app.add_flag_callback(
         "--all-features",
         [&edits] {
           edits.push_back([](TrainRequest& request) -> Status {
             request.kgflex.all_features = true;
             return Done{};
           });
         },
         "keep every feature with a gain")
      ->group("KGFlex");
  count(
      "--gain-negatives", "items not consumed, for each consumed one, that a gain is measured on", "1",
      [](KgflexRequest & kgflex) -> auto& { return kgflex.negatives; });
  add_edit<float>(app, edits, "--min-gain", "features whose gain is not above it are left out",
                  [](TrainRequest& request, const float& value) { request.kgflex.min_gain = value; })
      ->type_name("GAIN")
      ->default_str("0")
      ->group("KGFlex");
}

}  // namespace sotto
