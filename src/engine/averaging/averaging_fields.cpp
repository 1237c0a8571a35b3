// The rows of the table of fields that federated averaging has: examples and how they are dealt, the network,
// rounds, and criteria that examples can tell.
#include "engine/averaging/averaging_request.h"
#include "engine/plan/shared_fields.h"
#include "fed/criteria/example_facts.h"

namespace sotto::engine {

namespace {

using namespace fields;

// Other models have options of the same names, of other sizes.
constexpr const char* scope = "classifiers";

template <class T>
auto of_examples(T ExamplesRequest::*member) {
  return [member](auto& request) -> auto& { return request.data.examples.*member; };
}

template <class T>
auto of_people(T OwnerDeal::*member) {
  return [member](auto& request) -> auto& { return request.data.examples.people.*member; };
}

template <class T>
auto of_network(T ClassifierOptions::*member) {
  return [member](auto& request) -> auto& {
    return request.model.template own<AveragingOptions>().classifier.*member;
  };
}

template <class T>
auto of_local(T LocalTraining::*member) {
  return [member](auto& request) -> auto& {
    return request.model.template own<AveragingOptions>().local.*member;
  };
}

// A list that may be empty and then is written as such.
template <class At>
Field sizes(FieldText text, At at) {
  Field list = with_commas(field(std::move(text), at));
  list.get = [get = list.get](const TrainRequest& request) {
    const auto value = get(request);
    return value ? value : PlanValue{{}, true};
  };
  return list;
}

Field taken(const Fields& from, std::string_view path, std::string help) {
  const auto found = std::ranges::find(from, path, &Field::path);
  SOTTO_ASSERT(found != from.end(), "a row is taken of those that there are");
  return found->with_help(std::move(help));
}

Fields example_fields() {
  const Fields of_all = data_fields();
  Fields all{
      taken(of_all, "data.paths",
            "a folder with MNIST's idx files, or CelebA's lists of people and attributes"),
      toggle({"data.generate", "--generate", "",
              "generate examples: small pictures of ten classes, or attributes with --deal people"},
             of_examples(&ExamplesRequest::generate)),
      field({"data.examples", "--examples", "N", "examples to generate; a sixth of them are for testing"},
            of_examples(&ExamplesRequest::count)),
      named({"data.deal", "--deal", "HOW",
             "iid, shards (two labels per device), or people (each holds their own)"},
            of_examples(&ExamplesRequest::deal), parse_deal_kind, {"iid", "shards", "people"}),
      field({"data.devices", "--devices", "N", "devices that iid and shards deal to; 0: 100"},
            of_examples(&ExamplesRequest::devices)),
      field({"data.most_devices", "--most-devices", "N", "use N of the devices, drawn at random; 0: all"},
            of_examples(&ExamplesRequest::most_devices)),
      field({"data.most_examples", "--most-examples", "N",
             "training examples per device, drawn at random from its own; 0: all"},
            of_examples(&ExamplesRequest::most_examples)),
      taken(of_all, "split.validation_share",
            "share of a device's training examples to hold out for validation"),
      field({"data.sample", "--sample", "SHARE", "with --deal people: share of all examples to use"},
            of_people(&OwnerDeal::sample_share)),
      field({"data.least", "--least", "N", "with --deal people: leave out anyone with fewer examples"},
            of_people(&OwnerDeal::least))};
  for (Field& field : all) field = field.in_group("Examples");
  return all;
}

Fields network_fields() {
  Fields all{
      named({"neural.network", "--network", "KIND", "cnn (minutes on a few cores) or dense (seconds)"},
            of_network(&ClassifierOptions::kind), parse_classifier_kind, {"cnn", "dense"}),
      field({"neural.filter", "--filter", "N", "cnn: rows and columns of a filter"},
            of_network(&ClassifierOptions::filter)),
      sizes({"neural.channels", "--channels", "LIST", "cnn: filters per convolutional layer"},
            of_network(&ClassifierOptions::channels)),
      sizes({"neural.hidden", "--hidden", "LIST", "sizes of the dense layers before the last; empty: none"},
            of_network(&ClassifierOptions::hidden)),
      named({"neural.accelerator", "--accelerator", "KIND", "where devices train: cpu or cuda"},
            of_network(&ClassifierOptions::accelerator), parse_accelerator, {"cpu", "cuda"}),
      field({"neural.batch", "--batch", "N", "examples per local step; 0: all"},
            of_local(&LocalTraining::batch)),
      field({"model.lr", "--lr", "RATE", "learning rate of the local steps"},
            of_local(&LocalTraining::rate))};
  for (Field& field : all) field = field.in_group("Model").of_scope(scope);
  return all;
}

Fields round_fields() {
  Field until{.path = "averaging.until",
              .flag = "--until",
              .type = "GOAL",
              .help = "stop when this goal is reached: 50%@95% is half of the devices at 95% accuracy"};
  until.get = [](const TrainRequest& request) -> std::optional<PlanValue> {
    const auto& goal = request.model.own<AveragingOptions>().until;
    if (!goal) return std::nullopt;
    return PlanValue{{to_string(*goal)}};
  };
  until.set = [](TrainRequest& request, const PlanValue& value) -> Status {
    std::string text;
    if (value.list) return fail(Code::usage, "one value is needed, not a list");
    SOTTO_TRY_DONE(take(value.parts.front(), text));
    SOTTO_TRY(request.model.own<AveragingOptions>().until, parse_goal(text));
    return Done{};
  };
  Fields all{
      field({"averaging.rounds", "--rounds", "N", "rounds of communication"}, own(&AveragingOptions::rounds)),
      field({"federation.cohort", "--cohort", "SHARE", "share of the devices per round"},
            own(&AveragingOptions::cohort)),
      field(
          {"averaging.local_epochs", "--local-epochs", "N", "passes of a device over its examples per round"},
          of_local(&LocalTraining::epochs)),
      field({"averaging.proximal", "--proximal", "MU",
             "how strongly a device is held to the model it received"},
            of_local(&LocalTraining::proximal)),
      field({"averaging.evaluate_every", "--evaluate-every", "N",
             "rounds between two evaluations on the devices' test examples"},
            own(&AveragingOptions::evaluate_every)),
      std::move(until),
      toggle({"averaging.choose_order", "--choose-order", "",
              "try other orders of the criteria when the cohort's validation gets worse, and keep the best"},
             own(&AveragingOptions::choose_order))};
  for (Field& field : all) field = field.in_group("Federation").of_scope(scope);
  return all;
}

Fields weighing_fields() {
  std::string names;
  for (const Criterion criterion : example_criteria())
    names += fmt::format("{}{} {}", names.empty() ? "" : ", ", criterion->short_name, criterion->name);
  const Fields of_all = criteria_fields();
  return {taken(of_all, "criteria.order",
                "criteria in order of priority, such as 'DS>LD>MW': " + names +
                    "; without any, all devices count equally"),
          taken(of_all, "criteria.score", std::ranges::find(of_all, "criteria.score", &Field::path)->help),
          taken(of_all, "criteria.weights",
                "for mean and owa: one per criterion; for choquet: one per set of criteria, such as "
                "0,0.5,0.3,1 for none, the first, the second and both"),
          taken(of_all, "criteria.size_bound", "examples from which a device counts fully by size")
              .with_standard("the most that a device has")};
}

}  // namespace

Fields averaging_fields() {
  Fields server = server_step("sgd");
  for (Field& field : server)  // the whole step is the papers' average, whatever makes it
    if (field.flag == "--server-lr") field = field.with_standard("1");
  return joined(
      {example_fields(), network_fields(), server, round_fields(), weighing_fields(), sum_fields()});
}

}  // namespace sotto::engine
