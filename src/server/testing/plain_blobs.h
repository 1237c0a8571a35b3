// The part of a PlainStore that is bytes by their hash.
#pragma once

#include <map>
#include <set>

#include "server/testing/plain_people.h"

namespace sotto::server {

class PlainBlobs {
 public:
  Result<std::string> put(std::string_view bytes) {
    return blobs_.insert_or_assign(blob_hash(bytes), bytes).first->first;
  }
  Result<std::string> get(const std::string& hash) {
    if (!has(hash)) return plain_missing();
    return blobs_[hash];
  }
  [[nodiscard]] bool has(const std::string& hash) const { return blobs_.contains(hash); }
  void keep(const std::set<std::string>& kept) {
    std::erase_if(blobs_, [&](const auto& blob) { return !kept.contains(blob.first); });
  }

 private:
  std::map<std::string, std::string> blobs_;
};

}  // namespace sotto::server
