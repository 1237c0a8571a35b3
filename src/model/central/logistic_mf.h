// MF as Rendle et al. 2020 revisit it ("Neural collaborative filtering vs. matrix factorization revisited"):
// a dot product with biases under the logistic loss.
//
// An epoch goes over the interactions in random order. Each is one example with label 1, followed by m items
// that the user does not have with label 0; each example is a step down the slope of
//   −ln σ(±x) + λ/2 (‖p‖² + ‖q‖²),  x = b_u + b_i + p·q.
// The user's bias does not change the order of a user's items, so it is no part of the model: it is kept
// beside the rows while training lasts. (A global bias would be its mean.) Laws: as sampled_sgd.h.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/row_matrix.h"
#include "model/central/sampled_sgd.h"

namespace sotto::model {

struct LogisticMfOptions {
  std::uint32_t factors = 20;
  float learning_rate = 0.05f;
  float lambda = 0.005f;
  std::uint32_t negatives = 4;  // m
  float init_sd = 0.1f;
  std::uint64_t seed = 1;
};
[[nodiscard]] Status check(const LogisticMfOptions& options);

// One example on rows of `width` numbers as in model/mf_recommender.h; returns its loss before the step.
float logistic_step(float* user, float& user_bias, float* item, std::size_t width, bool positive, float rate,
                    float lambda);

class LogisticMf {
 public:
  // `train` must outlive the object. Fails for bad options, or without interactions to learn from.
  [[nodiscard]] static Result<std::unique_ptr<LogisticMf>> start(const Histories& train,
                                                                 std::size_t catalogue,
                                                                 const LogisticMfOptions& options);
  // Runs epoch number `epoch`. Its loss is the mean −ln σ of the examples.
  [[nodiscard]] Result<SampledEpoch> run_epoch(std::uint32_t epoch, Executor& executor);
  void restore(RowMatrix users, RowMatrix items, RowMatrix biases);

  [[nodiscard]] const RowMatrix& users() const { return users_; }
  [[nodiscard]] const RowMatrix& items() const { return items_; }
  // The users' biases, sixteen a row.
  [[nodiscard]] const RowMatrix& biases() const { return biases_; }

 private:
  LogisticMf(const Histories& train, std::size_t catalogue, const LogisticMfOptions& options);

  LogisticMfOptions options_;
  Membership consumed_;
  BprBlocks blocks_;
  RowMatrix users_;
  RowMatrix items_;
  RowMatrix biases_;
};

}  // namespace sotto::model
