// KGFlex on Facebook Books (or a generated world of its shape), as the thesis trains it: profiles, 100 rounds
// with a tenth of the people, and lists for all. One thread, beside the same training written as the formulas
// stand, pair by pair over whole rows of features (the way of the authors' classes, which take 153 s and 296
// MB in Python for it), in turn.
#include <fmt/core.h>
#include <sys/resource.h>

#include <cmath>

#include "bench/measure.h"
#include "engine/models/kgflex.h"
#include "metrics/evaluate.h"
#include "model/kgflex/kgflex_recommender.h"
#include "sim/history_federation.h"

namespace sotto::bench {
namespace {

constexpr int repeats = 5;
constexpr std::uint32_t rounds = 100;

TrainRequest thesis_request() {
  TrainRequest request;
  request.model = "kgflex";
  request.plan.fpl.factors = 10;
  request.plan.fpl.learning_rate = 0.1f;
  request.plan.cohort = 0.1;
  request.plan.epochs = 10;
  return request;
}

Split books() {
  const auto folder = data_folder() / "kg-facebook-books";
  if (!std::filesystem::exists(folder)) {
    fmt::print("generated world of Facebook Books' shape\n");
    const WorldOptions world{.users = 1363, .items = 782, .mean_interactions = 10.0, .seed = 1};
    Split split = generate_split(world).value();
    split.features = std::make_shared<const ItemFeatures>(generate_knowledge(world).value(), split.items);
    return split;
  }
  fmt::print("Facebook Books, 5-core, random 80/20\n");
  DataRequest request;
  request.paths = {(folder / "kgflex_dataset.tsv.zst").string()};
  request.filter.core = 5;
  request.split.rule = RandomHoldout{0.8};
  request.kg.paths = {(folder / "kgflex_item_features.tsv.zst").string()};
  request.kg.predicates = (folder / "kgflex_predicates.tsv.zst").string();
  request.kg.min_items = 11;
  return std::move(prepare(request).value().split);
}

// One visit after the other, straight from eq. 6.12 to 6.14 over dense rows; returns a number so that nothing
// is left out.
double plain_training(const Kgflex& model, const Histories& histories, const CohortSelector& cohorts) {
  const KgflexDevices& devices = model.devices();
  const std::size_t features = model.shared_rows(), factors = model.options().factors;
  using Rows = std::vector<std::vector<double>>;
  const RowMatrix start = model.start_shared();
  Rows g(features);
  for (std::size_t f = 0; f < features; ++f) g[f].assign(start.row(f), start.row(f) + factors + 1);
  std::vector<Rows> p(histories.users());
  CohortSelector selector = cohorts;
  const PairSampler sampler(histories, devices.consumed(), devices.catalogue(), 1);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    Rows sum(features, std::vector<double>(factors + 1, 0.0));
    for (const UserIndex user : selector.select(round)) {
      const FeatureProfile profile = devices.profiles().of(user);
      std::vector<double> gains(features, 0.0);
      std::vector<std::size_t> place(features, 0);
      for (std::size_t n = 0; n < profile.features.size(); ++n) {
        gains[profile.features[n].value] = profile.gains[n];
        place[profile.features[n].value] = n;
      }
      Rows& own = p[user.value];
      if (own.empty()) own.assign(profile.features.size(), std::vector<double>(factors, 0.05));
      Rows moved = own;
      const auto has = [&](ItemIndex item) {
        std::vector<std::uint8_t> mask(features, 0);
        for (const FeatureIndex feature : devices.features().of(item)) mask[feature.value] = 1;
        return mask;
      };
      const auto score = [&](const std::vector<std::uint8_t>& mask) {
        double total = 0.0;
        for (std::size_t f = 0; f < features; ++f) {
          if (mask[f] == 0 || gains[f] == 0.0) continue;
          double product = g[f][factors];
          for (std::size_t k = 0; k < factors; ++k) product += own[place[f]][k] * g[f][k];
          total += gains[f] * product;
        }
        return total;
      };
      for (std::uint32_t t = 0; t < histories.of(user).size(); ++t) {
        const Pair pair = sampler.draw(round, user, t);
        const auto i = has(pair.positive), j = has(pair.negative);
        const double slope = 1.0 / (1.0 + std::exp(score(i) - score(j)));
        for (std::size_t f = 0; f < features; ++f) {
          const double weight = slope * gains[f] * (i[f] - j[f]);
          if (weight == 0.0) continue;
          for (std::size_t k = 0; k < factors; ++k) {
            sum[f][k] += weight * own[place[f]][k];
            moved[place[f]][k] += 0.1 * weight * g[f][k];
          }
          sum[f][factors] += weight;
        }
      }
      own = std::move(moved);
    }
    for (std::size_t f = 0; f < features; ++f)
      for (std::size_t k = 0; k <= factors; ++k) g[f][k] += 0.1 * sum[f][k];
  }
  return g[0][0];
}

void measure() {
  const Split split = books();
  const TrainRequest request = thesis_request();
  SerialExecutor serial;
  const auto users = users_with_history(split.train);
  const Schedule schedule = history_schedule_for(request.plan, users.size()).value();
  Figures profiles, training, lists, plain;
  double kept = 0.0;
  for (int n = 0; n < repeats; ++n) {
    std::optional<Kgflex> model;
    profiles.add(seconds_of([&] { model.emplace(make_kgflex(request, split, serial).value()); }));
    HistoryFederation<Kgflex> federation(*model, request.plan, schedule, split.train, serial);
    training.add(seconds_of([&] { static_cast<void>(federation.run(rounds).value()); }));
    const KgflexRecommender recommender(*model, &federation.state().devices.on_device(),
                                        &federation.state().shared);
    lists.add(seconds_of([&] { static_cast<void>(evaluate(recommender, split, {}, serial).value()); }));
    if (n < 2)
      plain.add(seconds_of([&] {
        kept +=
            plain_training(*model, split.train, CohortSelector(users, schedule.cohort, request.plan.seed));
      }));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} people, {} items, {} features; medians of {} (plain: the better of 2), one thread\n",
             split.users.size(), split.catalogue, split.features->features(), repeats);
  fmt::print("profiles            {:>8.3f} s\n", profiles.median());
  fmt::print("training            {:>8.3f} s\n", training.median());
  fmt::print("lists_and_metrics   {:>8.3f} s\n", lists.median());
  fmt::print("all_of_it           {:>8.3f} s   limit 1 s, authors' classes 153 s\n",
             profiles.median() + training.median() + lists.median());
  fmt::print("plain_training      {:>8.3f} s   {:.0f} times slower\n", plain.least(),
             plain.least() / training.median());
  fmt::print("memory, with plain  {:>8.0f} MB\n", static_cast<double>(usage.ru_maxrss) / 1024.0);
  if (kept == 0.5) fmt::print("\n");  // the plain training was not left out
}

}  // namespace
}  // namespace sotto::bench

int main() { sotto::bench::measure(); }
