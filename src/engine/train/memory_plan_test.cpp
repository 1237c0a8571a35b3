#include "engine/train/memory_plan.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "data/generate.h"
#include "engine/models/als.h"
#include "engine/models/kgflex.h"
#include "engine/plan/model_entry.h"
#include "engine/train/training.h"
#include "metrics/evaluate.h"
#include "sim/averaging_federation.h"
#include "sim/thread_pool.h"

// Everything this program allocates is counted, so that the estimate meets what really happens.
namespace {
std::atomic<std::size_t> now_held{0}, most_held{0};

void* counted(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  const std::size_t held = now_held += malloc_usable_size(block);
  std::size_t most = most_held.load();
  while (held > most && !most_held.compare_exchange_weak(most, held)) {
  }
  return block;
}
void dropped(void* block) {
  if (block != nullptr) now_held -= malloc_usable_size(block);
  std::free(block);
}
}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size == 0 ? 1 : size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(step, (size + step) / step * step));
}
void operator delete(void* block) noexcept { dropped(block); }
void operator delete(void* block, std::size_t) noexcept { dropped(block); }
void operator delete(void* block, std::align_val_t) noexcept { dropped(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { dropped(block); }

namespace sotto::engine {
namespace {

TrainRequest plan_of(std::string_view model, std::uint32_t factors) {
  TrainRequest request;
  request.data.paths = {"w"};
  request.model = model;
  if (request.model->needs_features) request.data.kg.paths = {"k"};
  request.plan.fpl.factors = factors;
  request.plan.epochs = 1;
  request.eval_users = 50;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

// The part of the estimate that is not a setting of its own.
double without_judging(const TrainRequest& request, const MemoryFacts& facts) {
  double sum = 0.0;
  for (const MemoryPart& part : memory_parts(request, facts))
    if (std::string(part.what) != "judging") sum += part.bytes;
  return sum;
}

TEST(MemoryPlan, MeetsWhatTrainingAllocates) {
  const Split split =
      generate_split({.users = 20000, .items = 3000, .cities = 4, .mean_interactions = 6.0, .seed = 2})
          .value();
  for (const std::string_view model : {"fpl", "bprmf", "ials", "fedals", "warp", "mf"}) {
    for (const std::uint32_t factors : {31u, 120u}) {
      if (find_model(std::string(model)).value()->fold_in && factors > 31)
        continue;  // many solves: not in a test
      const TrainRequest request = plan_of(model, factors);
      const double expected = without_judging(request, memory_facts(request, split, 1));
      SerialExecutor alone;
      TrainHooks hooks;
      const std::size_t before = now_held;
      most_held = before;
      const auto trained = train(request, split, alone, hooks);
      ASSERT_TRUE(trained.ok());
      const auto taken = static_cast<double>(most_held - before);
      EXPECT_GT(expected, 0.8 * taken) << model << factors;
      EXPECT_LT(expected, 1.5 * taken) << model << factors;
    }
  }
}

TEST(MemoryPlan, MeetsWhatKgflexAllocates) {
  const WorldOptions world{.users = 8000, .items = 1000, .cities = 4, .mean_interactions = 12.0, .seed = 2};
  Split split = generate_split(world).value();
  split.features = std::make_shared<const ItemFeatures>(generate_knowledge(world).value(), split.items,
                                                        FeatureFilter{.min_items = 2});
  for (const std::string_view model : {"kgflex", "kgflex-central"}) {
    TrainRequest request = plan_of(model, 31);
    request.model.own<KgflexSettings>().first_hop = request.model.own<KgflexSettings>().second_hop =
        8;  // most people have as many
    const double expected = without_judging(request, memory_facts(request, split, 1));
    SerialExecutor alone;
    TrainHooks hooks;
    const std::size_t before = now_held;
    most_held = before;
    const auto trained = train(request, split, alone, hooks);
    ASSERT_TRUE(trained.ok()) << trained.error().message;
    const auto taken = static_cast<double>(most_held - before);
    EXPECT_GT(expected, 0.8 * taken) << model;
    EXPECT_LT(expected, 1.5 * taken) << model;
  }
}

TEST(MemoryPlan, MeetsWhatItemModelsAllocate) {
  const Split split =
      generate_split({.users = 4000, .items = 2400, .cities = 4, .mean_interactions = 20.0, .seed = 2})
          .value();
  const auto products = [](TrainRequest request) {
    request.sum.kind = SumKind::products;
    request.pairs.items = 1000;
    return request;
  };
  for (const TrainRequest& request :
       {plan_of("ease", 1), plan_of("fedease", 1), products(plan_of("fedease", 1))}) {
    const std::string model = request.model->name + " " + to_string(request.sum.kind);
    const double expected = without_judging(request, memory_facts(request, split, 1));
    SerialExecutor alone;
    TrainHooks hooks;
    const std::size_t before = now_held;
    most_held = before;
    ASSERT_TRUE(train(request, split, alone, hooks).ok());
    const auto taken = static_cast<double>(most_held - before);
    EXPECT_GT(expected, 0.8 * taken) << model;
    EXPECT_LT(expected, 1.5 * taken) << model;
  }
}

// A model of many numbers, which every device moves by one of its own.
class WideTask final : public LocalTask {
 public:
  explicit WideTask(std::size_t devices) : devices_(devices) {}
  [[nodiscard]] std::size_t parameters() const override { return 50'000; }
  [[nodiscard]] std::vector<std::size_t> layer_ends() const override { return {parameters()}; }
  [[nodiscard]] std::size_t devices() const override { return devices_; }
  [[nodiscard]] bool takes_part(UserIndex) const override { return true; }
  void start(std::uint64_t, std::span<float> model) const override { std::ranges::fill(model, 0.0f); }
  [[nodiscard]] Result<LocalReport> train(std::uint64_t, std::uint32_t, UserIndex device,
                                          const LocalTraining&, std::span<float> model,
                                          std::span<float>) const override {
    for (float& value : model) value += static_cast<float>(device.value + 1) * 0.001f;
    return LocalReport{1, 1, true};
  }

 private:
  std::size_t devices_;
};

TEST(MemoryOfAveraging, DoesNotGrowWithTheDevices) {
  const auto most_of = [](std::size_t devices) {
    const WideTask task(devices);
    PlainCollector sum(averaging_shape(task.parameters()));
    SerialExecutor alone;
    const std::size_t before = now_held;
    most_held = before;
    AveragingPlan plan;
    plan.cohort = 1.0;
    AveragingFederation federation(task, plan, alone, sum);
    EXPECT_TRUE(federation.run(2).ok());
    return static_cast<double>(most_held - before);
  };
  const double few = most_of(4);
  const auto model = static_cast<double>(WideTask(4).parameters() * sizeof(float));
  EXPECT_GT(few, 2.0 * model);  // the model and a copy of it at least
  EXPECT_LT(most_of(200) - few, 0.1 * model);
}

TEST(MemoryPlan, AWorkedExample) {
  TrainRequest request = plan_of("fpl", 16);  // 17 numbers: rows of 32 floats, 128 bytes
  const MemoryFacts facts{.users = 10'000'000, .catalogue = 100'000, .judged = 5000, .threads = 2};
  const auto part = [&](const MemoryFacts& of, const std::string& name) {
    for (const MemoryPart& one : memory_parts(request, of))
      if (one.what == name) return one.bytes;
    return -1.0;
  };
  EXPECT_EQ(part(facts, "private rows"), 1.28e9);
  EXPECT_EQ(part(facts, "shared rows"), 12.8e6);
  EXPECT_EQ(part(facts, "sums"), 2 * 100'000 * (3 * 128.0 + 12.0));
  EXPECT_EQ(part(facts, "who has what"), 80e6);  // no bitmap: it would take 125 GB
  EXPECT_EQ(part(facts, "a checkpoint"), -1.0);
  MemoryFacts scratch = facts;
  scratch.scratch = true;
  EXPECT_EQ(part(scratch, "private rows"), -1.0);
}

TEST(MemoryPlan, RefusesWithTheNumbersAndARemedy) {
  const TrainRequest request = plan_of("fpl", 16);
  MemoryFacts facts{.users = 10'000'000, .catalogue = 100'000, .judged = 50, .threads = 2};
  const double needed = total_bytes(memory_parts(request, facts));
  EXPECT_TRUE(check_memory(request, facts, needed).ok());
  const Status refused = check_memory(request, facts, 1e9);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::io);
  for (const char* text :
       {"about 1.52 GB", "1.00 GB are available", "private rows 1.28", "--scratch", "--factors"})
    EXPECT_NE(refused.error().message.find(text), std::string::npos)
        << text << ": " << refused.error().message;
  facts.scratch = true;
  EXPECT_TRUE(check_memory(request, facts, 1e9).ok());
  // Sizes that no 64-bit index could hold are refused, not wrapped around.
  facts = {.users = 4'000'000'000, .catalogue = 4'000'000'000, .judged = 50, .threads = 2};
  EXPECT_FALSE(check_memory(plan_of("fpl", 4096), facts, 1e13).ok());
}

TEST(MemoryPlan, ReadsWhatTheSystemSays) {
  EXPECT_EQ(free_in_meminfo("MemTotal:  24000 kB\nMemAvailable:    1000 kB\n"), 1'024'000.0);
  EXPECT_FALSE(free_in_meminfo("").has_value());
  EXPECT_FALSE(free_in_meminfo("MemAvailable: much\n").has_value());
  EXPECT_EQ(free_in_group("1000\n", "400\n", "anon 1\ninactive_file 50\nactive_file 25\n"), 675.0);
  EXPECT_EQ(free_in_group("1000\n", "1400\n", ""), 0.0);
  EXPECT_FALSE(free_in_group("max\n", "400\n", "").has_value());
  EXPECT_FALSE(free_in_group("", "", "").has_value());
  const auto here = available_memory();
  EXPECT_GT(here.value_or(1e9), 1e6);
}

}  // namespace
}  // namespace sotto::engine
