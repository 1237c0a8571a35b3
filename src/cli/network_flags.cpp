#include "cli/network_flags.h"

#include <fmt/core.h>

namespace sotto {

void add_network_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  const auto number = [&](const char* name, const char* help, auto member) {
    using Value = std::remove_reference_t<decltype(member(std::declval<NeuralOptions&>()))>;
    NeuralOptions sample;
    return add_edit<Value>(
               app, edits, name, help,
               [member](TrainRequest& request, const Value& value) { member(request.neural) = value; })
        ->type_name("N")
        ->default_str(fmt::format("{}", member(sample)))
        ->group("Networks");
  };
  using Count = std::uint32_t;
  number("--batch", "users (multvae) or interactions (neumf, fedneumf) a step",
         [](NeuralOptions& n) -> Count& { return n.batch; });
  number("--l2", "weight of the squared numbers of the network in the loss",
         [](NeuralOptions& n) -> float& { return n.l2; });
  number("--hidden", "neurons of the hidden layers (multvae)",
         [](NeuralOptions& n) -> Count& { return n.vae.hidden; });
  number("--latent", "length of the code (multvae)", [](NeuralOptions& n) -> Count& { return n.vae.latent; });
  number("--dropout", "share of a history that a visit does not see (multvae)",
         [](NeuralOptions& n) -> float& { return n.vae.dropout; });
  number("--anneal-cap", "largest weight β of the divergence (multvae)",
         [](NeuralOptions& n) -> float& { return n.vae.anneal_cap; });
  number("--anneal-epochs", "epochs over which β rises from 0 (multvae)",
         [](NeuralOptions& n) -> Count& { return n.vae.anneal_epochs; });
  using Sizes = std::vector<Count>;
  std::string sizes;
  for (const Count size : NeuMfOptions{}.layers) sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
  add_edit<Sizes>(app, edits, "--layers", "sizes of the network: both vectors, then each layer (neumf)",
                  [](TrainRequest& request, const Sizes& value) { request.neural.neumf.layers = value; })
      ->delimiter(',')
      ->type_name("LIST")
      ->default_str(sizes)
      ->group("Networks");
  add_edit<Count>(app, edits, "--local-epochs",
                  "times a device goes over its history in a round (fedmultvae, fedneumf)",
                  [](TrainRequest& request, const Count& value) { request.averaged.epochs = value; })
      ->type_name("N")
      ->default_str(fmt::format("{}", TrainRequest{}.averaged.epochs))
      ->group("Networks");
  add_edit<float>(app, edits, "--proximal",
                  "μ: how much a device is held to the model it received (fedmultvae, fedneumf)",
                  [](TrainRequest& request, const float& value) { request.averaged.proximal = value; })
      ->type_name("MU")
      ->default_str(fmt::format("{}", TrainRequest{}.averaged.proximal))
      ->group("Networks");
}

}  // namespace sotto
