// A person at work with KGFlex on their own features: parts of scores, and what pairs of items say about them
// (model/kgflex/kgflex.h has the formulas).
//
// Laws: what may not leave is in no row of to_send(); the same calls give the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/row_matrix.h"
#include "data/pair_sampler.h"
#include "model/fpl.h"
#include "model/kgflex/profile.h"
#include "model/server_step.h"

namespace sotto::model {

struct KgflexOptions {
  std::uint32_t factors = 10;  // m
  float learning_rate = 0.1f;  // α
  float personal_reg = 0.0f;   // λ_p
  float shared_reg = 0.0f;     // λ_g
  float init_sd = 0.1f;        // p, g and b start as N(0, sd²)
  LocalSteps local = LocalSteps::batch;
  std::optional<std::uint32_t> pairs = {};  // a visit; none: as many as the person has items
  std::uint64_t seed = 1;
  // The server's step along the devices' sum; plain ones go at α (the thesis).
  ServerStepOptions server = {.step = ServerStep::sgd, .rate = 0.1f};
};
[[nodiscard]] Status check(const KgflexOptions& options);

// Keeps its memory from visit to visit.
class KgflexWork {
 public:
  KgflexWork(const KgflexOptions& options, const ItemFeatures& features);

  // Begins a visit. `own` are the private rows of the profile's features; both outlive it.
  void begin(const FeatureProfile& profile, const RowMatrix& shared, float* own);
  // What a pair says, gathered until the next move(). `send` tells whether each item may leave. False: it has
  // no own feature.
  [[nodiscard]] bool gather(const Pair& pair, bool send_positive, bool send_negative);
  // Moves the own rows by what was gathered, and adds it up for sending; with `shared`, moves these rows too.
  void move(RowMatrix* shared);

  [[nodiscard]] double loss() const { return loss_; }  // Σ −ln σ(x̂) of what was gathered since begin()
  [[nodiscard]] bool finite() const { return finite_; }
  // The update of the n-th own feature's shared row, of all that may leave; nothing: none does.
  [[nodiscard]] const float* to_send(std::size_t n) const { return sends_[n] != 0 ? sent_.row(n) : nullptr; }
  // k_f (p_f·g_f + b_f) of the n-th own feature.
  [[nodiscard]] float part(std::size_t n) const { return parts_[n]; }

 private:
  // What pairs said about one own feature since the last move().
  struct Said {
    float own = 0.0f, sent = 0.0f;  // Σ c_f, of all pairs and of what may leave
    std::uint32_t times = 0, times_sent = 0;
  };

  [[nodiscard]] float score(ItemIndex item) const;
  std::size_t note(ItemIndex item, float amount, bool send);
  void set_part(std::size_t n);

  KgflexOptions options_;
  const ItemFeatures& features_;
  std::size_t stride_;
  std::vector<std::uint32_t> place_;  // of each feature among the own ones, plus one; 0: not one of them
  FeatureProfile profile_;
  const RowMatrix* shared_ = nullptr;
  float* own_ = nullptr;
  std::vector<float> parts_;
  std::vector<Said> said_;
  std::vector<std::uint32_t> touched_;
  RowMatrix sent_;
  std::vector<std::uint8_t> sends_;
  double loss_ = 0.0;
  bool finite_ = true;
};

}  // namespace sotto::model
