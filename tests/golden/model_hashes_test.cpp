// The hash of every model on one small world, as model_hashes.tsv holds it: the model, what its plan says
// beside the defaults, the hash. A line that differs means that a model trained before cannot be made again:
// say why in the CHANGELOG; the message is the line as it would be now.
//
// The five models of networks are left out: another processor or accelerator may round otherwise, so that
// their bytes are promised on one machine only (docs/averaging.md). Of EASE a BLAS decides the last bits: the
// hash rounds them (model/named_numbers.h).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "data/generate.h"
#include "engine/train/training.h"
#include "sim/thread_pool.h"

namespace sotto::tests::model_hashes_test {
namespace {

// Ratings, times, and what is known about the items.
Split world() {
  const WorldOptions options{.users = 60, .items = 90, .mean_interactions = 14.0, .seed = 7};
  Split split = split_dataset(generate_rated_world(options).value(), {.keep_records = true}).value();
  split.features = std::make_shared<const ItemFeatures>(generate_knowledge(options).value(), split.items,
                                                        FeatureFilter{.min_items = 2});
  return split;
}

struct Line {
  std::string model, settings, hash;
};

std::vector<Line> lines() {
  std::ifstream file(SOTTO_SOURCE_DIR "/tests/golden/model_hashes.tsv");
  std::vector<Line> all;
  for (std::string text; std::getline(file, text);) {
    std::istringstream row(text);
    Line& line = all.emplace_back();
    std::getline(row, line.model, '\t');
    std::getline(row, line.settings, '\t');
    std::getline(row, line.hash);
  }
  return all;
}

std::string hash_of(const Line& line, const Split& split, Executor& executor) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.plan.fpl.factors = 4;
  request.plan.epochs = 3;
  std::string plan = "model.name = '" + line.model + "'\n" + line.settings;
  std::ranges::replace(plan, ';', '\n');
  request = from_toml(plan, line.model, request).value();
  EXPECT_TRUE(settle(request).ok()) << plan;
  TrainHooks hooks;
  const auto trained = train(request, split, executor, hooks);
  return trained.ok() ? trained->model_hash : trained.error().message;
}

TEST(ModelHashes, AreThoseOfTheTable) {
  const Split split = world();
  ThreadPool pool(2);
  for (const Line& line : lines()) {
    const std::string hash = hash_of(line, split, pool);
    EXPECT_EQ(hash, line.hash) << line.model << '\t' << line.settings << '\t' << hash;
  }
}

TEST(ModelHashes, CoverEveryModelAndNoSecureSumChangesOne) {
  std::set<std::string> known;
  std::map<std::string, std::string> plain;
  std::istringstream names(model_names());
  for (std::string name; std::getline(names >> std::ws, name, ',');) known.insert(name);
  for (const char* network : {"multvae", "neumf", "fedmultvae", "fedneumf", "fedavg"}) known.erase(network);
  for (const Line& line : lines()) {
    known.erase(line.model);
    if (line.settings.find("sum.kind") == std::string::npos) plain[line.model + line.settings] = line.hash;
  }
  EXPECT_EQ(known, std::set<std::string>()) << "models without a line";
  std::size_t secure = 0;
  for (const Line& line : lines()) {
    const auto sum = line.settings.find("sum.kind = 'secure'");
    if (sum == std::string::npos) continue;
    ++secure;
    EXPECT_EQ(line.hash, plain.at(line.model + line.settings.substr(0, sum))) << line.model;
  }
  EXPECT_EQ(secure, 8u) << "one for each federated model";
}

}  // namespace
}  // namespace sotto::tests::model_hashes_test
