// What the commands of `sotto kg` share: their flags, and reading what these name.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/field_flags.h"
#include "data/kg/census.h"
#include "engine/plan/knowledge.h"

namespace sotto::cli {

struct KgOptions {
  CommonOptions common;
  FieldFlags edits;
  bool quiet = false;
  std::string out;  // of extract
};

void add_kg_inspect(CLI::App& kg, Cli& cli);

// --kg, --data and the rows of [kg] without their prefix.
void add_kg_command_flags(CLI::App& app, KgOptions& options);

struct ReadKnowledge {
  KnowledgeRequest request;
  std::unique_ptr<Census> census;      // of the graphs; null where there are only lists
  std::optional<Knowledge> knowledge;  // none: a graph without links or items to start at
  BrokenLines broken;                  // where there is no knowledge
  IdTable items;                       // of the data, if any was given
};
// `counting`: take a census too.
[[nodiscard]] Result<ReadKnowledge> read_knowledge(const KgOptions& options, bool counting,
                                                   const Console& console);

// Says what of the knowledge was left out while it was read: broken lines, what was cut of the graph.
void tell_left_out(const KnowledgeReport& report, const Console& console);

}  // namespace sotto::cli
