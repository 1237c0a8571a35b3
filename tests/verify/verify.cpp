// Real-data figures beside their expectations: `./dev verify [--quick]`. Every line is one figure, measured
// now; a miss makes the program fail. The papers' protocol: at least 20 items a user, temporal 80/20.
#include <cstdlib>

#include "engine/models/als.h"
#include "engine/models/networks.h"
#include "tests/verify/cars_rows.h"
#include "tests/verify/exchange_figures.h"
#include "tests/verify/knowledge_rows.h"
#include "tests/verify/poison_figures.h"
#include "tests/verify/verification.h"

namespace sotto::tests {
namespace {

const std::string amazon = "amazon-digital-music";
const std::string movies = "movielens-1m/ratings_ranked.tsv.zst";
const std::string small_movies = "movielens-100k/u.data.zst";

std::function<void(TrainRequest&)> model(std::string_view kind, std::uint32_t neighbors = 50) {
  return [=](TrainRequest& request) {
    request.model = kind;
    request.knn.neighbors = neighbors;
  };
}

std::function<void(TrainRequest&)> fpl(const char* variant, std::uint32_t factors, double pi,
                                       std::uint32_t epochs,
                                       RoundsPerEpoch rule = RoundsPerEpoch::exchanges) {
  return [=](TrainRequest& request) {
    static_cast<void>(set_variant(request.plan, variant).ok());
    request.plan.fpl.factors = factors;
    request.plan.consent = {pi, MaskKind::redraw};
    request.plan.epochs = epochs;
    request.plan.rounds_per_epoch = rule;
  };
}

std::function<void(TrainRequest&)> bpr(std::uint32_t factors, std::uint32_t epochs) {
  return [=](TrainRequest& request) {
    request.model = "bprmf";
    request.plan.fpl.factors = factors;
    request.plan.epochs = epochs;
  };
}

std::function<void(TrainRequest&)> solved(std::string_view kind, float lambda) {
  return [=](TrainRequest& request) {
    request.model = kind;
    request.lambda = lambda;
  };
}

std::function<void(TrainRequest&)> recent(float lambda, float half_life) {
  return [=](TrainRequest& request) {
    solved("fedease", lambda)(request);
    request.recency = half_life;
  };
}

// The item-item models.
std::vector<Row> item_model_rows() {
  const auto walk = [](TrainRequest& request) {
    request.model = "fedrp3beta";
    request.knn.neighbors = 1000;
  };
  return {
      {small_movies,
       "EASE, lambda 100",
       solved("ease", 100.0f),
       1,
       {about("P@10", .17169, .0003), about("R@10", .13179, .0003), about("IC@10", 494, 5)}},
      {small_movies, "federated EASE, lambda 100", solved("fedease", 100.0f), 1, {at_least("P@10", .170)}},
      {movies,
       "EASE, lambda 1000",
       solved("ease", 1000.0f),
       1,
       {about("P@10", .12866, .0003), about("R@10", .07536, .0003), about("IC@10", 1078, 5)}},
      {movies,
       "federated EASE, lambda 3000 (central .12613)",
       solved("fedease", 3000.0f),
       1,
       {at_least("P@10", .131), about("P@10", .13124, .0003), about("R@10", .07425, .0003)}},
      {amazon, "EASE, lambda 100", solved("ease", 100.0f), 1, {about("P@10", .02065, .0002)}},
      {amazon, "federated EASE, lambda 100", solved("fedease", 100.0f), 1, {at_least("P@10", .0200)}, false},
      {amazon,
       "federated EASE, recency 10 (central .02147)",
       recent(100.0f, 10.0f),
       1,
       {at_least("P@10", .02147), at_least("R@10", .03171)},
       false},
      {movies,
       "federated EASE, recency 10 (central .12613)",
       recent(1000.0f, 10.0f),
       1,
       {at_least("P@10", .12613), about("P@10", .18505, .0005), about("R@10", .10665, .0005)}},
      {amazon, "federated RP3b, k=1000", walk, 1, {about("P@10", .01940, .0003)}},
  };
}

// Federated EASE under central differential privacy, δ = 1e-6 (docs/adr/0012).
Row private_ease(double epsilon, double precision) {
  const auto set = [=](TrainRequest& request) {
    recent(100.0f, 10.0f)(request);
    request.dp.place = "central";
    request.dp.epsilon = epsilon;
  };
  return {movies,
          fmt::format("private EASE, epsilon {} (top-pop .1017)", epsilon),
          set,
          3,
          {about("P@10", precision, .003)}};
}

// Models of least squares. The α of other programs is often the whole weight of a consumed item: here it is
// what is added to 1.
std::function<void(TrainRequest&)> squares(std::string_view kind, std::uint32_t factors, float lambda,
                                           float alpha, std::uint32_t epochs) {
  return [=](TrainRequest& request) {
    request.model = kind;
    request.plan.fpl.factors = factors;
    request.plan.epochs = epochs;
    request.lambda = lambda;
    request.model.own<AlsSettings>().confidence = alpha;
  };
}

// MultVAE 200-100-200 at the usual rate; β reaches 0.2 after 40 epochs.
std::function<void(TrainRequest&)> vae(std::uint32_t batch, std::uint32_t epochs, float dropout) {
  return [=](TrainRequest& request) {
    request.model = "multvae";
    request.plan.epochs = epochs;
    request.model.own<NetworkSettings>().neural.batch = batch;
    request.model.own<NetworkSettings>().neural.vae.hidden = 200;
    request.model.own<NetworkSettings>().neural.vae.latent = 100;
    request.model.own<NetworkSettings>().neural.vae.dropout = dropout;
    request.model.own<NetworkSettings>().neural.vae.anneal_epochs = 40;
  };
}

// What the data and the exact models must give.
std::vector<Row> data_rows() {
  return {
      {amazon,
       "top-pop (thesis 4.2)",
       model("toppop"),
       1,
       {about("users", 1835, 0), about("items", 34526, 0), about("train", 61408, 0), about("test", 14524, 0),
        about("P@10", .0047, .0003), about("IC@10", 24, 2)}},
      {movies,
       "top-pop (thesis 4.2)",
       model("toppop"),
       1,
       {about("users", 6040, 0), about("P@10", .102, .001), about("IC@10", 117, 3)}},
      {"foursquare-italy",
       "top-pop (counts of thesis 4.1)",
       [](TrainRequest& r) { r.model = "toppop"; },
       1,
       {about("users", 1353, 0), about("train", 54088, 0), about("test", 12883, 0)}},
      {small_movies, "top-pop", model("toppop"), 1, {about("P@10", .10636, .0005)}},
      {amazon,
       "user-kNN, k=50",
       model("userknn", 50),
       1,
       {about("P@10", .01940, .01940 * .03), about("R@10", .02766, .02766 * .03)}},
      {movies,
       "user-kNN, k=100 (printed .12613)",
       model("userknn", 100),
       1,
       {about("P@10", .12682, .0003), about("R@10", .06763, .0003), about("IC@10", 743, 5)}},
      {movies,
       "user-kNN, k=50",
       model("userknn", 50),
       1,
       {about("P@10", .12427, .0003), about("IC@10", 941, 5)}},
      {amazon, "item-kNN, k=10", model("itemknn", 10), 1, {about("P@10", .01640, .0006)}},
      {amazon, "item-kNN, k=100", model("itemknn", 100), 1, {about("P@10", .01292, .0006)}},
      {movies,
       "item-kNN, k=10",
       model("itemknn", 10),
       1,
       {about("P@10", .11035, .0003), about("IC@10", 1455, 5)}},
      {movies,
       "item-kNN, k=100",
       model("itemknn", 100),
       1,
       {about("P@10", .11727, .0003), about("IC@10", 1315, 5)}},
  };
}

// Three times the papers' λ.
void threefold_reg(TrainRequest& request) {
  const float rate = request.plan.fpl.learning_rate;
  request.user_reg = request.positive_reg = 3.0f * rate / 20.0f;
  request.negative_reg = 3.0f * rate / 200.0f;
}

// Three seeds, at or above the printed precision and recall.
Row learned(const std::string& data, std::string name, std::function<void(TrainRequest&)> set,
            double precision, double recall, bool quick) {
  return {data, std::move(name), std::move(set), 3, {at_least("P@10", precision), at_least("R@10", recall)},
          quick};
}

// What must be learned. How the plans were chosen: docs/results.md.
std::vector<Row> learned_rows() {
  // The plan that validation picks in the papers' grid. The model after one round is 3% under the printed
  // precision, by chance of where the round ends; the mean over ten epochs is not (docs/results.md).
  const auto pfpl_movies = [](TrainRequest& request) {
    fpl("pfpl", 20, .2, 30)(request);
    request.average_last = 10;
  };
  const auto steps = fpl("sfpl+", 20, .5, 50, RoundsPerEpoch::steps);
  return {
      {amazon,
       "sFPL+ F=10 pi=1, 10 epochs (authors' setting)",
       fpl("sfpl+", 10, 1.0, 10),
       3,
       {about("P@10", .01003, .01003 * .15), about("R@10", .01315, .01315 * .15)}},
      learned(amazon, "sFPL  F=50 pi=.5, 50 epochs", fpl("sfpl", 50, .5, 50), .00610, .00889, true),
      learned(amazon, "sFPL+ F=50 pi=.5, 30 epochs", fpl("sfpl+", 50, .5, 30), .01422, .02060, false),
      learned(amazon, "pFPL  F=50 pi=.5, 50 epochs", fpl("pfpl", 50, .5, 50), .00812, .01165, true),
      // Its own printed row is lost: it must not fall below sFPL+'s.
      learned(amazon, "pFPL+ F=50 pi=.5, 30 epochs", fpl("pfpl+", 50, .5, 30), .01422, .02060, false),
      learned(amazon, "BPR-MF F=50, 50 epochs", bpr(50, 50), .00921, .01298, true),
      learned(movies, "sFPL  F=50 pi=.3, 40 epochs", fpl("sfpl", 50, .3, 40), .11805, .05902, false),
      learned(movies, "sFPL+ F=20 pi=.5, 50 epochs of steps", steps, .11599, .05571, false),
      learned(movies, "pFPL  F=20 pi=.2, 30 epochs, mean of 10", pfpl_movies, .12275, .05806, true),
      learned(movies, "pFPL  F=50 pi=.4, 40 epochs", fpl("pfpl", 50, .4, 40), .119, .05806, false),
      learned(movies, "BPR-MF F=10, 40 epochs", bpr(10, 40), .11911, .05817, true),
      learned(amazon, "MultVAE 200-100-200, 32 epochs", vae(100, 32, 0.5f), .01580, .02289, false),
      learned(movies, "MultVAE 200-100-200, 39 epochs, dropout .7", vae(250, 39, 0.7f), .11735, .06192,
              false),
      {movies,
       "iALS F=20 lambda=.01 weight 1 (.12152/800)",
       squares("ials", 20, .01f, 0.0f, 15),
       3,
       {about("P@10", .12152, .002), about("R@10", .06613, .003), about("IC@10", 800, 40)}},
      learned(movies, "iALS F=20 lambda=30 weight 1", squares("ials", 20, 30.0f, 0.0f, 15), .124, .063, true),
      // At or above the best central model that is printed (user-kNN).
      learned(movies, "federated ALS F=30 lambda=40 weight 1", squares("fedals", 30, 40.0f, 0.0f, 12), .12613,
              .063, true),
      {amazon,
       "iALS F=200 lambda=5 weight 10 (.01978)",
       squares("ials", 200, 5.0f, 9.0f, 5),
       1,
       {at_least("P@10", .0190), at_least("R@10", .0285)},
       false},
      learned(movies, "FCF F=20 lambda=30 weight 1, 20 rounds", squares("fcf", 20, 30.0f, 0.0f, 20), .10760,
              .04392, false),
      learned(amazon, "FCF F=20 lambda=5 weight 10, 15 rounds", squares("fcf", 20, 5.0f, 9.0f, 15), .00839,
              .01222, false),
  };
}

// Poisoning: temporal 80/20, 5% of the users malicious, every attack, three cold targets a seed.
std::vector<Row> poison_rows() {
  const auto plan = [](TrainRequest& request) {
    fpl("pfpl+", 20, 1.0, 100, RoundsPerEpoch::steps)(request);
    request.plan.fpl.init_sd = 0.01f;
  };
  Row row{small_movies,
          "pFPL+ F=20 poisoned, worst of four attacks",
          plan,
          3,
          {at_least("attacked ER", .5), at_most("defended ER", .05), at_most("HR loss", .05)},
          false};
  row.study = poison_figures;
  return {row};
}

// One exchange with the model in 8 bits, as a delta from the device's last visit
// (fed/wire/published_model.h).
std::vector<Row> exchange_rows() {
  const auto small_plan = [](TrainRequest& request) {
    fpl("pfpl+", 20, 1.0, 40, RoundsPerEpoch::steps)(request);
    request.plan.fpl.init_sd = 0.01f;
  };
  const auto plan = [](TrainRequest& request) {
    fpl("pfpl", 50, .3, 16)(request);
    threefold_reg(request);
  };
  const std::vector<Expected> expected{at_least("less", 4.0), at_most("loss", .01)};
  Row small{small_movies, "pFPL+ F=20, an exchange in 8 bits", small_plan, 1, expected};
  Row large{movies, "pFPL  F=50 pi=.3, an exchange in 8 bits", plan, 1, expected, false};
  small.study = large.study = exchange_figures;
  return {small, large};
}

int run(const std::string& folder, bool quick) {
  Verification verification(folder);
  std::vector<Row> rows = data_rows();
  for (Row& row : item_model_rows()) rows.push_back(std::move(row));
  for (Row& row : learned_rows()) rows.push_back(std::move(row));
  for (const auto& [epsilon, precision] :
       {std::pair(1.0, .1259), std::pair(2.0, .1418), std::pair(4.0, .1534), std::pair(8.0, .1590)})
    rows.push_back(private_ease(epsilon, precision));
  for (Row& row : poison_rows()) rows.push_back(std::move(row));
  for (Row& row : exchange_rows()) rows.push_back(std::move(row));
  for (Row& row : knowledge_rows()) rows.push_back(std::move(row));
  for (Row& row : cars_verify_rows(folder)) rows.push_back(std::move(row));
  for (const Row& row : rows)
    if (row.quick || !quick) verification.run(row);
  measure_audit(folder, quick, [&](const MeasuredFigure& figure) { verification.figure(figure); });
  fmt::print("{} figures, {} missed\n", verification.figures(), verification.misses());
  return verification.misses() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace sotto::tests

int main(int argc, char** argv) {
  const char* folder = std::getenv("SOTTO_DATA");
  const bool quick = argc > 1 && std::string(argv[1]) == "--quick";
  if (folder == nullptr) {
    fmt::print(stderr, "verify: SOTTO_DATA must name the data folder; run it as ./dev verify\n");
    return 2;
  }
  return sotto::tests::run(folder, quick);
}
