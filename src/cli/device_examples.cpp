#include "cli/device_examples.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "cli/command.h"
#include "device/export_data.h"
#include "engine/plan/device_folder.h"
#include "engine/plan/prepare.h"
#include "engine/terminal/table.h"

namespace sotto::cli {

namespace {

Result<std::vector<KeptExample>> load_own_examples(const std::string& folder, const std::string& collection) {
  DataRequest request;
  request.paths = {folder};
  SOTTO_TRY(const auto read, read_examples(request));
  if (read->people > 1)
    return fail(Code::usage,
                fmt::format("{}: these examples are of {} people: put yours into a folder of their own",
                            folder, human_count(read->people)));
  const Examples& from = read->examples;
  // A person's own belong to one person, and all of them are for training.
  const std::size_t count = read->owners.empty() ? from.for_training : from.count();
  std::vector<KeptExample> all;
  all.reserve(count);
  for (std::size_t n = 0; n < count; ++n) {
    KeptExample& one = all.emplace_back();
    one.collection = collection;
    one.height = from.height;
    one.width = from.width;
    one.label = from.labels[n];
    if (!from.marks.empty()) one.mark = from.marks[n] != 0;
    one.values.assign(from.of(n), from.of(n) + from.size());
    constexpr std::size_t digits = 16;
    Hasher hasher;
    hasher.u64(one.height).u64(one.label).array(std::span<const std::uint8_t>(one.values));
    one.name = std::move(hasher).hex().substr(0, digits);
  }
  return all;
}

}  // namespace

Status add_examples(const std::string& dir, const std::string& folder, const std::string& collection,
                    bool json, const Console& console) {
  SOTTO_TRY(const auto all, load_own_examples(folder, collection));
  SOTTO_TRY(const auto vault, DeviceFolder(dir).open());
  SOTTO_TRY_DONE(vault->add(all));
  SOTTO_TRY(const auto kept, vault->examples(collection));
  if (json)
    print_json(console, {{"added", all.size()}, {"examples", kept.size()}});
  else
    console.print(fmt::format("{} added; this device has {} examples of {} now.\n", human_count(all.size()),
                              human_count(kept.size()), collection));
  return Done{};
}

Status list_examples(Vault& vault, const std::string& collection, bool json, const Console& console) {
  SOTTO_TRY(const auto all, vault.examples(collection));
  nlohmann::json examples = nlohmann::json::array();
  std::string text;
  for (const KeptExample& one : all) {
    if (json) examples.push_back(example_json(one));
    text += fmt::format("{}\t{} × {}\t{}\n", one.name, one.height, one.width, one.label);
  }
  if (json)
    print_json(console, {{"examples", examples}});
  else
    console.write(text);
  return Done{};
}

}  // namespace sotto::cli
