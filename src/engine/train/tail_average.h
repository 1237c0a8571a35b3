// TailAverage: a training whose model, in the end, is the mean of the shared rows after each of its last
// epochs.
//
// A round of everybody is one large step, and where the last one happens to end is chance; the mean of
// several ends is not. The rows averaged are those that every round releases anyway: nothing more is sent,
// and noise that was added to them is paid for already. People's own rows stay as the last round left them.
// Law: stopped anywhere and restored, it ends with the same bytes.
#pragma once

#include "engine/train/factor_training.h"

namespace sotto::engine {

class TailAverage final : public FactorTraining {
 public:
  // `epochs` at least 1, and no more than the schedule has.
  TailAverage(std::unique_ptr<FactorTraining> inner, std::uint32_t epochs);

  [[nodiscard]] const Schedule& schedule() const override { return inner_->schedule(); }
  [[nodiscard]] std::optional<PrivacySpent> privacy() const override { return inner_->privacy(); }
  [[nodiscard]] std::optional<WeighingTally> weighed() const override { return inner_->weighed(); }
  [[nodiscard]] Status count_before(std::uint32_t rounds) override { return inner_->count_before(rounds); }
  void collect_with(Collector& collector) override { inner_->collect_with(collector); }
  [[nodiscard]] Result<RoundReport> advance(std::uint32_t rounds) override;
  [[nodiscard]] std::uint32_t round() const override { return inner_->round(); }
  [[nodiscard]] const RowMatrix& items() const override { return inner_->items(); }
  [[nodiscard]] const RowMatrix& users() const override { return inner_->users(); }
  [[nodiscard]] std::vector<RowMatrix> layers() const override { return inner_->layers(); }
  [[nodiscard]] std::vector<RowMatrix> moments() const override;  // the inner ones, then the sum so far
  void restore(std::uint32_t round, Parameters parameters) override;
  [[nodiscard]] std::unique_ptr<Recommender> view(const RowMatrix& users,
                                                  const RowMatrix& items) const override {
    return inner_->view(users, items);
  }
  [[nodiscard]] Parameters take() override;
  void count_updates(std::vector<std::uint64_t> so_far) override { inner_->count_updates(std::move(so_far)); }
  [[nodiscard]] std::vector<std::uint64_t> item_updates() const override { return inner_->item_updates(); }

 private:
  void add_epoch();

  std::unique_ptr<FactorTraining> inner_;
  std::uint32_t epochs_;
  RowMatrix sum_;  // of the shared rows after the epochs that count and are over
};

}  // namespace sotto::engine
