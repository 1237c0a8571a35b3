// What the commands below `sotto results` share: which cells they look at, and how they answer.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/results_sheet.h"
#include "lab/study/results_view.h"

namespace sotto::cli {

struct ResultsOptions {
  CommonOptions common;
  std::string file;
  std::vector<std::string> where;
  std::vector<std::string> metrics;
  std::string status;
  std::string phase;
  std::string sort;
  std::string format = "table";
  std::string out = "-";
  bool times = false;
  bool per_user = false;
  bool items = false;
};

// The cells that the options ask for.
[[nodiscard]] Result<std::vector<StoredCell>> asked_cells(const ResultsFile& file,
                                                          const ResultsOptions& options);
// The metrics to show: those asked for, or a few at the deepest cut-off. Each exists.
[[nodiscard]] Result<std::vector<std::string>> asked_metrics(const std::vector<StoredCell>& cells,
                                                             const ResultsOptions& options);
// Study, dataset, model, phase and settings of a place. Programs get a column a setting, people one for all;
// they are spared a study or phase that is everywhere the same.
class PlaceColumns {
 public:
  PlaceColumns(const std::vector<StoredCell>& cells, bool with_seed);
  void add_to(Sheet& sheet) const;
  [[nodiscard]] std::vector<SheetCell> cells(const CellPlace& place) const;

 private:
  std::vector<std::string> keys_;
  bool with_study_ = false;
  bool with_phase_ = false;
  bool with_seed_;
};

// Prints or writes the sheet as the options say.
[[nodiscard]] Status answer(const Sheet& sheet, const ResultsOptions& options, const Console& console);

// `sotto results export`: everything about each cell.
[[nodiscard]] Status export_results(ResultsOptions& options, const Console& console);
// `sotto results curves`: one row an epoch.
[[nodiscard]] Status show_curves(ResultsOptions& options, const Console& console);

}  // namespace sotto::cli
