// Federated ALS, exact: the model that central iALS computes, from one sum over the devices a round.
//
// A device receives Q and Σ q qᵀ and solves its p_u exactly. The statistic of a device is the upper triangle
// of [p, 1][p, 1]ᵀ in fixed point, row after row: p pᵀ, p and a 1. It goes into row 0 of the sum, for
// everybody, and into row 1 + i for each consumed item i that consent lets out. From the sums alone the
// server solves each q_i: (Σ_all p pᵀ + α Σ_i p pᵀ + λ I) q_i = (1 + α) Σ_i p. The weights are the server's:
// a device need not know them to contribute. Laws: given the same integer sums, the item rows are those of
// AlsSolver::solve_sums, bit for bit; an item that nobody contributed to has the zero vector; p_u may use the
// whole history, but what is kept back by consent enters no row of its own.
#pragma once

#include "base/kernels.h"
#include "model/history_model.h"

namespace sotto::model {

class FedAls {
 public:
  static constexpr const char* title = "federated ALS";
  using Received = FactorSide;

  FedAls(const AlsOptions& options, std::size_t catalogue) : options_(options), catalogue_(catalogue) {}

  [[nodiscard]] std::size_t shared_rows() const { return catalogue_; }
  [[nodiscard]] std::size_t shared_width() const { return std::size_t{options_.factors} + 1; }
  [[nodiscard]] std::size_t private_width() const { return shared_width(); }
  [[nodiscard]] std::size_t sum_rows() const { return catalogue_ + 1; }
  [[nodiscard]] std::size_t sum_width() const { return statistic_width(options_.factors); }
  [[nodiscard]] static constexpr std::size_t statistic_width(std::size_t factors) {
    return (factors + 1) * (factors + 2) / 2;
  }
  [[nodiscard]] RowMatrix start_shared() const { return start_items(options_, catalogue_); }
  [[nodiscard]] RowMatrix start_memory() const { return {}; }
  void start_private(UserIndex /*user*/, float* own) const { start_user(options_.factors, own); }

  class Device {
   public:
    explicit Device(const FedAls& model)
        : solver_(model.options_),
          factors_(model.options_.factors),
          statistic_(RowMatrix::stride_for(model.sum_width())) {}

    [[nodiscard]] AlsSolver::Outcome solve(const HistoryVisit& visit) {
      return solver_.solve(*visit.received, visit.history, visit.received->rows().rows(), visit.own);
    }
    template <class Sink>
    [[nodiscard]] AnswerReport contribute(const HistoryVisit& visit, Sink& sink) {
      if (!set_statistic(visit.own, sink.scale())) return {.finite = false};
      add(sink.open(Evidence::negative, 0, 0), 0, sink);
      for (const ItemIndex item : visit.history) {
        const std::uint32_t row = item.value + 1;
        add(sink.open(Evidence::positive, item.value, row), row, sink);
      }
      return {};
    }

   private:
    [[nodiscard]] bool set_statistic(const float* own, float scale);
    template <class Sink>
    void add(std::int32_t* out, std::uint32_t row, Sink& sink) {
      if (out != nullptr && kernels::add_row(out, statistic_.data(), statistic_.size())) sink.relieve(row);
    }

    AlsSolver solver_;
    std::size_t factors_;
    AlignedBuffer<std::int32_t> statistic_;
  };

  class Server {
   public:
    Server(const FedAls& model, std::uint32_t round, FixedPoint fixed, RowMatrix& shared, RowMatrix& memory);
    // Row 0 comes first.
    template <class Integer>
    void take(std::uint32_t row, const Integer* sum) {
      row == 0 ? take_all(sum) : take_item(row - 1, sum);
    }
    // Not where the row that everybody adds to is missing.
    [[nodiscard]] bool solved() const { return solved_ && everybody_; }

   private:
    template <class Integer>
    void take_all(const Integer* sum);
    template <class Integer>
    void take_item(std::uint32_t item, const Integer* sum);

    AlsSolver solver_;
    double unit_;
    RowMatrix& shared_;
    RowMatrix gram_;
    std::size_t devices_ = 0;
    bool solved_ = true;
    bool everybody_ = false;
  };

 private:
  AlsOptions options_;
  std::size_t catalogue_;
};

// Contributions hold rows of limited width.
[[nodiscard]] Status check_fed_als(const AlsOptions& options);

}  // namespace sotto::model
