#include "server/version_shelf.h"

#include <algorithm>

#include "fed/wire/signed_request.h"

namespace sotto::server {

namespace {

v1::BlobRef ref_of(const std::string& bytes) {
  v1::BlobRef ref;
  ref.set_hash(blob_hash(bytes));
  ref.set_bytes(bytes.size());
  return ref;
}

}  // namespace

VersionShelf::Version VersionShelf::packed(std::uint32_t number, const RowMatrix& master) const {
  Version version;
  version.number = number;
  version.encoded = publish(master, shape_.precision);
  version.name = blob_hash(version.encoded);
  if (master.rows() < shape_.rows) {
    version.encoded = with_rows(version.encoded, shape_);
  } else {
    version.packed = std::make_shared<const std::string>(pack_model(version.encoded));
    version.full = ref_of(*version.packed);
  }
  return version;
}

void VersionShelf::add(Version version) {
  const std::uint32_t number = version.number;
  if (version.packed != nullptr) blobs_[version.full.hash()] = version.packed;
  versions_.push_back(std::move(version));
  const auto is_kept = [&](const std::string& hash) {
    return std::any_of(versions_.begin(), versions_.end(),
                       [&](const Version& one) { return one.full.hash() == hash; });
  };
  while (versions_.size() > keep_) {
    const std::string gone = versions_.front().full.hash();
    versions_.pop_front();
    if (!is_kept(gone)) blobs_.erase(gone);  // a round may change nothing: then two versions are one blob
  }
  // A device may still be fetching a delta to the version before.
  const std::uint32_t least = number == 0 ? 0 : number - 1;
  for (auto at = deltas_.begin(); at != deltas_.end();) {
    if (at->first.second >= least) {
      ++at;
      continue;
    }
    blobs_.erase(at->second.ref.hash());
    at = deltas_.erase(at);
  }
}

const VersionShelf::Version* VersionShelf::find(std::uint32_t number) const {
  const auto found = std::find_if(versions_.begin(), versions_.end(),
                                  [&](const Version& version) { return version.number == number; });
  return found == versions_.end() || found->packed == nullptr ? nullptr : &*found;
}

std::optional<v1::BlobRef> VersionShelf::delta(const std::string& from, const Version& to) {
  const auto found = std::find_if(versions_.begin(), versions_.end(),
                                  [&](const Version& version) { return version.name == from; });
  if (found == versions_.end() || found->number >= to.number) return std::nullopt;
  const auto [at, is_new] = deltas_.try_emplace({found->number, to.number});
  Delta& delta = at->second;
  if (is_new) {
    std::string packed = make_delta(found->encoded, to.encoded, shape_);
    if (packed.size() < to.packed->size()) {
      delta.ref = ref_of(packed);
      delta.packed = std::make_shared<const std::string>(std::move(packed));
      blobs_[delta.ref.hash()] = delta.packed;
    }
  }
  if (delta.packed == nullptr) return std::nullopt;
  return delta.ref;
}

SharedBlob VersionShelf::blob(const std::string& hash) const {
  const auto found = blobs_.find(hash);
  return found == blobs_.end() ? nullptr : found->second;
}

}  // namespace sotto::server
