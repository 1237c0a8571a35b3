// BlobFetch: some bytes that are named by their hash, fetched piece by piece from where the last piece ended.
//
// Where the blob began as another that is here, it goes on from there.
//
// Laws: it never holds more than the size that was named, which the caller bounded; what does not fit the
// size or the hash is refused.
#pragma once

#include <sotto/v1/federation.pb.h>

#include <string>

#include "base/result.h"

namespace sotto::device {

class BlobFetch {
 public:
  // `begun`: bytes that it may begin with; if they turn out to be others, begin_anew() does without them.
  explicit BlobFetch(v1::BlobRef ref, std::string begun = {})
      : ref_(std::move(ref)), data_(std::move(begun)) {
    if (data_.size() >= ref_.bytes()) data_.clear();
    begun_ = !data_.empty();
  }

  [[nodiscard]] bool complete() const { return data_.size() == ref_.bytes(); }
  // An encoded FetchRequest for the next piece.
  [[nodiscard]] std::string next() const;
  // An encoded FetchReply.
  [[nodiscard]] Status take(const std::string& reply);
  // Whether it is complete and not what its name says, because it was begun with other bytes: then those are
  // dropped.
  [[nodiscard]] bool begin_anew();
  // All of it, if it is what its name says.
  [[nodiscard]] Result<std::string> finish() &&;

 private:
  v1::BlobRef ref_;
  std::string data_;
  bool begun_ = false;
};

// Whether a blob may be fetched: its name is one, and it is no larger than `most_bytes`.
[[nodiscard]] bool fetchable(const v1::BlobRef& ref, std::uint64_t most_bytes);

}  // namespace sotto::device
