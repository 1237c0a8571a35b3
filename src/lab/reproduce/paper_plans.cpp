#include "lab/reproduce/paper_plans.h"

#include <fmt/core.h>

#include <array>

#include "base/assert.h"
#include "lab/reproduce/knowledge_data.h"
#include "lab/reproduce/knowledge_plans.h"
#include "lab/reproduce/paper_data.h"
#include "lab/reproduce/targets.h"

namespace sotto {

namespace {

// Validation: precision at 10 on the newest fifth of the training part, seed 1, by commands like
//   sotto train --data movielens-1m/ratings.dat --min-user 20 --validation 0.2 --early-stop P@10
//     --patience 100 --variant sfpl+ --rounds-per-epoch exchanges --mask redraw --lr .005 --factors 20
// over some of the papers' α, F and π (docs/results.md; --full searches them all). The "+" models get fewer
// epochs than validation would give them, to be quick. The seconds are those of one core.
constexpr auto none = PlanOrigin::nothing, validated = PlanOrigin::validation, given = PlanOrigin::given;

constexpr std::array plans{
    QuickPlan{"", "Random", none, 1, 1, R"(model = {name = "random"})"},
    QuickPlan{"", "Top-Pop", none, 1, 1, R"(model = {name = "toppop"})"},

    QuickPlan{"", "User-kNN", given, 1, 3, R"(model = {name = "userknn"}
knn = {neighbors = 50})"},
    QuickPlan{amazon_dm, "User-kNN", validated, 1, 3, R"(model = {name = "userknn"}
knn = {neighbors = 50})"},
    QuickPlan{italy, "User-kNN", validated, 1, 3, R"(model = {name = "userknn"}
knn = {neighbors = 100})"},
    QuickPlan{movielens_1m, "User-kNN", validated, 1, 3, R"(model = {name = "userknn"}
knn = {neighbors = 100})"},
    QuickPlan{"", "Item-kNN", given, 1, 3, R"(model = {name = "itemknn"}
knn = {neighbors = 10})"},
    QuickPlan{amazon_dm, "Item-kNN", validated, 1, 3, R"(model = {name = "itemknn"}
knn = {neighbors = 10})"},
    QuickPlan{italy, "Item-kNN", validated, 1, 3, R"(model = {name = "itemknn"}
knn = {neighbors = 10})"},
    QuickPlan{movielens_1m, "Item-kNN", validated, 1, 3, R"(model = {name = "itemknn"}
knn = {neighbors = 100})"},

    QuickPlan{"", "VAE", given, 1, 90, R"(model = {name = "multvae", epochs = 40}
neural = {hidden = 200, latent = 100, batch = 200, anneal_epochs = 40})"},
    QuickPlan{amazon_dm, "VAE", validated, 1, 80, R"(model = {name = "multvae", epochs = 32}
neural = {hidden = 200, latent = 100, batch = 100, anneal_epochs = 40})"},
    QuickPlan{movielens_1m, "VAE", validated, 1, 45, R"(model = {name = "multvae", epochs = 39}
neural = {hidden = 200, latent = 100, batch = 250, anneal_epochs = 40, dropout = 0.7})"},
    QuickPlan{"", "BPR-MF", given, 3, 2, R"(model = {name = "bprmf", factors = 50, epochs = 50})"},
    QuickPlan{amazon_dm, "BPR-MF", validated, 3, 2, R"(model = {name = "bprmf", factors = 50, epochs = 50})"},
    QuickPlan{italy, "BPR-MF", validated, 3, 1, R"(model = {name = "bprmf", factors = 50, epochs = 30})"},
    QuickPlan{movielens_1m, "BPR-MF", validated, 3, 4,
              R"(model = {name = "bprmf", factors = 10, epochs = 40})"},
    QuickPlan{"", "FCF", given, 1, 10,
              R"(model = {name = "fcf", factors = 20, lambda = 5, confidence = 9, epochs = 15})"},
    QuickPlan{movielens_1m, "FCF", given, 1, 15,
              R"(model = {name = "fcf", factors = 20, lambda = 30, confidence = 0, epochs = 20})"},

    QuickPlan{"", "sFPL", given, 3, 1, R"(model = {factors = 50, epochs = 50}
federation = {variant = "sfpl"}
consent = {pi = 0.5})"},
    QuickPlan{amazon_dm, "sFPL", validated, 3, 1, R"(model = {factors = 50, epochs = 50}
federation = {variant = "sfpl"}
consent = {pi = 0.5})"},
    QuickPlan{italy, "sFPL", validated, 3, 1, R"(model = {factors = 50, epochs = 30}
federation = {variant = "sfpl"}
consent = {pi = 0.4})"},
    QuickPlan{movielens_1m, "sFPL", validated, 3, 6, R"(model = {factors = 50, epochs = 50}
federation = {variant = "sfpl"}
consent = {pi = 0.3})"},
    QuickPlan{"", "sFPL+", given, 3, 7, R"(model = {factors = 50, epochs = 30}
federation = {variant = "sfpl+"}
consent = {pi = 0.5})"},
    QuickPlan{amazon_dm, "sFPL+", validated, 3, 7, R"(model = {factors = 50, epochs = 30}
federation = {variant = "sfpl+"}
consent = {pi = 0.5})"},
    QuickPlan{italy, "sFPL+", validated, 3, 6, R"(model = {factors = 50, epochs = 20}
federation = {variant = "sfpl+"}
consent = {pi = 0.7})"},
    QuickPlan{movielens_1m, "sFPL+", validated, 1, 15, R"(model = {factors = 20, lr = 0.005, epochs = 1}
federation = {variant = "sfpl+"}
consent = {pi = 0.5})"},
    QuickPlan{"", "pFPL", given, 3, 1, R"(model = {factors = 50, epochs = 50}
federation = {variant = "pfpl"}
consent = {pi = 0.5})"},
    QuickPlan{amazon_dm, "pFPL", validated, 3, 1, R"(model = {factors = 50, epochs = 50}
federation = {variant = "pfpl"}
consent = {pi = 0.5})"},
    // Three times the papers' λ: validation prefers it.
    QuickPlan{
        movielens_1m, "pFPL", validated, 3, 4,
        R"(model = {factors = 50, epochs = 20, user_reg = 0.0075, positive_reg = 0.0075, negative_reg = 0.00075}
federation = {variant = "pfpl"}
consent = {pi = 0.3})"},
    QuickPlan{italy, "pFPL", validated, 3, 1, R"(model = {factors = 50, epochs = 20}
federation = {variant = "pfpl"}
consent = {pi = 0.4})"},
    QuickPlan{"", "pFPL+", given, 3, 7, R"(model = {factors = 50, epochs = 30}
federation = {variant = "pfpl+"}
consent = {pi = 0.5})"},
    QuickPlan{amazon_dm, "pFPL+", validated, 3, 7, R"(model = {factors = 50, epochs = 30}
federation = {variant = "pfpl+"}
consent = {pi = 0.5})"},
    QuickPlan{italy, "pFPL+", given, 3, 6, R"(model = {factors = 50, epochs = 20}
federation = {variant = "pfpl+"}
consent = {pi = 0.7})"},
    QuickPlan{movielens_1m, "pFPL+", validated, 1, 15, R"(model = {factors = 20, lr = 0.005, epochs = 1}
federation = {variant = "pfpl+"}
consent = {pi = 0.5})"},

    QuickPlan{"", "fedEASE", given, 1, 30, R"(model = {name = "fedease", lambda = 100})"},
    QuickPlan{movielens_1m, "fedEASE", given, 1, 20, R"(model = {name = "fedease", lambda = 3000})"},
    QuickPlan{"", "fedEASE, recent", given, 1, 30,
              R"(model = {name = "fedease", lambda = 100, recency = 5})"},
    QuickPlan{movielens_1m, "fedEASE, recent", given, 1, 20,
              R"(model = {name = "fedease", lambda = 1000, recency = 10})"},
    QuickPlan{"", "EASE", given, 1, 20, R"(model = {name = "ease", lambda = 100})"},
    QuickPlan{movielens_1m, "EASE", given, 1, 10, R"(model = {name = "ease", lambda = 3000})"},
    QuickPlan{"", "fedALS", given, 1, 20,
              R"(model = {name = "fedals", factors = 20, lambda = 5, confidence = 9, epochs = 10})"},
    QuickPlan{movielens_1m, "fedALS", given, 1, 20,
              R"(model = {name = "fedals", factors = 20, lambda = 30, confidence = 0, epochs = 15})"},
    QuickPlan{"", "iALS", given, 1, 20,
              R"(model = {name = "ials", factors = 64, lambda = 5, confidence = 9, epochs = 10})"},
    QuickPlan{movielens_1m, "iALS", given, 1, 10,
              R"(model = {name = "ials", factors = 20, lambda = 30, confidence = 0, epochs = 15})"},
};

Axis axis(const char* key, std::vector<std::string> values) { return {key, std::move(values), {}, ""}; }

std::vector<std::string> texts(const std::vector<double>& values) {
  std::vector<std::string> all;
  for (const double value : values) all.push_back(fmt::format("{:.1f}", value));
  return all;
}

// The papers' α and F.
std::vector<Axis> factor_axes() {
  return {axis("model.lr", {"0.005", "0.05", "0.5"}), axis("model.factors", {"10", "20", "50"})};
}

// Where T triples a visit make an epoch long, it gets fewer.
std::uint32_t most_epochs(std::string_view dataset, std::string_view model) {
  if (!model.ends_with('+')) return 50;
  if (dataset == movielens_1m) return 3;
  return dataset == brazil || dataset == librarything ? 20 : 50;
}

}  // namespace

TrainRequest paper_protocol() {
  TrainRequest request;
  request.plan.rounds_per_epoch = RoundsPerEpoch::exchanges;
  request.plan.consent.mask = MaskKind::redraw;
  request.plan.fpl.learning_rate = 0.05f;
  return request;
}

const QuickPlan& quick_plan(std::string_view dataset, std::string_view model) {
  const QuickPlan* found = is_knowledge_data(dataset) ? knowledge_plan(dataset, model) : nullptr;
  if (found != nullptr) return *found;
  for (const QuickPlan& plan : plans)
    if (plan.model == model && (plan.dataset == dataset || (plan.dataset.empty() && found == nullptr)))
      found = &plan;
  SOTTO_ASSERT(found != nullptr, "every model has a plan for any data");
  return *found;
}

Result<TrainRequest> request_of(const QuickPlan& plan) {
  return from_toml(std::string(plan.toml), fmt::format("the plan of {}", plan.model),
                   plan.knowledge ? knowledge_protocol() : paper_protocol());
}

std::vector<double> quick_pis() { return {0.1, 0.5, 1.0}; }

std::vector<double> full_pis() { return {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}; }

FullPlan full_plan(std::string_view dataset, std::string_view model) {
  if (is_knowledge_data(dataset)) return knowledge_full_plan(model);
  if (model == "User-kNN" || model == "Item-kNN") {
    std::vector<std::string> counts;
    for (int k = 10; k <= 100; k += 10) counts.push_back(fmt::format("{}", k));
    return {{axis("knn.neighbors", std::move(counts))}, 0};
  }
  if (is_fpl_label(model)) {
    std::vector<Axis> grid = factor_axes();
    grid.push_back(axis("consent.pi", texts(full_pis())));
    return {std::move(grid), most_epochs(dataset, model)};
  }
  if (model == "BPR-MF") return {factor_axes(), 50};
  if (model == "VAE")
    return {{axis("neural.hidden", {"200", "300", "600"}), axis("neural.latent", {"100", "200"})}, 100};
  if (model == "FCF")
    return {
        {axis("model.factors", {"10", "20", "50"}), axis("federation.server_lr", {"0.01", "0.05", "0.1"})},
        50};
  if (model == "EASE" || model == "fedEASE")
    return {{axis("model.lambda", {"30", "100", "300", "1000", "3000"})}, 0};
  if (model == "fedEASE, recent")
    return {{axis("model.lambda", {"100", "300", "1000"}), axis("model.recency", {"5", "10", "20"})}, 0};
  if (model == "iALS" || model == "fedALS")
    return {{axis("model.factors", {"20", "64"}), axis("model.lambda", {"0.1", "1", "5"}),
             axis("model.confidence", {"1", "10", "40"})},
            15};
  return {};
}

Search full_search(std::string_view dataset) {
  if (is_knowledge_data(dataset)) return knowledge_search();
  Search search;
  search.method = SearchMethod::halving;
  search.metric = "P@10";
  search.trials = 27;
  return search;
}

}  // namespace sotto
