// For tests: the evaluations of a PlainStore, and how its trials end.
#pragma once

#include <algorithm>
#include <vector>

#include "server/store.h"

namespace sotto::server {

// False: it is not the newest, or not on trial.
inline bool plain_promotion(std::vector<VersionRecord>& versions, std::uint32_t version) {
  if (versions.empty() || versions.back().number != version) return false;
  std::optional<VersionTrial>& trial = versions.back().trial;
  if (!trial || trial->promoted) return false;
  trial->promoted = true;
  return true;
}

class PlainEvaluations {
 public:
  // False: the version was judged, by those people, before.
  bool add(const EvaluationRecord& evaluation) {
    const auto is_same = [&](const EvaluationRecord& one) {
      return one.task == evaluation.task && one.version == evaluation.version &&
             one.beside == evaluation.beside;
    };
    if (std::ranges::any_of(all_, is_same)) return false;
    all_.push_back(evaluation);
    return true;
  }
  [[nodiscard]] std::vector<EvaluationRecord> of(const std::string& task, std::size_t most) const {
    std::vector<EvaluationRecord> found = all_;
    std::erase_if(found, [&](const EvaluationRecord& one) { return one.task != task; });
    std::ranges::sort(found, [](const EvaluationRecord& a, const EvaluationRecord& b) {
      return a.version != b.version ? a.version > b.version : a.beside < b.beside;
    });
    found.resize(std::min(found.size(), most));
    return found;
  }

 private:
  std::vector<EvaluationRecord> all_;
};

}  // namespace sotto::server
