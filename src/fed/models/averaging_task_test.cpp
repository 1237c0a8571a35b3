// The seam's half of averaged networks: which updates a server takes, what a clip leaves, and what happens
// where nothing trains.
#include "fed/models/averaging_task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fed/models/testing/toy_networks.h"
#include "fed/models/testing/usual_spec.h"
#include "fed/wire/device_fit.h"

namespace sotto::fed::averaging_task_test {
namespace {

constexpr std::uint32_t items = 20;
const ToyNetworks toys;

struct SmallNets final : TaskOptions {
  void whole(const char* key, std::uint32_t& value) override {
    if (key == std::string_view("hidden") || key == std::string_view("factors")) value = 3;
    if (key == std::string_view("latent")) value = 2;
  }
  void real(const char* key, float& value) override {
    if (key == std::string_view("lr")) value *= rate;
  }
  void choice(const char*, std::initializer_list<const char*>, std::size_t&) override {}
  void wholes(const char*, std::vector<std::uint32_t>& values) override { values = {4, 3}; }
  float rate = 1.0f;
};

v1::TaskSpec small_spec(const TaskModel& model, double clip = 0.0, float rate = 1.0f) {
  v1::TaskSpec spec;
  spec.set_name("small");
  spec.set_model(model.name);
  spec.set_items(items);
  spec.set_fixed_bits(20);
  spec.set_seed(5);
  spec.set_clip(clip);
  SmallNets options;
  options.rate = rate;
  model.configure(options, spec);
  return spec;
}
Task small_task(const v1::TaskSpec& spec, const NetworkTasks* networks = &toys) {
  Task task = *read_task(spec);
  task.networks = networks;
  return task;
}

Result<Contribution> sent_for(const Task& task) {
  DeviceFit device(task, {5, UserIndex{2}}, {{1}, {4}, {9}}, {});
  Private<RowMatrix> own = device.start();
  SOTTO_TRY(const Contribution* sent,
            device.fit(0, task.model->server(task)->start().shared, own.on_device()));
  return *sent;
}

template <class Change>
Contribution changed(const Contribution& sent, const Change& change) {
  Contribution out(sent.width());
  ContributionPipeline pipeline(ConsentGate({}, 1, 0, UserIndex{0}), FixedPoint{}, out);
  for (std::size_t n = 0; n < sent.size(); ++n) {
    std::int32_t* row = pipeline.open_row(sent.row(n));
    for (std::size_t k = 0; k < sent.width(); ++k) row[k] = change(n, k, sent.values(n)[k]);
  }
  return out;
}

// As a person writes them, and with the rate that goes with the server's step where none is written.
TEST(AveragedNetworksOverANetwork, OptionsArriveAsTheyWereWritten) {
  struct Written final : TaskOptions {
    void whole(const char* key, std::uint32_t& value) override { asked.insert(key), value += 1; }
    void real(const char* key, float& value) override {
      asked.insert(key);
      if (key != std::string_view("server_lr")) value *= 0.5f;
    }
    void choice(const char* key, std::initializer_list<const char*>, std::size_t& place) override {
      asked.insert(key), place = 2;
    }
    void wholes(const char* key, std::vector<std::uint32_t>& values) override {
      asked.insert(key), values = {8, 2};
    }
    std::set<std::string> asked;
  };
  for (const TaskModel* model : {&fedmultvae_task, &fedneumf_task}) {
    const v1::TaskSpec usual = usual_spec(*model);
    v1::TaskSpec spec = usual;
    spec.clear_options();
    Written written;
    model->configure(written, spec);
    EXPECT_TRUE(read_task(spec).ok());
    ASSERT_EQ(spec.options_size(), usual.options_size());
    for (int n = 0; n < spec.options_size(); ++n) {
      const v1::TaskOption &was = usual.options(n), &is = spec.options(n);
      EXPECT_EQ(written.asked.count(is.key()), 1u);
      if (is.key() == "server") {
        EXPECT_EQ(is.word(), "momentum");
      } else if (is.key() == "server_lr") {
        EXPECT_EQ(is.real(), 1.0f);
      } else if (is.value_case() == v1::TaskOption::kReal) {
        EXPECT_EQ(is.real(), 0.5f * was.real()) << is.key();
      } else if (is.value_case() == v1::TaskOption::kWhole) {
        EXPECT_EQ(is.whole(), was.whole() + 1) << is.key();
      } else if (is.key() == "layers") {
        EXPECT_EQ(is.word(), "8,2");
      }
    }
  }
}

TEST(AveragedNetworksOverANetwork, AnUpdateIsAllRowsAndACountOfOneDevice) {
  const Task task = small_task(small_spec(fedmultvae_task));
  const Contribution sent = *sent_for(task);
  const auto server = task.model->server(task);
  const TaskShape shape = task.shape();
  const std::size_t last = shape.sum_rows - 1;
  const auto same = [](auto, auto, std::int32_t value) { return value; };
  ASSERT_TRUE(server->check(changed(sent, same)).ok());
  EXPECT_EQ(sent.values(last)[0], 1 << 20);
  const auto why = [&](const auto& change) {
    const Status status = server->check(changed(sent, change));
    return status.ok() ? std::string() : status.error().message;
  };
  for (const std::int32_t count : {0, -1, (1 << 20) - 1, (1 << 20) + 1})
    EXPECT_NE(why([&](std::size_t n, std::size_t k, std::int32_t value) {
                return n == last && k == 0 ? count : value;
              }).find("other than one device"),
              std::string::npos);
  EXPECT_NE(why([&](std::size_t n, std::size_t k, std::int32_t value) {
              return n == last && k == 5 ? 1 : value;
            }).find("other than one device"),
            std::string::npos);
  EXPECT_NE(why([&](std::size_t n, std::size_t k, std::int32_t value) {
              return n + 1 == last && k == 15 ? 1 : value;
            }).find("behind the network's last"),
            std::string::npos);
  Contribution part(sent.width());
  ContributionPipeline pipeline(ConsentGate({}, 1, 0, UserIndex{0}), FixedPoint{}, part);
  const auto put = [&](std::size_t row, std::int32_t value) {
    pipeline.open_row(static_cast<std::uint32_t>(row))[0] = value;
  };
  for (std::size_t n = 0; n < last; ++n) put(n, 1);
  EXPECT_NE(server->check(part).error().message.find("all its rows"), std::string::npos);
  put(last - 1, 1);  // as many rows, one of them twice, and no count
  EXPECT_NE(server->check(part).error().message.find("each row once"), std::string::npos);
}

// A clip shortens the count with the rest, so that who is cut counts less and points the same way.
TEST(AveragedNetworksOverANetwork, AClipBoundsWhatOneDeviceAdds) {
  const double clip = 0.5;
  const Task task = small_task(small_spec(fedneumf_task, clip));
  const Contribution sent = *sent_for(task);
  EXPECT_TRUE(task.model->server(task)->check(sent).ok());
  double squares = 0.0;
  for (std::size_t n = 0; n < sent.size(); ++n)
    for (std::size_t k = 0; k < sent.width(); ++k)
      squares += double{1} * sent.values(n)[k] * sent.values(n)[k];
  EXPECT_LE(std::sqrt(squares), clip * 0x1p20);
  EXPECT_GT(std::sqrt(squares), clip * 0x1p20 - 100.0);
  EXPECT_GT(sent.values(sent.size() - 1)[0], 1 << 18);
  EXPECT_LT(sent.values(sent.size() - 1)[0], 1 << 19);
}

// Rows do not show it: every number has its place.
TEST(AveragedNetworksOverANetwork, TheItemsThatWereSentAreThoseThatConsentLetOut) {
  const Task task = small_task(small_spec(fedneumf_task));
  const RowMatrix shared = task.model->server(task)->start().shared;
  ConsentTerms terms{.pi = 0.5, .mask = MaskKind::redraw, .rules = std::vector(items, ItemRule::none)};
  terms.rules[4] = ItemRule::never;
  terms.rules[9] = ItemRule::always;
  DeviceFit device(task, {5, UserIndex{2}}, {{1}, {4}, {9}, {11}, {12}, {15}}, terms);
  Private<RowMatrix> own = device.start();
  std::set<std::vector<ItemIndex>> answers;
  for (std::uint32_t round = 0; round < 10; ++round) {
    ASSERT_TRUE(device.fit(round, shared, own.on_device()).ok());
    const std::vector<ItemIndex> sent = device.sent();
    EXPECT_TRUE(std::ranges::count(sent, ItemIndex{9}) == 1 && std::ranges::count(sent, ItemIndex{4}) == 0);
    answers.insert(sent);
  }
  EXPECT_GT(answers.size(), 3u);
}

TEST(AveragedNetworksOverANetwork, WithoutWhatTrainsADeviceSaysSo) {
  for (const TaskModel* model : {&fedmultvae_task, &fedneumf_task}) {
    const Task task = small_task(small_spec(*model), nullptr);
    EXPECT_FALSE(check_trainable(*model, nullptr).ok());
    EXPECT_TRUE(check_trainable(*model, &toys).ok());
    const auto sent = sent_for(task);
    ASSERT_FALSE(sent.ok());
    EXPECT_EQ(sent.error().code, Code::incompatible);
    EXPECT_NE(sent.error().message.find("trains no networks"), std::string::npos);
  }
  EXPECT_TRUE(check_trainable(fpl_task, nullptr).ok());
}

TEST(AveragedNetworksOverANetwork, ADivergedDeviceAndABadTaskAreExplained) {
  const Task task = small_task(small_spec(fedmultvae_task, 0.0, 1e22f));
  const auto sent = sent_for(task);
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().code, Code::diverged);
  const auto refusal = [](v1::TaskSpec spec) {
    const auto read = read_task(spec);
    return read.ok() ? std::string() : read.error().message;
  };
  v1::TaskSpec spec = small_spec(fedneumf_task);
  spec.set_row_clip(1.0);
  EXPECT_NE(refusal(spec).find("row_clip"), std::string::npos);
  spec = small_spec(fedmultvae_task);
  for (auto& option : *spec.mutable_options())
    if (option.key() == "local_epochs") option.set_whole(1001);
  EXPECT_NE(refusal(spec).find("local_epochs is from 1 to 1000"), std::string::npos);
  const auto with_layers = [](const char* word) {
    v1::TaskSpec changed = small_spec(fedneumf_task);
    for (auto& option : *changed.mutable_options())
      if (option.key() == "layers") option.set_word(word);
    return changed;
  };
  EXPECT_EQ(refusal(with_layers("8,4,2")), "");
  EXPECT_LT(read_task(with_layers("8,4"))->shape().rows, read_task(with_layers("8,4,32"))->shape().rows);
  for (const char* word : {"", "8,", ",8", "8,x", "8 4", "7,4", "-8,4", "99999999999,4", "8,4,"})
    EXPECT_NE(refusal(with_layers(word)), "") << word;
  // A network that no sum has room for.
  v1::TaskSpec large = small_spec(fedmultvae_task);
  large.set_items(1u << 26);
  EXPECT_NE(refusal(large).find("its sums would have"), std::string::npos);
}

// Nobody has moved a private row yet; and a score is the recommender's.
TEST(AveragedNetworksOverANetwork, AnswersNeedNothingThatTrains) {
  const Histories history({0, 3}, {{1}, {4}, {9}});
  const Task vae = small_task(small_spec(fedmultvae_task), nullptr);
  const RowMatrix shared = vae.model->server(vae)->start().shared;
  const auto answers = vae.model->answers({vae, shared, history, nullptr});
  ASSERT_TRUE(answers.ok());
  std::vector<float> scores(items);
  (*answers)->score(scores);
  const ScoreReasons why = (*answers)->reasons(ItemIndex{7});
  EXPECT_EQ(why.score, scores[7]);
  EXPECT_FALSE(why.by_items);
  EXPECT_TRUE(why.because.empty());
  EXPECT_NE(scores[7], scores[8]);
  EXPECT_FALSE(vae.model->answers({vae, shared, Histories({0, 0}, {}), nullptr}).ok());

  const Task neumf = small_task(small_spec(fedneumf_task), nullptr);
  const RowMatrix items_and_layers = neumf.model->server(neumf)->start().shared;
  EXPECT_NE(neumf.model->answers({neumf, items_and_layers, history, nullptr})
                .error()
                .message.find("has not trained"),
            std::string::npos);
  DeviceFit device(neumf, {5, UserIndex{2}}, {{1}, {4}, {9}}, {});
  const Private<RowMatrix> own = device.start();
  EXPECT_TRUE(neumf.model->answers({neumf, items_and_layers, history, &own}).ok());
  const Private<RowMatrix> narrow(RowMatrix(1, 2));
  EXPECT_FALSE(neumf.model->answers({neumf, items_and_layers, history, &narrow}).ok());
}

}  // namespace
}  // namespace sotto::fed::averaging_task_test
