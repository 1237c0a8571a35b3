#include "engine/plan/shared_fields.h"

#include "metrics/metric_name.h"

namespace sotto::engine::fields {

namespace {

constexpr const char* model_group = "Model";
constexpr const char* federation_group = "Federation";

template <class T>
auto of_plan(T Plan::*member) {
  return [member](auto& request) -> auto& { return request.plan.*member; };
}

template <class T>
auto of_fpl(T FplOptions::*member) {
  return [member](auto& request) -> auto& { return request.plan.fpl.*member; };
}

template <class T>
auto of(T TrainRequest::*member) {
  return [member](auto& request) -> auto& { return request.*member; };
}

template <class T>
auto of_server(T ServerRequest::*member) {
  return [member](auto& request) -> auto& { return request.server.*member; };
}

}  // namespace

Fields step_fields() {
  constexpr std::uint32_t usual_patience = 5;
  const auto early = [](auto member) {
    return [member](auto& request) -> auto& { return request.early.*member; };
  };
  const char* group = "Judging";
  return {
      field({"early_stopping.metric", "", "METRIC", "the metric to watch"}, early(&EarlyStopping::metric)),
      setter({"", "--early-stop", "METRIC",
              "stop when this metric on the validation part no longer improves, such as nDCG@10"},
             [](TrainRequest& request, const std::string& metric) -> Status {
               request.early.metric = metric;
               if (request.early.patience == 0) request.early.patience = usual_patience;
               return Done{};
             })
          .in_group(group),
      field({"early_stopping.every", "--eval-every", "N", "epochs between two evaluations"},
            early(&EarlyStopping::every))
          .in_group(group),
      field({"early_stopping.patience", "--patience", "N",
             "evaluations without improvement before training stops"},
            early(&EarlyStopping::patience))
          .with_standard("5 with --early-stop")
          .in_group(group),
      field({"federation.log_every", "--log-every", "N",
             "rounds per line of rounds.jsonl; 0: one, or more in long epochs"},
            of(&TrainRequest::log_every))
          .in_group("Run")};
}

Field seed() {
  Field seed = field({"seed", "", "N", "seed of everything that is drawn"}, of_plan(&Plan::seed));
  seed.common = true;
  return seed;
}

Fields common_fields() {
  Fields all =
      joined({{seed()},
              data_fields(),
              knowledge_fields(),
              context_fields(),
              {with_commas(field({"evaluation.cutoffs", "--cutoffs", "LIST",
                                  "lengths of the judged lists, such as 1,10"},
                                 of(&TrainRequest::cutoffs)))
                   .in_group("Judging"),
               field({"evaluation.users", "--eval-users", "N", "judge a sample of N users; 0: everybody"},
                     of(&TrainRequest::eval_users))
                   .in_group("Judging")}});
  for (Field& field : all) field.common = true;
  return all;
}

Field factors() {
  return field({"model.factors", "--factors", "N", "length of the vectors"}, of_fpl(&FplOptions::factors))
      .with_tries({"10", "20", "50", "100"})
      .in_group(model_group);
}

Field learning_rate() {
  return field({"model.lr", "--lr", "N", "learning rate α"}, of_fpl(&FplOptions::learning_rate))
      .with_tries({"0.005", "0.05", "0.1"})
      .in_group(model_group);
}

Field epochs() {
  return field({"model.epochs", "--epochs", "N", "epochs"}, of_plan(&Plan::epochs)).in_group(model_group);
}

Field init_sd() {
  return field({"model.init_sd", "--init-sd", "SD", "standard deviation of the starting vectors"},
               of_fpl(&FplOptions::init_sd))
      .in_group(model_group);
}

Field user_reg() {
  return field({"model.user_reg", "--user-reg", "L", "λ of user vectors"}, of(&TrainRequest::user_reg))
      .with_standard("lr/20")
      .in_group(model_group);
}

Field positive_reg() {
  return field({"model.positive_reg", "--positive-reg", "L", "λ of consumed items"},
               of(&TrainRequest::positive_reg))
      .with_standard("lr/20")
      .in_group(model_group);
}

Field negative_reg() {
  return field({"model.negative_reg", "--negative-reg", "L", "λ of other items"},
               of(&TrainRequest::negative_reg))
      .with_standard("lr/200")
      .in_group(model_group);
}

Field average_last() {
  return field({"model.average_last", "--average-last", "N",
                "average the models after the last N epochs; 0: use the last one"},
               of(&TrainRequest::average_last))
      .in_group(model_group);
}

Field lambda(float standard) {
  return field({"model.lambda", "--lambda", "L", "weight of the squared lengths in the loss"},
               of(&TrainRequest::lambda))
      .with_standard(fmt::format("{}", standard))
      .in_group(model_group);
}

Field recency() {
  return field(
             {"model.recency", "--recency", "N",
              "half-life in items: older items count less for the list; 0: all count equally (needs times)"},
             of(&TrainRequest::recency))
      .with_tries({"0.0", "5.0", "10.0", "50.0"})
      .in_group(model_group);
}

Field neighbors(const char* help) {
  return field(
             {"knn.neighbors", "--neighbors", "N", help},
             [](auto& request) -> auto& { return request.knn.neighbors; })
      .with_tries({"20", "50", "100", "200"})
      .in_group(model_group);
}

Field shrink() {
  return field(
             {"knn.shrink", "--shrink", "N", "shrinkage of the similarity"},
             [](auto& request) -> auto& { return request.knn.shrink; })
      .in_group(model_group);
}

Field similarity() {
  return named({"knn.similarity", "--similarity", "NAME", "how similarity is measured"},
               [](auto& request) -> auto& { return request.knn.similarity; }, parse_similarity,
               {"cosine", "jaccard", "pearson"})
      .in_group(model_group);
}

Field cohort() {
  return field(
             {"federation.cohort", "--cohort", "SHARE", "share of the users per round; 0: exactly one user"},
             of_plan(&Plan::cohort))
      .in_group(federation_group);
}

Field triples() {
  Field triples = field({"federation.triples", "--triples", "T|mean",
                         "triples per visit, T; mean: as many as the mean history has items"},
                        of_plan(&Plan::triples))
                      .with_standard("mean")
                      .in_group(federation_group);
  triples.kind = WordKind::text;
  triples.set = [set = triples.set](TrainRequest& request, const PlanValue& value) -> Status {
    const auto* word = value.list ? nullptr : std::get_if<std::string>(&value.parts.front());
    return word != nullptr ? set_triples(request.plan, *word) : set(request, value);
  };
  return triples;
}

Fields server_step(const char* standard) {
  return {named({"federation.server", "--server", "KIND", "how the server applies what devices sent"},
                of_server(&ServerRequest::step), parse_server_step, {"adam", "sgd", "momentum"})
              .with_standard(standard)
              .in_group(federation_group),
          field({"federation.server_lr", "--server-lr", "N", "learning rate of the server's step"},
                of_server(&ServerRequest::rate))
              .with_standard("the step's own")
              .in_group(federation_group),
          field({"federation.beta1", "--beta1", "N", "Adam's decay of the mean"},
                of_server(&ServerRequest::beta1))
              .in_group(federation_group),
          field({"federation.beta2", "--beta2", "N", "Adam's decay of the squares"},
                of_server(&ServerRequest::beta2))
              .in_group(federation_group)};
}

Field wire() {
  return toggle({"federation.wire", "--wire", "",
                 "encode and decode every message, as a network would: slow, the same model"},
                of(&TrainRequest::wire))
      .in_group(federation_group);
}

}  // namespace sotto::engine::fields
