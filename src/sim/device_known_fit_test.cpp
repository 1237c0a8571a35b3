// A device of a model that learns from what a catalogue says of items computes what the simulator's device of
// its index does, and answers as the simulator's recommender.
#include <gtest/gtest.h>

#include "fed/models/testing/usual_spec.h"
#include "fed/wire/device_fit.h"
#include "model/fedcars/fedcars_recommender.h"
#include "model/kgflex/kgflex_recommender.h"
#include "privacy/context_consent.h"
#include "privacy/feature_consent.h"
#include "sim/history_federation.h"
#include "sim/testing/some_histories.h"
#include "sim/thread_pool.h"

namespace sotto::sim::device_known_fit_test {

class ADeviceThatKnowsItsItems : public testing::TestWithParam<std::pair<double, MaskKind>> {};

// What a device tells its person is what the simulator's recommender says.
void expect_same_scores(const PersonView& view, const Recommender& recommender) {
  const auto answers = view.task.model->answers(view);
  ASSERT_TRUE(answers.ok()) << answers.error().message;
  const auto items = static_cast<std::uint32_t>(view.task.items);
  std::vector<float> scores(items), expected(items);
  (*answers)->score(scores);
  recommender.score(std::span(&view.streams.index, 1), {0, items}, expected);
  EXPECT_EQ(scores, expected);
  for (std::uint32_t item = 0; item < items; item += 3)
    EXPECT_EQ((*answers)->reasons(ItemIndex{item}).score, expected[item]);
}

void expect_same_reasons(const PersonView& view, const KgflexRecommender& recommender) {
  const auto answers = view.task.model->answers(view);
  ASSERT_TRUE(answers.ok());
  for (std::uint32_t item = 0; item < view.task.items; item += 3) {
    std::vector<std::pair<std::string, float>> said, reasons;
    for (const ScoreReason& one : (*answers)->reasons(ItemIndex{item}).because)
      said.emplace_back(one.feature, one.weight);
    for (const Reason& one : recommender.reasons(view.streams.index, ItemIndex{item}))
      if (one.part > 0.0f)
        reasons.emplace_back(feature_in_words(recommender.features(), one.feature), one.part);
    EXPECT_EQ(said, reasons);
  }
}

std::vector<Histories> each_alone(const Histories& histories) {
  std::vector<Histories> alone;
  for (std::uint32_t user = 0; user < histories.users(); ++user) {
    const auto own = histories.of(UserIndex{user});
    alone.emplace_back(std::vector<std::uint64_t>{0, own.size()}, std::vector(own.begin(), own.end()));
  }
  return alone;
}

// A device of KGFlex knows its own profile alone; every second person keeps a feature to themselves.
TEST_P(ADeviceThatKnowsItsItems, OfKgflexIsTheSimulators) {
  constexpr std::uint32_t users = 6, items = 40, rounds = 4;
  const Histories histories = some_histories(users, items);
  v1::TaskSpec spec = usual_spec(kgflex_task, items);
  spec.set_seed(7);
  spec.set_reproducible(true);
  const auto task = read_task(spec);
  ASSERT_TRUE(task.ok()) << task.error().message;
  std::vector<ConsentTerms> kinds(2, {.pi = GetParam().first, .mask = GetParam().second, .rules = {}});
  kinds[1].kept_back = {FeatureIndex{1}, FeatureIndex{4}};
  kinds[1].rules.assign(items, ItemRule::none);
  for (std::uint32_t item = 0; item < items; item += 7) kinds[1].rules[item] = ItemRule::never;
  Plan plan = task->plan;
  plan.consent.people =
      std::make_shared<const ConsentBook>(kinds, std::vector<std::uint16_t>{0, 1, 0, 1, 0, 1}, plan.seed);
  const Schedule schedule{.cohort = users, .triples = 0, .rounds_per_epoch = 1, .rounds = rounds};
  ThreadPool pool(1);
  const DeviceKnowledge known = usual_knowledge(items);
  const KgflexOptions options{.seed = plan.seed};
  const Kgflex model(options, std::make_shared<const KgflexDevices>(
                                  known.features, shareable(plan.consent, histories), items,
                                  ProfileOptions{.seed = plan.seed}, keeps_back(plan.consent), pool));
  HistoryFederation<Kgflex> federation(model, plan, schedule, histories, pool);

  const auto server = task->model->server(*task);
  ServerState state = server->start();
  SumSpace space(task->shape().sum_rows, task->shape().sum_width);
  std::vector<Private<RowMatrix>> own(users);
  const std::vector<Histories> alone = each_alone(histories);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    Aggregator sum(space);
    for (std::uint32_t user = 0; user < users; ++user) {
      const DeviceStreams streams{plan.seed, UserIndex{user}};
      const auto items_of = alone[user].items();
      DeviceFit device(*task, streams, {items_of.begin(), items_of.end()}, kinds[user % 2], {}, known);
      ASSERT_TRUE(device.can_answer());
      own[user] = round == 0 ? device.start() : device.resumed(own[user]);
      const auto contribution = device.fit(round, state.shared, own[user].on_device());
      ASSERT_TRUE(contribution.ok());
      EXPECT_TRUE(server->check(**contribution).ok());
      ASSERT_TRUE(sum.accept(**contribution).ok());
    }
    state = server->release(round, state, std::move(sum)).value();
    ASSERT_TRUE(federation.run(1).ok());
    EXPECT_EQ(hash_rows(state.shared), hash_rows(federation.state().shared)) << "round " << round;
    const KgflexRecommender recommender(model, &federation.state().devices.on_device(), &state.shared);
    for (std::uint32_t user = 0; user < users; ++user) {
      const UserIndex index{user};
      const std::size_t numbers =
          model.devices().profiles().of(index).features.size() * RowMatrix::stride_for(model.shared_width());
      for (std::size_t k = 0; k < numbers; ++k)
        EXPECT_EQ(own[user].on_device().row(0)[k], federation.state().devices.on_device().row(user)[k]);
      const DeviceStreams streams{plan.seed, index};
      const Task persons = persons_task(*task, streams, kinds[user % 2]);
      const PersonView view{persons, state.shared, alone[user], &own[user], known, streams};
      expect_same_scores(view, recommender);
      expect_same_reasons(view, recommender);
    }
  }
}

// People who rated what they have, in their contexts; half of them let in only some.
struct RatedWorld {
  explicit RatedWorld(std::uint32_t users, std::uint32_t items) {
    const Histories plain = some_histories(users, items);
    std::vector<std::uint16_t> ages;
    const DeviceKnowledge known = usual_knowledge(items);
    Records records = *known.records;
    Contexts contexts = *known.contexts;
    records.has_ratings = true;
    contexts.train.width = 1;
    for (std::uint32_t user = 0; user < users; ++user)
      for (std::size_t k = 0; k < plain.of(UserIndex{user}).size(); ++k) {
        const std::uint32_t item = plain.of(UserIndex{user})[k].value;
        ages.push_back(static_cast<std::uint16_t>(plain.of(UserIndex{user}).size() - 1 - k));
        records.train.ratings.push_back(static_cast<float>(1 + (item * 3 + user) % 5));
        contexts.train.values.push_back((item + user) % 4 == 3 ? no_context : (item + user) % 3);
      }
    split.catalogue = items;
    split.train = Histories({plain.offsets().begin(), plain.offsets().end()},
                            {plain.items().begin(), plain.items().end()}, std::move(ages));
    split.test = Histories(users);
    split.records = std::make_shared<const Records>(std::move(records));
    split.contexts = std::make_shared<const Contexts>(std::move(contexts));
  }
  // What the device of a person knows.
  [[nodiscard]] DeviceKnowledge known(UserIndex user) const {
    const std::size_t from = split.train.offsets()[user.value], count = split.train.of(user).size();
    Records records = *split.records;
    Contexts contexts = *split.contexts;
    const auto cut = [&](auto& all) {
      all = {all.begin() + static_cast<std::ptrdiff_t>(from),
             all.begin() + static_cast<std::ptrdiff_t>(from + count)};
    };
    cut(records.train.ratings);
    cut(contexts.train.values);
    return {.records = std::make_shared<const Records>(std::move(records)),
            .contexts = std::make_shared<const Contexts>(std::move(contexts))};
  }
  [[nodiscard]] Histories alone(UserIndex user) const {
    const auto own = split.train.of(user);
    const auto ages = split.train.ages_of(user);
    return {{0, own.size()}, {own.begin(), own.end()}, {ages.begin(), ages.end()}};
  }
  Split split;
};

// Those who let in all that their share allows, and those who keep back contexts, older records and items.
std::vector<ConsentTerms> kinds_of(double pi, MaskKind mask, std::uint32_t items) {
  std::vector<ConsentTerms> kinds(2, {.pi = pi, .mask = mask, .rules = {}});
  kinds[0].contexts.whole = pi >= 1.0;
  kinds[1].contexts = {.shares = {0.5f, 1.0f}, .history = 0.75f, .whole = false};
  kinds[1].rules.assign(items, ItemRule::none);
  for (std::uint32_t item = 0; item < items; item += 7) kinds[1].rules[item] = ItemRule::never;
  return kinds;
}

TEST_P(ADeviceThatKnowsItsItems, OfFedcarsIsTheSimulators) {
  constexpr std::uint32_t users = 6, items = 40, rounds = 4;
  const RatedWorld world(users, items);
  v1::TaskSpec spec = usual_spec(fedcars_task, items);
  spec.set_seed(7);
  spec.set_reproducible(true);
  for (v1::TaskOption& option : *spec.mutable_options())
    if (option.key() == "recency") option.set_real(3.0f);
  const auto task = read_task(spec);
  ASSERT_TRUE(task.ok()) << task.error().message;
  const auto kinds = kinds_of(GetParam().first, GetParam().second, items);
  Plan plan = task->plan;
  plan.consent.people =
      std::make_shared<const ConsentBook>(kinds, std::vector<std::uint16_t>{0, 1, 0, 1, 0, 1}, plan.seed);
  const Schedule schedule{.cohort = users, .triples = 0, .rounds_per_epoch = 1, .rounds = rounds};
  ThreadPool pool(1);
  FedcarsOptions options;
  options.half_life = 3.0f;
  options.seed = plan.seed;
  const Fedcars model(
      options, std::make_shared<const FedcarsDevices>(world.split, shareable(plan.consent, world.split.train),
                                                      context_terms(plan.consent), options));
  HistoryFederation<Fedcars> federation(model, plan, schedule, world.split.train, pool);

  const auto server = task->model->server(*task);
  ServerState state = server->start();
  SumSpace space(task->shape().sum_rows, task->shape().sum_width);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    Aggregator sum(space);
    for (std::uint32_t user = 0; user < users; ++user) {
      const Histories alone = world.alone(UserIndex{user});
      DeviceFit device(*task, {plan.seed, UserIndex{user}}, {alone.items().begin(), alone.items().end()},
                       kinds[user % 2], {alone.ages().begin(), alone.ages().end()},
                       world.known(UserIndex{user}));
      ASSERT_TRUE(device.can_answer());
      Private<RowMatrix> own = device.start();
      const auto contribution = device.fit(round, state.shared, own.on_device());
      ASSERT_TRUE(contribution.ok());
      const Status taken = server->check(**contribution);
      EXPECT_TRUE(taken.ok()) << taken.error().message;
      ASSERT_TRUE(sum.accept(**contribution).ok());
    }
    state = server->release(round, state, std::move(sum)).value();
    ASSERT_TRUE(federation.run(1).ok());
    EXPECT_EQ(hash_rows(state.shared), hash_rows(federation.state().shared)) << "round " << round;
    EXPECT_EQ(hash_rows(state.memory), hash_rows(federation.state().memory)) << "round " << round;
    const FedcarsRecommender recommender(model, &state.shared);
    for (std::uint32_t user = 0; user < users; ++user) {
      const DeviceStreams streams{plan.seed, UserIndex{user}};
      const Histories alone = world.alone(streams.index);
      const Task persons = persons_task(*task, streams, kinds[user % 2]);
      expect_same_scores({persons, state.shared, alone, nullptr, world.known(streams.index), streams},
                         recommender);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(UnderEveryConsent, ADeviceThatKnowsItsItems,
                         testing::Values(std::pair{1.0, MaskKind::sticky}, std::pair{0.5, MaskKind::sticky},
                                         std::pair{0.5, MaskKind::redraw}, std::pair{0.5, MaskKind::round},
                                         std::pair{0.0, MaskKind::redraw}));

}  // namespace sotto::sim::device_known_fit_test
