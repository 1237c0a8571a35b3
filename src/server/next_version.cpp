#include "server/next_version.h"

#include <cmath>
#include <utility>

#include "base/row_hash.h"
#include "server/master_blob.h"
#include "server/store.h"

namespace sotto::server {

namespace {

bool all_finite(const RowMatrix& rows) {
  for (std::size_t row = 0; row < rows.rows(); ++row)
    for (const float value : rows.values(row))
      if (!std::isfinite(value)) return false;
  return true;
}

}  // namespace

Result<MadeVersion> make_version(RoundSum& sum, const SumTotal* total, std::uint32_t steps,
                                 const ServerState& before, std::uint32_t newest, const VersionShelf& shelf,
                                 Store& store) {
  SOTTO_TRY(RoundRelease release, sum.finish(steps, before, total));
  const ServerState& state = release.state;
  if (!all_finite(state.shared) || !all_finite(state.memory))
    return fail(Code::diverged,
                "the numbers left the finite range: lower the learning rate of the next task");
  std::string model_hash = hash_rows(state.shared);
  VersionShelf::Version packed = shelf.packed(newest + 1, state.shared);
  auto master = store.put_blob(master_blob(state));
  return MadeVersion{std::move(release), std::move(model_hash), std::move(packed), std::move(master)};
}

void NextVersion::begin(Make make) {
  make_ = std::move(make);
  stage_ = Stage::waits;
}

bool NextVersion::take() {
  if (stage_ != Stage::waits) return false;
  stage_ = Stage::taken;
  return true;
}

void NextVersion::compute() {
  try {
    made_.emplace(make_());
  } catch (const std::exception&) {
    made_.emplace(fail(Code::io, "the memory does not suffice to make the next version"));
  }
}

Result<MadeVersion> NextVersion::made() {
  Result<MadeVersion> made = std::move(*made_);
  made_.reset();
  stage_ = Stage::none;
  return made;
}

}  // namespace sotto::server
