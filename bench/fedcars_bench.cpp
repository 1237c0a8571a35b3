// Fed-CARS on MovieLens 100K (or a generated world of its shape, with drawn ratings): one whole federated
// training as `sotto reproduce fedcars-table-1` does it, on one thread; and the full meta-gradient beside the
// first-order one, in turn.
#include <fmt/core.h>

#include "bench/measure.h"
#include "engine/models/fedcars.h"
#include "lab/reproduce/studies.h"
#include "sim/history_federation.h"

namespace sotto::bench {
namespace {

constexpr int repeats = 3;

// People differ in how they rate, and so do items.
Split generated(TrainRequest& request) {
  fmt::print("generated world of MovieLens 100K's shape\n");
  Dataset world =
      generate_world({.users = 943, .items = 1682, .mean_interactions = 106.0, .seed = 1}).value();
  for (Interaction& one : world.interactions) {
    Stream draws(1, Purpose::generate_world, one.user.value, one.item.value);
    const auto kind = static_cast<float>((one.user.value + one.item.value) % 3);
    one.rating = std::clamp(std::round(2.5f + kind + static_cast<float>(draws.normal())), 1.0f, 5.0f);
  }
  world.has_ratings = true;
  request.data.split.keep_records = true;
  return split_dataset(world, request.data.split).value();
}

Split rated_films(TrainRequest& request) {
  const PaperData data = find_data("MovieLens 100K", {data_folder(), false}).value();
  if (!data.there) return generated(request);
  fmt::print("MovieLens 100K, temporal 80/20, all contexts\n");
  request.data = data.data;
  if (!settle(request).ok()) std::abort();
  return std::move(prepare(request.data).value().split);
}

void measure() {
  TrainRequest request = own_request(*find_target("fedcars-table-1").value().paper, "MovieLens 100K").value();
  const Split split = rated_films(request);
  SerialExecutor serial;
  const auto users = users_with_history(split.train);
  const Schedule schedule = history_schedule_for(request.plan, users.size()).value();
  const std::uint32_t rounds = request.plan.epochs * schedule.rounds_per_epoch;
  const auto train_once = [&](MamlOrder order, bool choices, Figures& seconds) {
    TrainRequest asked = request;
    asked.model.own<FedcarsSettings>().rating.order = order;
    asked.model.own<FedcarsSettings>().choices = choices;
    const Fedcars model = make_fedcars(asked, split).value();
    HistoryFederation<Fedcars> federation(model, asked.plan, schedule, split.train, serial);
    seconds.add(seconds_of([&] { static_cast<void>(federation.run(rounds).value()); }));
  };
  Figures whole, ratings, first;
  for (int n = 0; n < repeats; ++n) {
    train_once(MamlOrder::second, true, whole);
    train_once(MamlOrder::second, false, ratings);
    train_once(MamlOrder::first, true, first);
  }
  const double visits = static_cast<double>(rounds) * static_cast<double>(schedule.cohort);
  fmt::print("{} people, {} items, {} training ratings; {} rounds of {} people; medians of {}, one thread\n",
             split.users.size(), split.catalogue, split.train.interactions(), rounds, schedule.cohort,
             repeats);
  fmt::print("training            {:>8.3f} s   limit 20 s\n", whole.median());
  fmt::print("visits              {:>8.0f} a second\n", visits / whole.median());
  fmt::print("ratings alone       {:>8.3f} s   {:.2f} of it\n", ratings.median(),
             ratings.median() / whole.median());
  fmt::print("first order         {:>8.3f} s   second order is {:.2f} times slower\n", first.median(),
             whole.median() / first.median());
}

}  // namespace
}  // namespace sotto::bench

int main() { sotto::bench::measure(); }
