// FCF: federated collaborative filtering (Ammad-ud-din et al. 2019), on the loss of model/als.h.
//
// A device receives Q, solves its p_u exactly and sends the gradient of its share of the loss for every item:
//   ∂/∂q_i = −2 c_ui (x_ui − p_u·q_i) p_u,
// a dense answer, so that which rows are in it says nothing. An item that consent keeps back is answered as
// if it were not consumed. The server adds the regularisation 2λq_i and takes one step of Adam or SGD a
// round. Where a cohort is a part of the users, its sum is scaled up to everybody's. A row that would leave
// the range of one update is shortened to it as a whole, and counted: every row stays a multiple of p.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "model/history_model.h"
#include "model/server_step.h"

namespace sotto::model {

struct FcfOptions {
  AlsOptions als;
  ServerStepOptions server = {};
};
[[nodiscard]] Status check(const FcfOptions& options);
// The rate of a server's step where none is given: plain steps go along a sum over all users, and are short.
[[nodiscard]] float usual_fcf_rate(ServerStep step);

class Fcf {
 public:
  static constexpr const char* title = "FCF";
  using Received = FactorSide;

  // `share` of the users is in a round.
  Fcf(const FcfOptions& options, std::size_t catalogue, double share)
      : options_(options), catalogue_(catalogue), share_(share) {}

  [[nodiscard]] std::size_t shared_rows() const { return catalogue_; }
  [[nodiscard]] std::size_t shared_width() const { return std::size_t{options_.als.factors} + 1; }
  [[nodiscard]] std::size_t private_width() const { return shared_width(); }
  [[nodiscard]] std::size_t sum_rows() const { return catalogue_; }
  [[nodiscard]] std::size_t sum_width() const { return options_.als.factors; }
  [[nodiscard]] RowMatrix start_shared() const { return start_items(options_.als, catalogue_); }
  [[nodiscard]] RowMatrix start_memory() const {
    return start_moments(options_.server, catalogue_, sum_width());
  }
  void start_private(UserIndex /*user*/, float* own) const { start_user(options_.als.factors, own); }

  class Device {
   public:
    explicit Device(const Fcf& model)
        : solver_(model.options_.als),
          confidence_(model.options_.als.confidence),
          vector_(1, model.shared_width()),
          sum_stride_(RowMatrix::stride_for(model.sum_width())),
          scores_(model.catalogue_) {}

    [[nodiscard]] AlsSolver::Outcome solve(const HistoryVisit& visit) {
      return solver_.solve(*visit.received, visit.history, visit.received->rows().rows(), visit.own);
    }
    template <class Sink>
    [[nodiscard]] AnswerReport contribute(const HistoryVisit& visit, Sink& sink) {
      if (!set_scores(visit)) return {.finite = false};
      AnswerReport report;
      auto next = visit.history.begin();
      for (std::uint32_t item = 0; item < scores_.size(); ++item) {
        const bool consumed = next != visit.history.end() && next->value == item;
        if (consumed) ++next;
        std::int32_t* out = consumed ? sink.open(Evidence::positive, item, item) : nullptr;
        const float slope =
            out != nullptr ? -2.0f * (1.0f + confidence_) * (1.0f - scores_[item]) : 2.0f * scores_[item];
        if (out == nullptr) out = sink.open(Evidence::negative, item, item);
        if (out == nullptr) continue;
        float factor = slope * sink.scale();
        if (std::abs(factor) > most_factor_) {
          ++report.held_rows;
          factor = std::copysign(most_factor_, factor);
        }
        if (kernels::add_multiple(out, vector_.row(0), factor, sum_stride_)) sink.relieve(item);
      }
      return report;
    }

   private:
    // The vector, and p·q of every item; false where one is not a finite number.
    [[nodiscard]] bool set_scores(const HistoryVisit& visit);

    AlsSolver solver_;
    float confidence_;
    RowMatrix vector_;          // [p, 0]
    float most_factor_ = 0.0f;  // times p, that is within the range of one update
    std::size_t sum_stride_;
    std::vector<float> scores_;
  };

  class Server {
   public:
    Server(const Fcf& model, std::uint32_t round, FixedPoint fixed, RowMatrix& shared, RowMatrix& memory);
    template <class Integer>
    void take(std::uint32_t item, const Integer* sum);
    [[nodiscard]] bool solved() const { return steps_.finite(); }

   private:
    AlsOptions als_;
    float unit_;
    RowMatrix& shared_;
    std::vector<float> slope_;
    RoundSteps steps_;
  };

 private:
  FcfOptions options_;
  std::size_t catalogue_;
  double share_;
};

}  // namespace sotto::model
