// KGFlex (thesis ch. 6; docs/models.md): what a person cares about is a sparse view of features of items.
//
// Shared: one row a feature, [g_0 … g_{m−1}, b]. Private: p_f for the person's own features alone, each kept
// as [p_0 … p_{m−1}, 1], so that a feature's part of a score is k_f · (one product of two rows), and
//   r̂_ui = Σ_{f ∈ F_u ∩ F_i} k_f (p_f·g_f + b_f).
// A visit draws pairs (i consumed, j not). With d = σ(−(r̂_ui − r̂_uj)) and c_f = d([f ∈ F_i] − [f ∈ F_j]),
//   Δg_f = c_f k_f p_f − λ_g g_f     Δb_f = c_f k_f     p_f += α(c_f k_f g_f − λ_p p_f)
// for every own feature of i or j; each item that has it counts for λ. A pair without an own feature says
// nothing. The shared rows stay the received ones for the whole visit; `batch` moves p once, by the sum over
// all pairs (the authors' code), `sequential` after each pair. The server adds α times the sum over its
// cohort, or lets Adam step along it. An item that consent keeps back counts for the person's own p, and not
// in what leaves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/kernels.h"
#include "data/membership.h"
#include "data/pair_sampler.h"
#include "model/history_model.h"
#include "model/kgflex/kgflex_work.h"

namespace sotto::model {

// What the devices of a federation hold beside their private rows: their profiles, their histories, and what
// everybody knows, the features of the items.
class KgflexDevices {
 public:
  // `trained_on` is what may be learned from: an item that is not in it is as if its person did not have it.
  // Its users count from `first`: a device that knows itself alone has one history and its own index.
  KgflexDevices(std::shared_ptr<const ItemFeatures> features, Histories trained_on, std::size_t catalogue,
                const ProfileOptions& options, KeepsBack keeps_back, Executor& executor,
                UserIndex first = UserIndex{0});
  KgflexDevices(const KgflexDevices&) = delete;
  KgflexDevices& operator=(const KgflexDevices&) = delete;

  [[nodiscard]] const ItemFeatures& features() const { return *features_; }
  [[nodiscard]] const FeatureProfiles& profiles() const { return profiles_; }
  [[nodiscard]] const Histories& histories() const { return trained_on_; }
  [[nodiscard]] const Membership& consumed() const { return consumed_; }
  [[nodiscard]] std::size_t catalogue() const { return catalogue_; }
  [[nodiscard]] const ProfileOptions& options() const { return options_; }
  [[nodiscard]] const KeepsBack& keeps_back() const { return keeps_back_; }  // may be empty
  [[nodiscard]] UserIndex first() const { return first_; }

 private:
  std::shared_ptr<const ItemFeatures> features_;
  Histories trained_on_;
  std::size_t catalogue_;
  ProfileOptions options_;
  KeepsBack keeps_back_;
  UserIndex first_;
  FeatureProfiles profiles_;
  Membership consumed_;
};

class Kgflex {
 public:
  static constexpr const char* title = "KGFlex";
  using Received = RowMatrix;

  Kgflex(const KgflexOptions& options, std::shared_ptr<const KgflexDevices> devices)
      : options_(options), features_(devices->features().features()), devices_(std::move(devices)) {}
  // As a server knows it, which has no devices: so many features.
  Kgflex(const KgflexOptions& options, std::size_t features) : options_(options), features_(features) {}

  [[nodiscard]] std::size_t shared_rows() const { return features_; }
  [[nodiscard]] std::size_t shared_width() const { return std::size_t{options_.factors} + 1; }
  [[nodiscard]] std::size_t sum_rows() const { return shared_rows(); }
  [[nodiscard]] std::size_t sum_width() const { return shared_width(); }
  // Room for the longest profile, and at least for one feature.
  [[nodiscard]] std::size_t private_width() const {
    return std::max<std::size_t>(devices_->profiles().longest(), 1) * RowMatrix::stride_for(shared_width());
  }
  [[nodiscard]] RowMatrix start_shared() const;
  [[nodiscard]] RowMatrix start_memory() const {
    return start_moments(options_.server, shared_rows(), shared_width());
  }
  void start_private(UserIndex user, float* own) const;
  [[nodiscard]] const KgflexOptions& options() const { return options_; }
  [[nodiscard]] const KgflexDevices& devices() const { return *devices_; }

  class Device;
  class Server;

 private:
  KgflexOptions options_;
  std::size_t features_;
  std::shared_ptr<const KgflexDevices> devices_;
};

}  // namespace sotto::model

#include "model/kgflex/kgflex_fit.h"  // IWYU pragma: keep
