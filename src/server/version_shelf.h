// VersionShelf: the newest versions of a model as devices fetch them: whole, and as deltas between two.
//
// Laws: a bounded number of versions and deltas is kept; a delta is made when it is first asked for; what was
// handed out stays readable for as long as somebody holds it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "fed/wire/published_model.h"

namespace sotto::server {

using SharedBlob = std::shared_ptr<const std::string>;

class VersionShelf {
 public:
  struct Version {
    std::uint32_t number = 0;
    std::string name;  // blob_hash of the encoding
    std::string encoded;
    v1::BlobRef full;
    SharedBlob packed;
  };

  VersionShelf(const ModelShape& shape, std::size_t keep) : shape_(shape), keep_(keep) {}

  // As devices fetch it; it is not on the shelf yet. One of fewer rows, of a task that grew, is there for
  // deltas alone.
  [[nodiscard]] Version packed(std::uint32_t number, const RowMatrix& master) const;
  // The newest; numbers rise.
  void add(Version version);
  [[nodiscard]] const Version& newest() const { return versions_.back(); }
  [[nodiscard]] const Version* find(std::uint32_t number) const;
  // From the version of that name to `to`; none where it is not kept, or the whole is no longer.
  [[nodiscard]] std::optional<v1::BlobRef> delta(const std::string& from, const Version& to);
  // A whole version or a delta by its hash; null: not here.
  [[nodiscard]] SharedBlob blob(const std::string& hash) const;

 private:
  struct Delta {
    std::uint32_t to = 0;
    v1::BlobRef ref;  // no bytes: it is not worth it
    SharedBlob packed;
  };
  ModelShape shape_;
  std::size_t keep_;
  std::deque<Version> versions_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Delta> deltas_;  // from, to
  std::map<std::string, SharedBlob> blobs_;
};

}  // namespace sotto::server
