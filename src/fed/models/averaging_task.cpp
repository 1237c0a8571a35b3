#include "fed/models/averaging_task.h"

#include <fmt/core.h>

#include <algorithm>

#include "fed/averaged_update.h"
#include "fed/models/task_models.h"
#include "fed/models/weighed_task.h"
#include "model/averaging/flat_matrices.h"

namespace sotto::fed {

namespace {

constexpr std::uint32_t most_local_epochs = 1000;  // of a device's training in one round

// What everybody counts: 1, in the update's units, so that a clip shortens it with the rest.
std::int32_t one_count(FixedPoint fixed) { return static_cast<std::int32_t>(fixed.scale()); }

std::size_t parameters_of(const AveragedNet& net) { return flat_ends(net.shapes()).back(); }

Error refuse_update(const char* why) {
  return fail(Code::bad_input, std::string("contribution refused: ") + why);
}

// The device stays out of the round; nothing of it is broken.
Error cannot_train(const Error& why) { return fail(Code::incompatible, why.message); }

class NetworkAnswers final : public TaskAnswers {
 public:
  explicit NetworkAnswers(std::unique_ptr<Recommender> network) : network_(std::move(network)) {}

  void score(std::span<float> out) const override {
    constexpr UserIndex person{0};
    network_->score(std::span(&person, 1), {0, static_cast<std::uint32_t>(network_->catalogue())}, out);
  }
  ScoreReasons reasons(ItemIndex item) const override {
    std::vector<float> scores(network_->catalogue());
    score(scores);
    return {.score = scores[item.value], .by_items = false};
  }

 private:
  std::unique_ptr<Recommender> network_;
};

}  // namespace

void visit_averaging(TaskOptions& keys, AveragedSteps& options, const AveragedRates& usual) {
  keys.real("lr", options.local.rate);
  keys.whole("local_epochs", options.local.epochs);
  keys.real("proximal", options.local.proximal);
  ServerStepOptions& server = options.server;
  auto step = static_cast<std::size_t>(server.step);
  keys.choice("server", server_steps, step);
  const auto chosen = static_cast<ServerStep>(step);
  if (chosen != server.step) server.rate = usual.of(chosen);
  server.step = chosen;
  keys.real("server_lr", server.rate);
  keys.real("beta1", server.beta1);
  keys.real("beta2", server.beta2);
}

Status check_averaging(const v1::TaskSpec& spec, const AveragedSteps& options) {
  if (spec.row_clip() > 0.0)
    return fail(Code::usage,
                "a row of a network belongs to no item: leave row_clip out, clip bounds the whole");
  // What nobody asks for, a stranger may.
  if (options.local.epochs > most_local_epochs)
    return fail(Code::usage, fmt::format("local_epochs is from 1 to {}", most_local_epochs));
  SOTTO_TRY_DONE(check(options.local));
  return check(options.server);
}

TaskShape shape_of_averaging(const AveragedNet& net) {
  const SumShape sum = averaging_shape(parameters_of(net));
  return {.rows = sum.rows - 1,
          .width = sum.width,
          .sum_rows = sum.rows,
          .sum_width = sum.width,
          .sent = {.rows = sum.rows, .width = sum.width, .most_rows = sum.rows},
          .limit = fixed_limit};
}

std::vector<RowMatrix> received_matrices(const AveragedNet& net, const RowMatrix& shared) {
  const std::vector<MatrixShape> shapes = net.shapes();
  return matrices_of({shared.row(0), flat_ends(shapes).back()}, shapes);
}

AveragingDevice::AveragingDevice(std::unique_ptr<AveragedNet> net, const Task& task,
                                 const DeviceStreams& streams, const DeviceHistory& history)
    : net_(std::move(net)),
      task_(task),
      streams_(streams),
      histories_(ConsentedHistories::of_one(task.plan.consent, history.consumed, streams.seed)),
      known_(history.known),
      sent_(averaging_shape(1).width) {}

bool AveragingDevice::can_answer() const { return net_->can_train(histories_->trainable().interactions()); }

Result<Contribution*> AveragingDevice::contribute(std::uint32_t round, const RowMatrix& shared,
                                                  RowMatrix& own) {
  if (const Status able = check_trainable(*task_.model, task_.networks); !able.ok())
    return cannot_train(able.error());
  round_ = round;
  const auto local = net_->open(*task_.networks, {*histories_, known_, round, streams_.index});
  if (!local.ok()) return cannot_train(local.error());
  RowMatrix copy = shared;
  const std::span<float> trained{copy.row(0), (*local)->parameters()};
  const auto report = (*local)->train(streams_.seed, round, streams_.index, net_->options().local, trained,
                                      net_->has_private() ? own.values(0) : std::span<float>());
  if (!report.ok()) return cannot_train(report.error());
  const FixedPoint fixed = task_.plan.fixed;
  if (!report->finite ||
      !write_update({shared.row(0), trained.size()}, trained, fixed, one_count(fixed), sent_))
    return numbers_diverged(round);
  return &sent_;
}

AveragingServer::AveragingServer(std::unique_ptr<AveragedNet> net, const Task& task)
    : net_(std::move(net)),
      shape_(task.shape()),
      seed_(task.plan.seed),
      fixed_(task.plan.fixed),
      clipped_(task.clip.any()),
      weighed_(task.criteria.has_value()),
      most_count_(one_count(fixed_) * most_weight(task) + (weighed_ ? 0.501 : 0.0)),
      parameters_(parameters_of(*net_)) {}

ServerState AveragingServer::start() const {
  ServerState state{RowMatrix(shape_.rows, shape_.width),
                    start_moments(net_->options().server, shape_.rows, shape_.width)};
  const std::vector<MatrixShape> shapes = net_->shapes();
  float* at = state.shared.row(0);
  for (std::size_t n = 0; n < shapes.size(); ++n) {
    RowMatrix matrix(shapes[n].rows, shapes[n].width);
    net_->draw(n, matrix, seed_);
    flatten(matrix, {at, matrix.rows() * matrix.width()});
    at += matrix.rows() * matrix.width();
  }
  return state;
}

Status AveragingServer::check(const Contribution& contribution) const {
  if (contribution.size() != shape_.sum_rows)
    return refuse_update("a network's update has all its rows, and a count");
  for (std::size_t n = 0; n < contribution.size(); ++n)
    if (contribution.row(n) != n) return refuse_update("a network's update has each row once");
  const auto any = [&](std::size_t row, std::size_t first) {
    const std::int32_t* values = contribution.values(row);
    return std::any_of(values + first, values + shape_.width, [](std::int32_t value) { return value != 0; });
  };
  const std::size_t last = (parameters_ - 1) % shape_.width + 1;
  if (last < shape_.width && any(shape_.rows - 1, last))
    return refuse_update("it has numbers behind the network's last");
  const std::int32_t count = contribution.values(shape_.rows)[0], one = one_count(fixed_);
  if (any(shape_.rows, 1) || count > most_count_ || count < (clipped_ || weighed_ ? 0 : one))
    return refuse_update("it counts for other than one device");
  return Done{};
}

Result<ServerState> AveragingServer::release(std::uint32_t releases, const ServerState& state,
                                             Aggregator&& sum) const {
  ServerState next = state;
  const AveragedStep step{
      .server = net_->options().server, .fixed = fixed_, .one = one_count(fixed_), .round = releases};
  if (!take_step(step, std::move(sum), next.shared, next.memory))
    return fail(Code::diverged,
                "the network left the finite numbers: lower lr or server_lr, or set a clip (in a new task)");
  return next;
}

std::unique_ptr<TaskAnswers> network_answers(std::unique_ptr<Recommender> network) {
  return std::make_unique<NetworkAnswers>(std::move(network));
}

}  // namespace sotto::fed
