// For tests: a small world on disk, and the tasks that are trained in it.
#pragma once

#include <gtest/gtest.h>

#include "engine/plan/prepare.h"
#include "fed/models/task_models.h"
#include "fed/models/testing/secure_spec.h"
#include "server/task_config.h"
#include "tests/cli/program.h"
#include "tests/e2e/known_models.h"

namespace sotto::tests::e2e {

inline constexpr std::uint32_t rounds = 4;

struct Case {
  const char* name;
  double pi = 1.0;
  MaskKind mask = MaskKind::sticky;
  std::uint32_t cohort = 0;  // 0: everybody, in the order they come
  bool secure = false;
  const TaskModel* model = &fpl_task;
  std::uint32_t pair_items = 0;  // of a model of pairs: those of the most popular items; 0: of all
  const char* criteria = "";     // by which devices count
};

// A model that is made of one sum is made once.
inline std::uint64_t rounds_of(const Case& one) { return one.model->added != nullptr ? 1 : rounds; }

// A small world, as `sotto data generate` writes it, and its split.
inline const cli::Workshop& workshop() {
  static const cli::Workshop shop;
  static const int made =
      shop.sotto({"data", "generate", "--users", "60", "--items", "90", "--out", "world"}).code;
  EXPECT_EQ(made, 0);
  return shop;
}
// People who rate, for models that learn from that: in contexts of time, and of who they are.
inline const cli::Workshop& rated_workshop() {
  static const cli::Workshop shop;
  static const int made = shop.sotto({"data", "generate", "--ratings", "--users", "60", "--items", "90",
                                      "--out", "world", "--people", "people.tsv"})
                              .code;
  EXPECT_EQ(made, 0);
  return shop;
}
inline Prepared world(const TaskModel* model = nullptr) {
  const bool rated = model != nullptr && model->needs_ratings;
  DataRequest request;
  const cli::Workshop& shop = rated ? rated_workshop() : workshop();
  request.paths = {(shop.folder() / "world" / "interactions.tsv").string()};
  request.split.keep_records = rated;
  if (rated) {
    request.contexts.of = {"interval", "daypart", "person"};
    request.contexts.people = (shop.folder() / "people.tsv").string();
  }
  auto prepared = prepare(request);
  EXPECT_TRUE(prepared.ok()) << (prepared.ok() ? "" : prepared.error().message);
  return std::move(*prepared);
}

// As they usually are, but for the factors.
struct SmallOptions final : TaskOptions {
  explicit SmallOptions(std::uint32_t popular) : pair_items(popular) {}
  void whole(const char* key, std::uint32_t& value) override {
    if (key == std::string_view("factors")) value = 8;
  }
  void whole_if_any(const char* key, std::uint32_t& value) override {
    if (key == std::string_view("pair_items")) value = pair_items;
  }
  void real(const char*, float&) override {}
  void choice(const char*, std::initializer_list<const char*>, std::size_t&) override {}
  void wholes(const char*, std::vector<std::uint32_t>&) override {}
  std::uint32_t pair_items;
};

inline void set_model(v1::TaskSpec& spec, const TaskModel* model, std::uint32_t pair_items = 0) {
  spec.set_model(model->name);
  if (model != &fpl_task && model != &fedals_task) {
    SmallOptions options(pair_items);
    return model->configure(options, spec);
  }
  spec.set_factors(8);
  spec.set_init_sd(0.1f);
  if (model == &fedals_task) {
    spec.set_lambda(0.5f);
    spec.set_confidence(4.0f);
    return;
  }
  spec.set_learning_rate(0.05f);
  spec.set_user_reg(0.0025f);
  spec.set_positive_reg(0.0025f);
  spec.set_negative_reg(0.00025f);
  spec.set_triples(10);
}

constexpr std::uint32_t size_bound = 25;

inline TaskConfig task_for(const Case& one, const Split& split) {
  TaskConfig config;
  v1::TaskSpec& spec = config.spec;
  spec.set_name("films");
  const auto users = static_cast<std::uint32_t>(split.train.users());
  set_model(spec, one.model, one.pair_items);
  spec.set_fixed_bits(20);
  spec.set_seed(11);
  spec.set_reproducible(true);
  spec.set_items(static_cast<std::uint32_t>(split.catalogue));
  const TaskCatalogue catalogue = catalogue_of(split);
  EXPECT_TRUE(take_known(known_of(&catalogue), spec).ok());
  config.catalogue = encode_catalogue(catalogue);
  if (one.secure) sum_securely(spec);
  if (const std::string order = one.criteria; !order.empty()) {
    v1::Criteria& criteria = *spec.mutable_criteria();
    criteria.set_order(order);
    criteria.set_least_tellers(4);
    if (order.find("size") != order.npos) criteria.set_size_bound(size_bound);
  }
  config.rules.goal = one.cohort == 0 ? users : one.cohort;
  config.rules.quorum = config.rules.goal;
  config.rules.over_selection = 1.0;
  config.rules.rounds = rounds_of(one);
  if (one.cohort != 0) {
    config.rules.selection = RoundRules::Selection::drawn;
    config.rules.population = users;
  }
  return config;
}

inline PersonalPolicy policy_of(const Case& one) {
  PersonalPolicy policy;
  policy.pi = one.pi;
  policy.mask = one.mask;
  if (one.criteria[0] != '\0') policy.criteria[other_criteria] = true;
  return policy;
}

}  // namespace sotto::tests::e2e
