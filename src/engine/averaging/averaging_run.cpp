#include "engine/averaging/averaging_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <sstream>

#include "engine/averaging/averaging_json.h"
#include "engine/protect/protection.h"
#include "engine/protect/weighing.h"
#include "metrics/statistics.h"
#include "privacy/number_rows.h"

namespace sotto::engine {

namespace {

using Clock = std::chrono::steady_clock;

// The sum, and what weighs contributions before it.
class AveragingChain {
 public:
  AveragingChain(const AveragingRequest& request, const AveragingParts& parts, Executor& executor)
      : small_sums_(small_sums(request.sum, request.plan.seed, executor)) {
    TrainRequest like;  // what the server's side looks at
    like.sum = request.sum;
    like.plan.seed = request.plan.seed;
    like.plan.fixed = request.plan.fixed;
    sum_ = server_side(like, averaging_shape(parts.task.parameters()), executor);
    if (!request.criteria.asked()) return;
    UpdateExtent extent{.fixed = request.plan.fixed,
                        .rows = rows_for(parts.task.parameters()),
                        .layer_ends = parts.task.layer_ends()};
    weigher_ = std::make_unique<WeighingCollector>(request.criteria, parts.facts, std::move(extent),
                                                   small_sums_, *sum_);
  }
  [[nodiscard]] Collector& first() { return weigher_ ? static_cast<Collector&>(*weigher_) : *sum_; }
  [[nodiscard]] WeighingCollector* weigher() { return weigher_.get(); }
  [[nodiscard]] const SumMaker& maker() const { return small_sums_; }

 private:
  SumMaker small_sums_;
  std::unique_ptr<Collector> sum_;
  std::unique_ptr<WeighingCollector> weigher_;
};

struct Judged {
  std::vector<std::uint32_t> right, examples;
};

Result<Judged> judge_devices(const LocalTask& task, std::span<const float> model, Executor& executor) {
  const std::size_t devices = task.devices();
  Judged judged{std::vector<std::uint32_t>(devices), std::vector<std::uint32_t>(devices)};
  std::vector<std::optional<Error>> errors(devices);
  executor.run(devices, [&](std::size_t n) {
    const auto score = task.score(UserIndex{static_cast<std::uint32_t>(n)}, LocalPart::test, model, {});
    if (!score.ok()) {
      errors[n] = score.error();
      return;
    }
    judged.right[n] = static_cast<std::uint32_t>(score->right);
    judged.examples[n] = static_cast<std::uint32_t>(score->examples);
  });
  for (const auto& error : errors)
    if (error) return *error;
  return judged;
}

// Which test examples a model gets right, device after device.
Result<std::vector<std::uint8_t>> right_ones(const LocalTask& task, std::span<const std::uint32_t> examples,
                                             std::span<const float> model) {
  std::vector<std::uint8_t> all;
  for (std::uint32_t device = 0; device < examples.size(); ++device) {
    std::vector<std::uint8_t> right(examples[device]);
    if (right.empty()) continue;
    SOTTO_TRY(const LocalScore score, task.score(UserIndex{device}, LocalPart::test, model, right));
    SOTTO_ASSERT(score.examples == right.size(), "a device keeps its test examples");
    all.insert(all.end(), right.begin(), right.end());
  }
  return all;
}

// The order that holds first, then the others.
std::vector<CriteriaOrder> orders_from(const CriteriaOrder& first) {
  std::vector<CriteriaOrder> orders = permutations(first);
  std::erase(orders, first);
  orders.insert(orders.begin(), first);
  return orders;
}

class AveragingTraining {
 public:
  AveragingTraining(const AveragingRequest& request, const AveragingParts& parts, Executor& executor)
      : request_(request),
        parts_(parts),
        executor_(executor),
        remembered_(parts.task),
        chain_(request, parts, executor),
        federation_(request.choose_order ? static_cast<const LocalTask&>(remembered_) : parts.task,
                    request.plan, executor, chain_.first()),
        selector_(able_devices(parts.task), federation_.cohort_size(), request.plan.seed) {
    if (request.choose_order)
      choice_.emplace(remembered_, federation_, *chain_.weigher(), chain_.maker(),
                      orders_from(request.criteria.order), executor);
  }

  [[nodiscard]] Status begin(std::optional<Checkpoint> before) {
    SOTTO_TRY(const Judged judged, judge_devices(parts_.task, federation_.model(), executor_));
    out_.curve.examples = judged.examples;
    if (std::all_of(judged.examples.begin(), judged.examples.end(), [](auto n) { return n == 0; }))
      return fail(Code::bad_input, "no device has test examples to be judged by");
    best_model_.assign(federation_.model().begin(), federation_.model().end());
    return before ? go_on(std::move(*before)) : Done{};
  }
  [[nodiscard]] std::uint32_t round() const { return federation_.state().round; }
  [[nodiscard]] bool is_over() const { return out_.goal_reached || round() >= request_.rounds; }
  [[nodiscard]] Result<AveragingRound> advance();
  [[nodiscard]] Checkpoint checkpoint() const;
  [[nodiscard]] Result<AveragingOutcome> finish() &&;

 private:
  [[nodiscard]] Status go_on(Checkpoint before);
  [[nodiscard]] Status look(AveragingRound& round);
  void count(const AveragingRound& round);
  [[nodiscard]] double seconds() const {
    return seconds_before_ + std::chrono::duration<double>(Clock::now() - start_).count();
  }

  const AveragingRequest& request_;
  const AveragingParts& parts_;
  Executor& executor_;
  RememberedTask remembered_;
  AveragingChain chain_;
  AveragingFederation federation_;
  CohortSelector selector_;
  std::optional<OrderChoice> choice_;
  AveragingOutcome out_;
  std::vector<float> best_model_;
  double seconds_before_ = 0.0;
  Clock::time_point start_ = Clock::now();
};

// A finished round becomes part of the outcome.
void AveragingTraining::count(const AveragingRound& round) {
  out_.totals.add(round.report);
  if (!round.right.empty()) {
    out_.curve.looks.push_back({round.round, round.right});
    if (out_.best_round == 0 || round.accuracy > out_.best_accuracy) {
      out_.best_round = round.round;
      out_.best_accuracy = round.accuracy;
    }
    out_.goal_reached =
        request_.until && reaches(out_.curve.examples, out_.curve.looks.back(), *request_.until);
  }
  out_.rounds.push_back(round);
  if (parts_.note_round) parts_.note_round(round.round - 1, selector_.select(round.round - 1));
}

Status AveragingTraining::go_on(Checkpoint before) {
  std::istringstream lines(before.own);
  for (std::string line; std::getline(lines, line);) {
    SOTTO_TRY(AveragingRound round, round_from_line(line, "the checkpoint"));
    if (!round.right.empty() && round.right.size() != out_.curve.examples.size())
      return fail(Code::bad_input, "the rounds of the run are of other devices: start it again with --force");
    round.accuracy =
        round.right.empty() ? 0.0 : global_accuracy(out_.curve.examples, {round.round, round.right});
    count(round);
  }
  Parameters& now = before.now;
  const FederationState& state = federation_.state();
  const bool fits = now.items.rows() == state.shared.rows() && now.layers.size() == 1 &&
                    now.layers.front().rows() == state.memory.rows() &&
                    now.users.on_device().rows() == state.devices.on_device().rows() && before.best &&
                    before.best->items.rows() == state.shared.rows() && before.round == out_.rounds.size();
  if (!fits)
    return fail(Code::bad_input, "the checkpoint is of another model: start the run again with --force");
  const float* best = before.best->items.row(0);
  best_model_.assign(best, best + parts_.task.parameters());
  if (choice_ && !out_.rounds.empty()) {
    SOTTO_TRY(const CriteriaOrder order, parse_order(out_.rounds.back().order));
    choice_->go_on_with(order, out_.rounds.back().costs);
  }
  federation_.restore({.round = before.round,
                       .shared = std::move(now.items),
                       .devices = std::move(now.users),
                       .memory = std::move(now.layers.front())});
  seconds_before_ = before.seconds;
  return Done{};
}

Status AveragingTraining::look(AveragingRound& round) {
  SOTTO_TRY(Judged judged, judge_devices(parts_.task, federation_.model(), executor_));
  round.right = std::move(judged.right);
  round.accuracy = global_accuracy(out_.curve.examples, {round.round, round.right});
  if (out_.best_round == 0 || round.accuracy > out_.best_accuracy)
    best_model_.assign(federation_.model().begin(), federation_.model().end());
  return Done{};
}

Result<AveragingRound> AveragingTraining::advance() {
  AveragingRound done;
  SOTTO_TRY(done.report, choice_ ? choice_->run_round() : federation_.run(1));
  done.round = round();
  if (WeighingCollector* weigher = chain_.weigher(); weigher != nullptr) {
    done.weights = weight_spread(choice_ ? choice_->weights() : weigher->weights());
    done.order = to_string(choice_ ? choice_->order() : request_.criteria.order);
  }
  if (choice_) done.costs = choice_->costs();
  if (done.round % request_.evaluate_every == 0 || done.round == request_.rounds) SOTTO_TRY_DONE(look(done));
  count(done);
  return done;
}

Checkpoint AveragingTraining::checkpoint() const {
  const FederationState& state = federation_.state();
  Checkpoint checkpoint;
  checkpoint.request_hash = parts_.plan_hash;
  checkpoint.round = state.round;
  checkpoint.totals = out_.totals;
  checkpoint.log_lines = out_.rounds.size();
  for (const AveragingRound& round : out_.rounds) checkpoint.own += round_line(round) + "\n";
  checkpoint.seconds = seconds();
  checkpoint.now.items = state.shared;
  checkpoint.now.users = state.devices;
  checkpoint.now.layers = {state.memory};
  Parameters& best = checkpoint.best.emplace();
  best.items = RowMatrix(state.shared.rows(), numbers_a_row);
  std::copy(best_model_.begin(), best_model_.end(), best.items.row(0));
  checkpoint.best_epoch = out_.best_round;
  checkpoint.best_value = out_.best_accuracy;
  return checkpoint;
}

Result<AveragingOutcome> AveragingTraining::finish() && {
  SOTTO_TRY(out_.best_right, right_ones(parts_.task, out_.curve.examples, best_model_));
  out_.parameters = parts_.task.parameters();
  out_.devices = parts_.task.devices();
  out_.cohort = federation_.cohort_size();
  if (choice_) out_.costs = choice_->costs();
  out_.model = std::move(federation_).take().shared;
  Parameters shared;
  shared.items = out_.model;
  out_.model_hash = hash_shared(shared);
  out_.seconds = seconds();
  return std::move(out_);
}

}  // namespace

WeightSpread weight_spread(std::span<const double> weights) {
  if (weights.empty()) return {};
  const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
  return {*least, *most, spread_of(weights).sd};
}

Status check_run(const AveragingRequest& request, const LocalTask& task) {
  SOTTO_TRY_DONE(check(request.plan, task));
  return check_cohort(request, able_devices(task).size());
}

Result<AveragingOutcome> run_averaging(const AveragingRequest& request, const AveragingParts& parts,
                                       Executor& executor, const AveragingHooks& hooks,
                                       std::optional<Checkpoint> before) {
  SOTTO_TRY_DONE(check_run(request, parts.task));
  if (before && before->request_hash != parts.plan_hash)
    return fail(
        Code::incompatible,
        "the checkpoint is of another plan: resume with the plan of the run, or start again with --force");
  AveragingTraining training(request, parts, executor);
  SOTTO_TRY_DONE(training.begin(std::move(before)));
  while (!training.is_over()) {
    const bool stop = hooks.stop != nullptr && hooks.stop->load();
    if (hooks.on_checkpoint && (stop || (hooks.checkpoint_due && hooks.checkpoint_due())))
      SOTTO_TRY_DONE(hooks.on_checkpoint(training.checkpoint()));
    if (stop) return fail(Code::cancelled, "stopped after round " + std::to_string(training.round()));
    SOTTO_TRY(const AveragingRound done, training.advance());
    if (hooks.on_round) SOTTO_TRY_DONE(hooks.on_round(done));
  }
  return std::move(training).finish();
}

}  // namespace sotto::engine
