// KGFlex over a network: a device's pairs move the rows of the features that its person cares about.
//
// The private row is the model's, a stretch a feature of the profile, and behind it the numbers of these
// features: a profile changes with its history, and what was learned of a feature stays with it.
#include <algorithm>
#include <cmath>

#include "fed/models/history_task.h"
#include "fed/models/task_models.h"
#include "fed/models/task_options.h"
#include "fed/models/weighed_task.h"
#include "model/kgflex/kgflex_recommender.h"
#include "privacy/feature_consent.h"

namespace sotto::fed {

namespace {

constexpr std::uint32_t most_features = 1u << 24;  // whose numbers are floats
constexpr std::uint32_t most_pairs = 1'000'000;
constexpr float adam_rate = 0.02f;

struct KgflexTask {
  KgflexOptions model = {.server = {.step = ServerStep::sgd, .rate = 0.0f}};  // 0: not chosen yet
  ProfileOptions profile = {};
  std::uint32_t features = 0;  // of the catalogue
};

void visit_kgflex(TaskOptions& keys, KgflexTask& own) {
  KgflexOptions& model = own.model;
  keys.whole("factors", model.factors);
  keys.real("lr", model.learning_rate);
  keys.real("user_reg", model.personal_reg);
  keys.real("positive_reg", model.shared_reg);
  keys.real("init_sd", model.init_sd);
  std::uint32_t pairs = model.pairs.value_or(0);
  keys.whole("triples", pairs);
  model.pairs = pairs == 0 ? std::optional<std::uint32_t>() : pairs;
  auto local = static_cast<std::size_t>(model.local);
  keys.choice("local", {"sequential", "batch"}, local);
  model.local = static_cast<LocalSteps>(local);
  auto gain = static_cast<std::size_t>(own.profile.gain);
  keys.choice("gain", {"information", "gini", "ratio"}, gain);
  own.profile.gain = static_cast<GainKind>(gain);
  keys.whole("first_hop", own.profile.most[0]);
  keys.whole("second_hop", own.profile.most[1]);
  keys.whole("negatives", own.profile.negatives);
  keys.real("min_gain", own.profile.least_gain);
  auto step = static_cast<std::size_t>(model.server.step);
  keys.choice("server", server_steps, step);
  model.server.step = static_cast<ServerStep>(step);
  if (model.server.rate == 0.0f)
    model.server.rate = model.server.step == ServerStep::adam ? adam_rate : model.learning_rate;
  keys.real("server_lr", model.server.rate);
  keys.real("beta1", model.server.beta1);
  keys.real("beta2", model.server.beta2);
}

void visit_counts(TaskOptions& keys, KgflexTask& own) { keys.whole("features", own.features); }

Status take_features(const DeviceKnowledge& known, v1::TaskSpec& spec) {
  if (known.features == nullptr)
    return fail(Code::usage,
                "kgflex learns from features of items: give the task a catalogue with a knowledge graph or "
                "a list of features (kg)");
  KgflexTask own{.features = static_cast<std::uint32_t>(known.features->features())};
  OptionWriter writer(spec);
  visit_counts(writer, own);
  return Done{};
}

bool knows_features(const Task& task, const DeviceKnowledge& known) {
  return known.features != nullptr && known.features->items() == task.items &&
         known.features->features() == options_of<KgflexTask>(task).features;
}

Status check_features(const Task& task, const DeviceKnowledge& known) {
  if (knows_features(task, known)) return Done{};
  return fail(Code::incompatible,
              fmt::format("the task '{}' learns from {} features of its items, and its catalogue does not "
                          "have them",
                          task.name, options_of<KgflexTask>(task).features));
}

Status read_kgflex(const v1::TaskSpec& spec, Task& task) {
  KgflexTask own;
  OptionReader reader(spec);
  visit_kgflex(reader, own);
  visit_counts(reader, own);
  SOTTO_TRY_DONE(reader.done());
  if (own.features == 0 || own.features > most_features)
    return fail(Code::usage, fmt::format("kgflex has 1 to {} features", most_features));
  if (own.model.pairs.value_or(1) > most_pairs)
    return fail(Code::usage,
                fmt::format("triples is at most {}; 0: as many as a person has items", most_pairs));
  SOTTO_TRY_DONE(check(own.profile));
  SOTTO_TRY_DONE(check(own.model));
  task.options = own;
  return Done{};
}

// Features of more than one hop count together.
std::size_t longest_profile(const KgflexTask& own) {
  const std::size_t kept = std::size_t{own.profile.most[0]} + own.profile.most[1];
  return std::min<std::size_t>(kept, own.features);
}

TaskShape shape_of_kgflex(const Task& task) {
  const auto& own = options_of<KgflexTask>(task);
  const Kgflex model(own.model, own.features);
  const std::size_t most = std::max<std::size_t>(longest_profile(own), 1);
  return {.rows = own.features,
          .width = model.shared_width(),
          .sum_rows = model.sum_rows(),
          .sum_width = model.sum_width(),
          .sent = {.rows = model.sum_rows(), .width = model.sum_width(), .most_rows = most},
          .limit = fixed_limit};
}

// Without features that are the task's nobody has a profile.
Kgflex kgflex_of(const Task& task, UserIndex index, const Histories& shareable,
                 const DeviceKnowledge& known) {
  KgflexTask own = options_of<KgflexTask>(task);
  own.model.seed = own.profile.seed = task.plan.seed;
  SerialExecutor here;
  const bool knows = knows_features(task, known);
  return {own.model, std::make_shared<const KgflexDevices>(
                         knows ? known.features : std::make_shared<const ItemFeatures>(),
                         knows ? shareable : Histories(1), task.items, own.profile,
                         keeps_back(task.plan.consent), here, index)};
}

// The model's part of a private row, which is made for these features.
class OwnRows {
 public:
  OwnRows(const Kgflex& model, UserIndex index)
      : features_(model.devices().profiles().of(index).features),
        stride_(RowMatrix::stride_for(model.shared_width())),
        rows_(model.private_width()) {}

  [[nodiscard]] RowMatrix started(const Kgflex& model, UserIndex index) const {
    RowMatrix own(1, rows_ + features_.size());
    model.start_private(index, own.row(0));
    for (std::size_t n = 0; n < features_.size(); ++n)
      own.row(0)[rows_ + n] = static_cast<float>(features_[n].value);
    return own;
  }
  // What was kept of the features that are still there is taken over.
  void take_over(const RowMatrix& kept, RowMatrix& own) const {
    if (kept.rows() != 1 || kept.width() % (stride_ + 1) != 0) return;
    const std::size_t count = kept.width() / (stride_ + 1);
    const std::span<const float> before = kept.values(0).last(count);
    for (std::size_t n = 0; n < features_.size(); ++n) {
      const auto at = std::ranges::find(before, static_cast<float>(features_[n].value)) - before.begin();
      if (static_cast<std::size_t>(at) < count)
        std::copy_n(kept.row(0) + static_cast<std::size_t>(at) * stride_, stride_, own.row(0) + n * stride_);
    }
  }

 private:
  std::span<const FeatureIndex> features_;
  std::size_t stride_, rows_;
};

class KgflexDevice final : public HistoryDevice<Kgflex> {
 public:
  KgflexDevice(const Task& task, const DeviceStreams& streams, const DeviceHistory& history)
      : HistoryDevice(kgflex_of(task, streams.index, history.shareable, history.known), task, streams,
                      history),
        index_(streams.index) {}

  bool can_answer() const override { return !model().devices().profiles().of(index_).features.empty(); }
  RowMatrix start() const override { return OwnRows(model(), index_).started(model(), index_); }
  RowMatrix resumed(const RowMatrix& kept) const override {
    RowMatrix own = start();
    OwnRows(model(), index_).take_over(kept, own);
    return own;
  }

 private:
  UserIndex index_;
};

class KgflexAnswers final : public TaskAnswers {
 public:
  KgflexAnswers(const Kgflex& model, UserIndex index, Private<RowMatrix> own, const RowMatrix& shared)
      : index_(index), own_(std::move(own)), model_(model, &own_.on_device(), &shared) {}

  void score(std::span<float> out) const override {
    model_.score(std::span(&index_, 1), {0, static_cast<std::uint32_t>(out.size())}, out);
  }
  ScoreReasons reasons(ItemIndex item) const override {
    ScoreReasons made;
    model_.score(std::span(&index_, 1), {item.value, item.value + 1}, std::span(&made.score, 1));
    // Somebody without a profile gets what everybody gets.
    if (model_.profile(index_).features.empty()) made.common = made.score;
    for (const Reason& one : model_.reasons(index_, item))
      if (one.part > 0.0f)
        made.because.push_back({.feature = feature_in_words(model_.features(), one.feature),
                                .likeness = one.weight,
                                .weight = one.part});
    return made;
  }

 private:
  UserIndex index_;
  Private<RowMatrix> own_;
  KgflexRecommender model_;
};

Result<std::unique_ptr<TaskAnswers>> kgflex_answers(const PersonView& view) {
  SOTTO_TRY_DONE(check_features(view.task, view.known));
  if (view.history.interactions() == 0) return nothing_to_answer_from();
  const UserIndex index = view.streams.index;
  const Histories trained_on = shareable(view.task.plan.consent, view.history);
  const Kgflex model = kgflex_of(view.task, index, trained_on, view.known);
  const bool has_profile = !model.devices().profiles().of(index).features.empty();
  if (has_profile && view.own == nullptr) return not_trained_yet(view.task);
  const OwnRows rows(model, index);
  RowMatrix own = rows.started(model, index);
  if (has_profile) rows.take_over(view.own->on_device(), own);
  return std::unique_ptr<TaskAnswers>(
      std::make_unique<KgflexAnswers>(model, index, Private<RowMatrix>(std::move(own)), view.shared));
}

Error refuse_steps(const char* why) {
  return fail(Code::bad_input, std::string("contribution refused: ") + why);
}

class KgflexServer final : public HistoryServer<Kgflex> {
 public:
  explicit KgflexServer(const Task& task)
      : HistoryServer({seeded(task), options_of<KgflexTask>(task).features}, task),
        bias_(options_of<KgflexTask>(task).model.factors),
        most_bias_(most_pairs_of(task) * static_cast<double>(task.plan.fixed.scale()) * rounding *
                       most_weight(task) +
                   1.0) {}

  // A pair moves a feature's bias by at most its gain, which is at most 1.
  Status check(const Contribution& contribution) const override {
    for (std::size_t n = 0; n < contribution.size(); ++n) {
      if (n > 0 && contribution.row(n) == contribution.row(n - 1))
        return refuse_steps("it names a feature twice");
      if (std::abs(double{static_cast<double>(contribution.values(n)[bias_])}) > most_bias_)
        return refuse_steps("a feature's bias moves by more than a visit's pairs");
    }
    return Done{};
  }

 private:
  static constexpr double rounding = 1.0 + 1e-3;

  static KgflexOptions seeded(const Task& task) {
    KgflexOptions options = options_of<KgflexTask>(task).model;
    options.seed = task.plan.seed;
    return options;
  }
  static double most_pairs_of(const Task& task) {
    const auto pairs = options_of<KgflexTask>(task).model.pairs;
    return pairs ? static_cast<double>(*pairs) : static_cast<double>(task.items);
  }
  [[nodiscard]] Error no_release() const override {
    return fail(Code::diverged,
                "the model left the finite numbers: lower lr and server_lr, or set a clip (in a new task)");
  }

  std::size_t bias_;
  double most_bias_;
};

}  // namespace

constinit const TaskModel kgflex_task{
    .name = "kgflex",
    .configure = configure_by<KgflexTask, visit_kgflex>,
    .read = read_kgflex,
    .shape = shape_of_kgflex,
    .row_of = nullptr,
    .device = device_half<KgflexDevice>,
    .server = server_half<KgflexServer>,
    .answers = kgflex_answers,
    .keeps_state = true,
    .take_known = take_features,
    .check_known = check_features,
    .weighable = Weighable::steps,
};

}  // namespace sotto::fed
