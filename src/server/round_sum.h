// RoundSum: from what a round's devices gave to the next model: sum, noise where the task has it, and the
// charge for it. Where a round has several parts each has a sum, and they are opened one after the other.
//
// Laws: nothing is released that is not charged, and whether noisy sums have a solution is a release too:
// from the noise on the round is charged, whether a model comes of it or not; keep() says that the charge
// went to the store with the round's end. The state is never changed, a release is another one.
#pragma once

#include <memory>
#include <optional>

#include "fed/dp_sum.h"
#include "fed/models/task_model.h"
#include "fed/wire/round_secure.h"
#include "privacy/dp/budget.h"
#include "server/budget_text.h"
#include "server/task_config.h"

namespace sotto::server {

struct RoundRelease {
  ServerState state;
  std::uint64_t devices = 0;
  std::string budget;  // what the store must keep; empty: no noise, no budget
};

class RoundSum {
 public:
  // `budget` is what the store has; empty: a new one, where the task has noise.
  [[nodiscard]] static Result<std::unique_ptr<RoundSum>> make(const TaskConfig& config, const Task& task,
                                                              const std::string& budget);

  // Whether the budget bears another release.
  [[nodiscard]] Status can_pay() const;
  [[nodiscard]] Status begin(std::uint32_t round, const RowMatrix& master);
  // What is told of the part at hand, which is over; the next one is. Fails with Code::bad_input where no
  // honest devices can have added that up.
  [[nodiscard]] Result<PartTotal> close_part(const SumTotal* total);
  // Where contributions go.
  [[nodiscard]] Collector& open() { return noise_ ? static_cast<Collector&>(*noise_) : sum(); }
  // `releases` were before this one.
  [[nodiscard]] Result<RoundRelease> finish(std::uint32_t releases, const ServerState& state,
                                            const SumTotal* total);
  [[nodiscard]] const ServerModel& model() const { return *model_; }
  // Who checks what is given to the part at hand.
  [[nodiscard]] const ServerModel& check() const { return part_model_ ? *part_model_ : *model_; }
  // What the store must keep where the round is given up; empty: nothing was charged for it.
  [[nodiscard]] std::string charged() const { return charged_ ? budget_text(*pending_) : std::string(); }
  void keep();
  // The release could not be written: nobody has it, and it is not charged.
  void waive() { charged_ = false; }
  // ε that was spent, where the task has noise.
  [[nodiscard]] std::optional<double> spent() const;
  [[nodiscard]] std::string budget() const;

 private:
  // The room of a part.
  struct Part {
    explicit Part(SumShape its)
        : shape(its), total_space(its.rows, its.width), plain(its), secure(its.width) {}
    SumShape shape;
    SumSpace total_space;
    PlainCollector plain;
    GivenTotal secure;
  };

  RoundSum(const Task& task, std::optional<PrivacyBudget> budget, double noise);
  [[nodiscard]] Part& part() { return *parts_[task_.totals.size()]; }
  [[nodiscard]] Collector& sum() {
    return task_.secure ? static_cast<Collector&>(part().secure) : static_cast<Collector&>(part().plain);
  }
  [[nodiscard]] Result<Traffic> finish_part(const SumTotal* total, Aggregator& sum);
  [[nodiscard]] BudgetCharge one_release() const;
  [[nodiscard]] Status charge();

  Task task_;  // with the totals of the parts that are over
  std::unique_ptr<ServerModel> model_, part_model_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::uint32_t round_ = 0;
  std::optional<PrivacyBudget> budget_, pending_;
  bool charged_ = false;  // pending_ holds a charge that budget_ lacks
  double noise_multiplier_;
  std::optional<DpSum> noise_;  // of the round at hand
};

}  // namespace sotto::server
