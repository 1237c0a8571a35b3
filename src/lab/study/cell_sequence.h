// CellSequence: the cells of one dataset and one model in a study, from the first search trial to the last
// final cell.
//
// Law: which cells come, and in which order, depends on the study and the results alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/study/cells.h"
#include "lab/study/search.h"

namespace sotto::lab {

struct Cell {
  std::size_t sequence = 0;
  std::size_t slot = 0;  // among the cells that its sequence waits for
  CellPlace place;
  TrainRequest request;
  const StudySplit* data = nullptr;
  double work = 1.0;  // in trainings to the last epoch
};

class CellSequence {
 public:
  CellSequence(const Study& study, const StudyData& data, std::size_t dataset, std::size_t model);

  [[nodiscard]] const std::string& dataset() const { return study_.datasets[dataset_].name; }
  [[nodiscard]] const std::string& model() const { return study_.models[model_].label; }

  // The cells to do now; none: the sequence is over. A cell that cannot be has no request but a reason.
  struct Step {
    std::vector<Cell> cells;
    std::vector<std::string> problems;  // one a cell; empty where it can run
  };
  [[nodiscard]] Step next();
  // The result of the cell in this slot. True when all cells of the step are there.
  [[nodiscard]] bool tell(std::size_t slot, const CellResult& result);

  [[nodiscard]] std::uint64_t search_cells() const { return searcher_ ? searcher_->most_trials() : 0; }
  [[nodiscard]] std::uint64_t final_cells() const;
  // Of all its cells, at most.
  [[nodiscard]] double work() const {
    return (searcher_ ? searcher_->most_work() : 0.0) + static_cast<double>(final_cells());
  }

 private:
  enum class Stage : std::uint8_t { search, final, over };

  void add(Step& step, const CellChoice& choice, const std::string& problem);
  [[nodiscard]] Step search_step();
  [[nodiscard]] Step final_step();
  void end_search_step();
  // The settings of the best trial, with its best epoch; none if every trial failed.
  [[nodiscard]] std::optional<Settings> chosen() const;

  const Study& study_;
  const StudyData& data_;
  std::size_t dataset_;
  std::size_t model_;
  std::unique_ptr<Searcher> searcher_;
  Stage stage_;
  std::uint64_t given_ = 0;  // cells so far
  std::vector<Settings> tried_;
  std::vector<std::optional<std::uint32_t>> best_epochs_;  // one a trial
  std::vector<CellResult> step_;                           // results of the step at hand
  std::size_t missing_ = 0;
};

}  // namespace sotto::lab
