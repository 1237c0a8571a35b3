// TaskModel: a model that trains over a network, as everything that moves its bytes sees it: its options, the
// shape of what travels, what a device computes and what the server makes of a round's sum. One file has all
// of it, and defines the entry; the list is fed/models/task_models.h.
//
// Laws: a device computes what the simulator's device of that index computes, bit for bit, and what consent
// keeps back is in no contribution. The next shared rows follow from the master and the released integers
// alone, and are those of the simulator's server, bit for bit; where they cannot be had nothing is released.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/private.h"
#include "fed/aggregator.h"
#include "fed/models/option_keys.h"
#include "fed/models/task_answers.h"
#include "privacy/contribution.h"

namespace sotto::fed {

class DeviceModel {
 public:
  DeviceModel() = default;
  DeviceModel(const DeviceModel&) = delete;
  DeviceModel& operator=(const DeviceModel&) = delete;
  virtual ~DeviceModel() = default;

  // Whether the history has what an answer is made of.
  [[nodiscard]] virtual bool can_answer() const = 0;
  // The private row as it starts.
  [[nodiscard]] virtual RowMatrix start() const = 0;
  // One that an earlier round left, as far as it fits what the person has now.
  [[nodiscard]] virtual RowMatrix resumed(const RowMatrix& kept) const {
    RowMatrix fresh = start();
    return kept.rows() == 1 && kept.width() == fresh.width() ? kept : fresh;
  }
  // The contribution to a round; it is overwritten by the next call. Moves `own`. Where a round has several
  // parts it is asked for one after the other, each with the totals of those before in the task; what the
  // last one moved is kept.
  [[nodiscard]] virtual Result<Contribution*> contribute(std::uint32_t round, const RowMatrix& shared,
                                                         RowMatrix& own) = 0;
  // Where rows do not show it, and in rounds of several parts: the person's items that were let out for the
  // last contribution, ascending.
  [[nodiscard]] virtual std::vector<ItemIndex> let_out() const { return {}; }
  // What it tells of the person beside items, for their ledger: "told size"; empty: nothing.
  [[nodiscard]] virtual std::string told() const { return {}; }
};

// Where a task's server stands between two rounds.
struct ServerState {
  RowMatrix shared;  // what everybody receives
  RowMatrix memory;  // what the server carries along and sends to nobody: an optimiser's moments
};

class ContributionCheck {
 public:
  ContributionCheck() = default;
  ContributionCheck(const ContributionCheck&) = delete;
  ContributionCheck& operator=(const ContributionCheck&) = delete;
  virtual ~ContributionCheck() = default;

  // Whether what was sent in the open, of the task's shape, is what a device could send.
  [[nodiscard]] virtual Status check(const Contribution& contribution) const = 0;
};

class ServerModel : public ContributionCheck {
 public:
  [[nodiscard]] virtual ServerState start() const = 0;
  // The state after a round, of which `releases` were before.
  [[nodiscard]] virtual Result<ServerState> release(std::uint32_t releases, const ServerState& state,
                                                    Aggregator&& sum) const = 0;
};

// The functions get tasks of their own model. A server's half of a task in a later part of a round is made
// with the totals of those before: it checks what is given to that part, and the last one's releases.
struct TaskModel {
  const char* name;
  bool is_first = false;  // devices know it that do not say which models they know
  // Options as a person wrote them into the message, with the usual values where there are none.
  void (*configure)(TaskOptions& keys, v1::TaskSpec& spec);
  // The message into the task's options, checked; the rest of the task but its clip is there.
  Status (*read)(const v1::TaskSpec& spec, Task& task);
  TaskShape (*shape)(const Task& task);
  // The row of a contribution that comes from an item; rows keep the items' order. Null where rows do not
  // show which items let them be: DeviceModel::let_out() says it.
  std::uint32_t (*row_of)(ItemIndex item);
  std::unique_ptr<DeviceModel> (*device)(const Task& task, const DeviceStreams& streams,
                                         const DeviceHistory& history);
  std::unique_ptr<ServerModel> (*server)(const Task& task);  // null in the library for apps on devices
  Result<std::unique_ptr<TaskAnswers>> (*answers)(const PersonView& view);
  // What is added to the sum for a contribution in the open, of an empty `out` of the sum's width; null: the
  // contribution itself. Where the sum is secure the device does it. Of several parts: in the last.
  void (*added)(const Task& task, const Contribution& sent, Contribution& out) = nullptr;
  // Whether it answers with a private row that rounds moved, and not without.
  bool keeps_state = false;
  // Whether it learns from ratings: what a person has and did not rate takes no part.
  bool needs_ratings = false;
  // What the options take from the task's catalogue, into the message: counts that decide what travels.
  // Fails where the catalogue lacks what the model learns from. Null: they take nothing.
  Status (*take_known)(const DeviceKnowledge& known, v1::TaskSpec& spec) = nullptr;
  // Whether a catalogue is the one that the options were taken from.
  Status (*check_known)(const Task& task, const DeviceKnowledge& known) = nullptr;
  // Whether what a device gives to the secure sums of a cohort of so many is short enough; it says what would
  // make it so. Null: it is as long as its shape.
  Status (*check_cost)(const Task& task, std::uint32_t devices) = nullptr;
  Weighable weighable = Weighable::no;
  // Binary places of what leaves its devices, as the simulator has them: usually, and at most.
  int usual_bits = FixedPoint{}.bits;
  int most_bits = most_update_bits;
  // Where the layers of the network that is averaged end, in numbers of a contribution, for criteria that
  // look at each. Null: it has none that one would tell apart.
  std::vector<std::size_t> (*layer_ends)(const Task& task) = nullptr;
  // Whether its devices train a network (Task::networks). Nobody else needs what trains it: neither the
  // server nor a device that only answers.
  bool trains_network = false;
  // The state of a task of fewer items with rows for those that came, as they start: what was there stays.
  // Null: its numbers are no rows of items, and its tasks keep the items that they begin with.
  ServerState (*grown)(const Task& task, const ServerState& state) = nullptr;
  // The labelled examples it learns from. Then a history is of examples, by numbers of their own, and the
  // task's items are the classes. Null: it learns from the things that people have.
  ExampleForm (*examples)(const Task& task) = nullptr;
  // How likely one of them, of the task's size, is of each class; nothing that trains is needed.
  std::vector<float> (*classify)(const Task& task, const RowMatrix& shared,
                                 std::span<const std::uint8_t> example) = nullptr;
};

// A half of a model's own.
template <class Half>
std::unique_ptr<DeviceModel> device_half(const Task& task, const DeviceStreams& streams,
                                         const DeviceHistory& history) {
  return std::make_unique<Half>(task, streams, history);
}
#ifdef SOTTO_NO_SERVER  // the library for apps on devices
template <class Half>
inline constexpr std::nullptr_t server_half = nullptr;
inline constexpr std::nullptr_t grown_by_rows = nullptr;
#else
// Of models whose shared rows are the items', in their order.
[[nodiscard]] ServerState grown_by_rows(const Task& task, const ServerState& state);
template <class Half>
std::unique_ptr<ServerModel> server_half(const Task& task) {
  return std::make_unique<Half>(task);
}
#endif

}  // namespace sotto::fed
