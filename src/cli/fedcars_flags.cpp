#include "cli/fedcars_flags.h"

#include <fmt/core.h>

namespace sotto {

namespace {

constexpr const char* fedcars_group = "Fed-CARS";

template <class Number, class Member>
void add_number(CLI::App& app, Edits<TrainRequest>& edits, const char* name, const char* help,
                Member member) {
  FedcarsRequest usual;
  add_edit<Number>(app, edits, name, help,
                   [member](TrainRequest& request, const Number& value) { member(request.fedcars) = value; })
      ->type_name("N")
      ->default_str(fmt::format("{}", member(usual)))
      ->group(fedcars_group);
}

template <class Member, class Parse>
void add_word(CLI::App& app, Edits<TrainRequest>& edits, const char* name, const char* help,
              const char* usual, Member member, Parse parse) {
  add_edit<std::string>(app, edits, name, help,
                        [member, parse](TrainRequest& request, const std::string& value) -> Status {
                          SOTTO_TRY(member(request.fedcars), parse(value));
                          return Done{};
                        })
      ->type_name("NAME")
      ->default_str(usual)
      ->group(fedcars_group);
}

void add_off_switch(CLI::App& app, Edits<TrainRequest>& edits, const char* name, const char* help,
                    bool FedcarsRequest::*member) {
  app.add_flag_callback(
         name,
         [&edits, member] {
           edits.push_back([member](TrainRequest& request) -> Status {
             request.fedcars.*member = false;
             return Done{};
           });
         },
         help)
      ->group(fedcars_group);
}

void add_choice_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  using Of = FedcarsRequest;
  add_number<std::uint32_t>(
      app, edits, "--choice-negatives", "items that were not chosen, for each chosen one",
      [](Of & of) -> auto& { return of.negatives; });
  add_number<std::uint32_t>(
      app, edits, "--choice-steps", "inner steps for choices",
      [](Of & of) -> auto& { return of.choice.steps; });
  add_number<float>(
      app, edits, "--choice-inner-lr", "their rate", [](Of & of) -> auto& { return of.choice.rate; });
  add_number<float>(
      app, edits, "--choice-own-reg", "as --own-reg, for choices",
      [](Of & of) -> auto& { return of.choice.own_reg; });
  add_number<float>(
      app, edits, "--choice-shared-reg", "as --shared-reg, for choices",
      [](Of & of) -> auto& { return of.choice.shared_reg; });
  add_number<float>(
      app, edits, "--choice-rate", "how much longer the server's steps are for choices",
      [](Of & of) -> auto& { return of.choice_rate; });
  add_number<float>(
      app, edits, "--choice-recency", "as --recency, for choices; 0: the same",
      [](Of & of) -> auto& { return of.choice_recency; });
}

}  // namespace

void add_fedcars_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  using Of = FedcarsRequest;
  add_number<std::uint32_t>(
      app, edits, "--inner-steps", "steps a device adapts by",
      [](Of & of) -> auto& { return of.rating.steps; });
  add_number<float>(
      app, edits, "--inner-lr", "their rate, alpha", [](Of & of) -> auto& { return of.rating.rate; });
  add_number<float>(
      app, edits, "--own-reg", "pulls the own row to where everybody's starts",
      [](Of & of) -> auto& { return of.rating.own_reg; });
  add_number<float>(
      app, edits, "--shared-reg", "pulls the shared rows to 0",
      [](Of & of) -> auto& { return of.rating.shared_reg; });
  add_number<float>(
      app, edits, "--error-bend", "errors of more stars count by their distance, not its square; 0: squared",
      [](Of & of) -> auto& { return of.error_bend; });
  add_word(
      app, edits, "--order", "of the meta-gradient: first or second", "second",
      [](Of & of) -> auto& { return of.rating.order; }, parse_maml_order);
  add_word(
      app, edits, "--adapts", "what inner steps move: own (the person's row) or all (the paper's letter)",
      "own", [](Of & of) -> auto& { return of.rating.adapts; }, parse_adapts);
  add_word(
      app, edits, "--query",
      "where the outer step's examples come from: training, or test (the paper's letter; it leaks)",
      "training", [](Of & of) -> auto& { return of.query; }, parse_query_from);
  add_number<float>(
      app, edits, "--query-share", "of a visit's records that are asked",
      [](Of & of) -> auto& { return of.query_share; });
  add_number<float>(
      app, edits, "--few-share", "of the visits that play somebody new, with a handful of records",
      [](Of & of) -> auto& { return of.few_share; });
  add_number<std::uint32_t>(
      app, edits, "--mlp", "units of a network on top of the factorisation machine",
      [](Of & of) -> auto& { return of.hidden; });
  add_number<double>(
      app, edits, "--participation", "share of the people who answer; the others only receive the model",
      [](Of & of) -> auto& { return of.participation; });
  add_off_switch(app, edits, "--random-start", "item biases start at 0, not from a first round that counts",
                 &Of::popularity_start);
  add_off_switch(app, edits, "--ratings-only", "do not learn what people choose; rank by predicted ratings",
                 &Of::choices);
  add_choice_flags(app, edits);
}

}  // namespace sotto
