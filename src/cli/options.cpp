#include "cli/options.h"

namespace sotto {

namespace {

constexpr const char* data_group = "Data";

}  // namespace

void add_reading_options(CLI::App& app, Edits<DataRequest>& edits) {
  using Paths = std::vector<std::string>;
  add_edit<std::string>(app, edits, "--columns",
                        "what the columns mean, such as user=1,item=2,time=4; else detected",
                        [](DataRequest& data, const std::string& value) { data.columns = value; })
      ->type_name("LIST")
      ->group(data_group);
  add_edit<Paths>(app, edits, "--names", "files with the items' names and categories",
                  [](DataRequest& data, const Paths& value) { data.names = value; })
      ->type_name("FILE")
      ->group(data_group);
  add_edit<float>(app, edits, "--min-rating", "keep ratings at or above",
                  [](DataRequest& data, const float& value) { data.filter.min_rating = value; })
      ->type_name("R")
      ->group(data_group);
  add_edit<std::uint32_t>(app, edits, "--min-user", "keep users with at least so many items",
                          [](DataRequest& data, const std::uint32_t& value) { data.filter.min_user = value; })
      ->type_name("N")
      ->group(data_group);
  add_edit<std::uint32_t>(app, edits, "--core", "keep users and items with at least so many of each other",
                          [](DataRequest& data, const std::uint32_t& value) { data.filter.core = value; })
      ->type_name("K")
      ->group(data_group);
}

void add_split_options(CLI::App& app, Edits<DataRequest>& edits) {
  using Paths = std::vector<std::string>;
  add_edit<std::string>(app, edits, "--split",
                        "temporal:SHARE, random:SHARE, leave-one-out or at:DATE; SHARE is for training",
                        [](DataRequest& data, const std::string& value) -> Status {
                          SOTTO_TRY(data.split.rule, parse_split_rule(value));
                          return Done{};
                        })
      ->type_name("RULE")
      ->default_str(to_string(SplitOptions{}.rule))
      ->group(data_group);
  add_edit<double>(app, edits, "--validation", "share of the training part to hold out for validation",
                   [](DataRequest& data, const double& value) { data.split.validation_share = value; })
      ->type_name("SHARE")
      ->default_str("0")
      ->group(data_group);
  add_edit<Paths>(app, edits, "--test", "files of a given test part: nothing is split",
                  [](DataRequest& data, const Paths& value) { data.test = value; })
      ->type_name("FILE")
      ->group(data_group);
  add_edit<Paths>(app, edits, "--validation-data", "files of a given validation part, with --test",
                  [](DataRequest& data, const Paths& value) { data.validation = value; })
      ->type_name("FILE")
      ->group(data_group);
}

void add_data_options(CLI::App& app, Edits<DataRequest>& edits) {
  using Paths = std::vector<std::string>;
  add_edit<Paths>(app, edits, "--data", "files or folders of interactions, plain or .zst",
                  [](DataRequest& data, const Paths& value) { data.paths = value; })
      ->type_name("PATH")
      ->group(data_group);
  add_edit<std::string>(app, edits, "--split-file", "a split made by 'sotto data split'; in place of --data",
                        [](DataRequest& data, const std::string& value) { data.split_file = value; })
      ->type_name("FILE")
      ->group(data_group);
  add_reading_options(app, edits);
  add_split_options(app, edits);
}

}  // namespace sotto
