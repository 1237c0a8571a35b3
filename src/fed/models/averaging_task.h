// Both halves of a task whose model is a network trained by federated averaging (fed/averaged_update.h), once
// for all such networks. A model's own file says which network it is, how it begins and how a person is told
// of it.
//
// Laws: those of fed/models/task_model.h. The server's half needs nothing that trains: it begins, adds and
// steps. A device is one user, who draws by its own number and has the one history there is: of things, or of
// labelled examples.
#pragma once

#include <memory>
#include <vector>

#include "fed/models/task_model.h"
#include "model/averaging/network_tasks.h"
#include "model/recommender.h"
#include "model/server_step.h"
#include "privacy/consented_histories.h"

namespace sotto::fed {

// How devices train their copies, and how the server goes by their mean.
struct AveragedSteps {
  explicit AveragedSteps(const AveragedRates& usual, std::uint32_t batch = 0)
      : local{.epochs = 1, .batch = batch, .rate = usual.device},
        server{.step = ServerStep::adam, .rate = usual.adam} {}

  LocalTraining local;
  ServerStepOptions server;
};
void visit_averaging(TaskOptions& keys, AveragedSteps& options, const AveragedRates& usual);
// With what no such task may ask for.
[[nodiscard]] Status check_averaging(const v1::TaskSpec& spec, const AveragedSteps& options);

// What a device has to train on in a round.
struct RoundData {
  const DeviceHistories& histories;
  const DeviceKnowledge& known;
  std::uint32_t round;
  UserIndex device;
};

// A network, as a model's own file knows it.
class AveragedNet {
 public:
  AveragedNet() = default;
  AveragedNet(const AveragedNet&) = delete;
  AveragedNet& operator=(const AveragedNet&) = delete;
  virtual ~AveragedNet() = default;

  [[nodiscard]] virtual const AveragedSteps& options() const = 0;
  // Of the flat vector, in its order (model/averaging/flat_matrices.h).
  [[nodiscard]] virtual std::vector<MatrixShape> shapes() const = 0;
  // Matrix number `n` of them, as it starts.
  virtual void draw(std::size_t n, RowMatrix& matrix, std::uint64_t seed) const = 0;
  // What the device keeps to itself, as it starts; one number that nobody uses where there is nothing.
  [[nodiscard]] virtual RowMatrix start_private(const DeviceStreams& /*streams*/) const { return {1, 1}; }
  [[nodiscard]] virtual bool has_private() const { return false; }
  // Whether a history of so many items can be trained on.
  [[nodiscard]] virtual bool can_train(std::size_t items) const { return items > 0; }
  // What trains in a round. It may look at the data and at the net, which outlive it.
  [[nodiscard]] virtual Result<std::unique_ptr<LocalTask>> open(const NetworkTasks& networks,
                                                                const RoundData& data) = 0;
};

[[nodiscard]] TaskShape shape_of_averaging(const AveragedNet& net);
[[nodiscard]] std::vector<RowMatrix> received_matrices(const AveragedNet& net, const RowMatrix& shared);

// Trains its copy with what the task's networks are opened by.
class AveragingDevice : public DeviceModel {
 public:
  AveragingDevice(std::unique_ptr<AveragedNet> net, const Task& task, const DeviceStreams& streams,
                  const DeviceHistory& history);

  bool can_answer() const override;
  RowMatrix start() const override { return net_->start_private(streams_); }
  Result<Contribution*> contribute(std::uint32_t round, const RowMatrix& shared, RowMatrix& own) override;
  std::vector<ItemIndex> let_out() const override { return histories_->spoken(round_, streams_.index); }

 private:
  std::unique_ptr<AveragedNet> net_;
  const Task& task_;
  DeviceStreams streams_;
  std::unique_ptr<ConsentedHistories> histories_;
  DeviceKnowledge known_;
  Contribution sent_;
  std::uint32_t round_ = 0;
};

class AveragingServer : public ServerModel {
 public:
  AveragingServer(std::unique_ptr<AveragedNet> net, const Task& task);

  ServerState start() const override;
  Status check(const Contribution& contribution) const override;
  Result<ServerState> release(std::uint32_t releases, const ServerState& state,
                              Aggregator&& sum) const override;

 private:
  std::unique_ptr<AveragedNet> net_;
  TaskShape shape_;
  std::uint64_t seed_;
  FixedPoint fixed_;
  bool clipped_;
  bool weighed_;
  double most_count_;
  std::size_t parameters_;
};

// The halves of a model whose network is made of a task.
template <class Net>
class AveragingDeviceOf final : public AveragingDevice {
 public:
  AveragingDeviceOf(const Task& task, const DeviceStreams& streams, const DeviceHistory& history)
      : AveragingDevice(std::make_unique<Net>(task), task, streams, history) {}
};
template <class Net>
class AveragingServerOf final : public AveragingServer {
 public:
  explicit AveragingServerOf(const Task& task) : AveragingServer(std::make_unique<Net>(task), task) {}
};

// Answers of a recommender that sees its person as user 0: scores, and no word of what single things add.
[[nodiscard]] std::unique_ptr<TaskAnswers> network_answers(std::unique_ptr<Recommender> network);

}  // namespace sotto::fed
