// A device's rows and examples while it learns or predicts with Fed-CARS: the few shared rows that its
// examples name, numbered anew, the own row first.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/row_matrix.h"
#include "model/fedcars/fedcars_options.h"

namespace sotto::model {

enum class FedcarsHead : std::uint8_t { rating, choice };
enum class ExampleUse : std::uint8_t { support, query };

// Keeps its memory from visit to visit.
class FedcarsWork {
 public:
  FedcarsWork(const FedcarsOptions& options, const FedcarsLayout& layout);

  // Begins anew, from the rows that were received; they outlive the visit.
  void begin(const RowMatrix& received);
  // Features are in the numbers of the shared rows.
  void add(FedcarsHead head, ExampleUse use, std::span<const FmFeature> features, float target, float weight);
  // The slope of the head's rows (model/fedcars/maml.h); returns the query's loss. Nothing: no query.
  std::optional<float> learn(FedcarsHead head);
  // Adapts the head to its support examples by so many inner steps (none: as many as the options say); then
  // it predicts. Steps that run away are taken back: better everybody's rows than none.
  void adapt(FedcarsHead head, std::optional<std::uint32_t> steps = std::nullopt);
  [[nodiscard]] float predict(FedcarsHead head, std::span<const FmFeature> features);

  // The rows that were named: their numbers among the shared ones, and a head's slope there.
  [[nodiscard]] std::span<const std::uint32_t> rows() const { return rows_; }
  [[nodiscard]] const float* slope(FedcarsHead head, std::size_t n) const {
    return slopes_[at(head)].data() + n * layout_.shape.width();
  }

 private:
  static std::size_t at(FedcarsHead head) { return static_cast<std::size_t>(head); }
  [[nodiscard]] std::uint32_t local(std::uint32_t row);
  void translate(std::span<const FmFeature> features);
  // The received numbers of rows that a head's array does not hold yet.
  void load(FedcarsHead head, std::vector<float>& numbers) const;

  FedcarsLayout layout_;
  std::array<Maml<float>, 2> maml_;
  const RowMatrix* received_ = nullptr;
  std::vector<std::uint32_t> place_;  // of each shared row among the named ones, plus one; 0: not named
  std::vector<std::uint32_t> rows_;
  std::vector<FmFeature> features_;
  std::array<std::array<std::vector<FmExample>, 2>, 2> examples_;  // by head and use
  std::array<std::vector<float>, 2> numbers_, slopes_;
};

}  // namespace sotto::model
