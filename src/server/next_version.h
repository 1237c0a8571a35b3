// NextVersion: what a round's sum comes to. Solving a model takes seconds, so that it is computed without the
// coordinator's lock: begin() and made() are called with it, compute() without.
//
// Law: of those who ask one is told by take() to compute it; until it is made whatever it is made of stays as
// it is.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "server/round_sum.h"
#include "server/store.h"
#include "server/version_shelf.h"

namespace sotto::server {

// All of a version that takes long.
struct MadeVersion {
  RoundRelease release;
  std::string model_hash;
  VersionShelf::Version packed;
  Result<std::string> master;  // the name of the blob in the store
};
// The version behind `newest`, whose state is `before`; `steps` made it. Fails where the sum gives no model.
[[nodiscard]] Result<MadeVersion> make_version(RoundSum& sum, const SumTotal* total, std::uint32_t steps,
                                               const ServerState& before, std::uint32_t newest,
                                               const VersionShelf& shelf, Store& store);

class NextVersion {
 public:
  using Make = std::function<Result<MadeVersion>()>;
  void begin(Make make);
  [[nodiscard]] bool is_under_way() const { return stage_ != Stage::none; }
  [[nodiscard]] bool take();
  void compute();
  [[nodiscard]] Result<MadeVersion> made();

 private:
  enum class Stage : std::uint8_t { none, waits, taken };
  Stage stage_ = Stage::none;
  Make make_;
  std::optional<Result<MadeVersion>> made_;
};

}  // namespace sotto::server
