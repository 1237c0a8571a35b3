// The cells of a study: the request of each, the split it is trained on, and the key of its result.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "base/result.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "lab/study/results.h"
#include "lab/study/study.h"

namespace sotto::lab {

// What tells a cell from the others of its dataset and model.
struct CellChoice {
  Settings settings;
  std::uint64_t seed = 1;
  Phase phase = Phase::final;
};

// The settled request. Searches train beside a validation part; finals after a search on all training data.
[[nodiscard]] Result<TrainRequest> cell_request(const Study& study, const StudyDataset& dataset,
                                                const StudyModel& model, const CellChoice& choice);

// A split and the name of its content (the labels of its items included).
struct StudySplit {
  Split split;
  std::string content;
};

// The splits of a study. Each file is read once, each split made once and shared by its cells.
class StudyData {
 public:
  // `note` hears what is being read.
  [[nodiscard]] static Result<StudyData> load(const Study& study,
                                              const std::function<void(const std::string&)>& note);

  [[nodiscard]] const StudySplit& of(std::size_t dataset, Phase phase, std::uint64_t seed) const;
  // Each split once.
  [[nodiscard]] std::vector<const Split*> all() const;

 private:
  using Name = std::tuple<std::size_t, Phase, std::uint64_t>;  // dataset, phase, seed
  std::map<Name, std::shared_ptr<const StudySplit>> splits_;
};

// A hash of all that decides the result: request without its paths, content of the data, judged part, format.
// The seed is in it where it decides something: a model that draws nothing is computed once for all seeds.
[[nodiscard]] std::string cell_key(const TrainRequest& request, const StudySplit& data, Phase phase);

// Trains and judges. Cancelled where `stop` is set.
struct ComputedCell {
  CellResult result;
  CellDetail detail;
};
[[nodiscard]] Result<ComputedCell> compute_cell(const TrainRequest& request, const Split& split, Phase phase,
                                                Executor& executor, const std::atomic<bool>* stop);

}  // namespace sotto::lab
