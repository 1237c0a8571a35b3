#include "cli/parts_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "engine/terminal/table.h"

namespace sotto::cli {

void print_parts(const Split& split, const Console& console) {
  Table parts({{"part"}, {"interactions", Align::right}, {"per user, on average", Align::right}});
  const auto add = [&](const char* name, const Histories& part) {
    const double mean = static_cast<double>(part.interactions()) / static_cast<double>(split.users.size());
    parts.row({name, human_count(part.interactions()), fmt::format("{:.1f}", mean)});
  };
  add("training", split.train);
  if (split.validation.interactions() > 0) add("validation", split.validation);
  add("test", split.test);
  console.print(parts.text(console));
  Table facts = fact_table();
  facts.row({"users", fmt::format("{}, {} of them without test items", human_count(split.users.size()),
                                  human_count(split.users_without_test()))});
  facts.row({"items", fmt::format("{} in training, {} elsewhere only", human_count(split.catalogue),
                                  human_count(split.items.size() - split.catalogue))});
  facts.row({"hash", split.hash.substr(0, 16)});
  console.print("\n" + facts.text(console));
}

nlohmann::json parts_json(const Split& split) {
  return {{"split_hash", split.hash},
          {"users", split.users.size()},
          {"items", split.catalogue},
          {"items_outside_training", split.items.size() - split.catalogue},
          {"train_interactions", split.train.interactions()},
          {"validation_interactions", split.validation.interactions()},
          {"test_interactions", split.test.interactions()},
          {"users_without_training", split.users_without_training()},
          {"users_without_test", split.users_without_test()}};
}

}  // namespace sotto::cli
