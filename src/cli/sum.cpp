// sotto sum: on what terms a secure sum holds for a cohort, and what it costs a device.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "engine/terminal/table.h"
#include "fed/secure/masked_sum.h"
#include "fed/secure/secure_collector.h"

namespace sotto::cli {

namespace {

struct SumPlanOptions {
  CommonOptions common;
  std::uint32_t devices = 1000;
  std::uint32_t rows = 1682;
  std::uint32_t width = 21;
  SumOptions sum;
};

// What one block of so many rows costs.
struct BlockCost {
  std::uint32_t rows = 0;
  SumOffer offer;
  SumCost cost;
};

Result<BlockCost> cost_of(const SumPlanOptions& options, std::uint32_t rows) {
  BlockCost block{.rows = rows, .offer = {}, .cost = {}};
  const std::uint64_t entries = std::uint64_t{rows} * options.width;
  if (entries == 0 || entries > UINT32_MAX)
    return fail(Code::usage, "a block has at least one value, and fewer than 2^32: change --rows or --width");
  SOTTO_TRY(block.offer.terms, sum_terms(options.devices, options.sum.assumed));
  const std::uint32_t limit = options.sum.limit == 0 ? fixed_limit : options.sum.limit;
  SOTTO_TRY(block.offer.range,
            plan_range(options.devices, static_cast<std::int32_t>(limit), options.sum.bits));
  block.offer.entries = static_cast<std::uint32_t>(entries);
  block.cost = masked_cost(block.offer);
  return block;
}

nlohmann::json json_of(const BlockCost& block) {
  return {{"rows", block.rows},
          {"values", block.offer.entries},
          {"bytes_up", block.cost.up},
          {"bytes_down", block.cost.down},
          {"bytes_dense", block.cost.dense},
          {"expansion", block.cost.expansion()}};
}

void print_plan(const std::vector<BlockCost>& blocks, const Console& console) {
  const SumTerms& terms = blocks.front().offer.terms;
  console.print(
      fmt::format("{} devices: {} neighbours each, {} shares give a secret back\n"
                  "{} sign the survivors, {} signatures count; at least {} survivors\n"
                  "a device is summed with at least {} honest ones, itself included; {} bits per value\n\n",
                  terms.devices, terms.degree, terms.threshold, terms.committee, terms.quorum,
                  terms.least_survivors, terms.crowd, blocks.front().offer.range.bits));
  Table table({{"rows of a block", Align::right},
               {"values", Align::right},
               {"bytes up", Align::right},
               {"bytes down", Align::right},
               {"up / dense integers", Align::right}});
  for (const BlockCost& block : blocks)
    table.row({fmt::format("{}", block.rows), fmt::format("{}", block.offer.entries),
               fmt::format("{}", block.cost.up), fmt::format("{}", block.cost.down),
               fmt::format("{:.3f}", block.cost.expansion())});
  console.print(table.text(console));
}

Status plan_sum(SumPlanOptions& options, const Console& console) {
  SOTTO_TRY_DONE(check(options.sum));
  std::vector<BlockCost> blocks;
  SOTTO_TRY(BlockCost whole, cost_of(options, options.rows));
  blocks.push_back(whole);
  if (options.sum.block != 0 && options.sum.block < options.rows) {
    SOTTO_TRY(BlockCost one, cost_of(options, options.sum.block));
    blocks.push_back(one);
  }
  if (!options.common.json) return print_plan(blocks, console), Done{};
  const SumTerms& terms = whole.offer.terms;
  nlohmann::json list = nlohmann::json::array();
  for (const BlockCost& block : blocks) list.push_back(json_of(block));
  print_json(console, {{"devices", terms.devices},
                       {"degree", terms.degree},
                       {"threshold", terms.threshold},
                       {"committee", terms.committee},
                       {"quorum", terms.quorum},
                       {"least_survivors", terms.least_survivors},
                       {"crowd", terms.crowd},
                       {"bits", whole.offer.range.bits},
                       {"blocks", list}});
  return Done{};
}

}  // namespace

void add_sum(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<SumPlanOptions>(
      root, cli, "sum", "terms of a secure sum for a cohort, and what it costs a device", plan_sum);
  const auto number = [app = app](const char* name, const char* type, const char* help, auto& value) {
    app->add_option(name, value, help)->type_name(type)->default_str(fmt::format("{}", value));
  };
  SumOptions& sum = options->sum;
  number("--devices", "N", "devices of the cohort", options->devices);
  number("--rows", "N", "rows of the shared model", options->rows);
  number("--width", "N", "values per row", options->width);
  number("--secure-block", "ROWS", "also list what a block of this many rows costs", sum.block);
  number("--secure-bits", "N", "bits of the ring; 0: as few as hold the sum", sum.bits);
  number("--secure-limit", "N", "largest integer that a device may send; 0: as large as contributions can be",
         sum.limit);
  number("--secure-tolerate", "SHARE", "devices that may drop out", sum.assumed.dropped);
  number("--secure-corrupt", "SHARE", "devices that work for the server", sum.assumed.corrupt);
  number("--secure-crowd", "N", "honest devices that each sum adds up, at least", sum.assumed.crowd);
  number("--leak", "CHANCE", "chance that a contribution is less hidden than promised", sum.assumed.leak);
  number("--abort", "CHANCE", "chance that a round fails with the dropouts assumed", sum.assumed.abort);
  add_common_options(*app, options->common);
  app->footer(examples({"sotto sum --devices 1000 --rows 3706 --width 21",
                        "sotto sum --devices 943 --secure-block 100 --secure-limit 1000000 --json"}));
}

}  // namespace sotto::cli
