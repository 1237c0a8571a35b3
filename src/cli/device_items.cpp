// sotto device add, remove, list, recommend, explain: what a person has, and what their device makes of it.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/device_command.h"
#include "device/recommend.h"
#include "engine/files/files.h"
#include "engine/plan/device_folder.h"
#include "engine/terminal/table.h"

namespace sotto::cli {

namespace {

struct DeviceItemOptions {
  CommonOptions common;
  std::string dir;
  std::vector<std::string> items;
  std::string from;    // add
  double value = 1.0;  // add
  std::string task;    // recommend, explain
  std::size_t count = 10;
};

template <class Number>
bool whole_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::int64_t item_time_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

// item, value, milliseconds since 1970; the last two may be left out.
Result<std::vector<KeptInteraction>> read_interactions(const std::string& path,
                                                       const KeptInteraction& usual) {
  SOTTO_TRY(const std::string text, read_text(path));
  std::vector<KeptInteraction> all;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    ++number;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    KeptInteraction one = usual;
    const std::size_t first = std::min(line.find('\t'), line.size());
    one.item = line.substr(0, first);
    std::string_view rest = line.substr(std::min(first + 1, line.size()));
    const std::size_t second = std::min(rest.find('\t'), rest.size());
    const bool good = (first == line.size() || whole_number(rest.substr(0, second), one.value)) &&
                      (second == rest.size() || whole_number(rest.substr(second + 1), one.time_ms));
    if (!good || one.item.empty())
      return fail(
          Code::bad_input,
          fmt::format("{}, line {}: an item, a value and a time in milliseconds are needed, with tabs "
                      "between; the last two may be left out",
                      path, number));
    all.push_back(std::move(one));
  }
  return all;
}

Status add_items(DeviceItemOptions& options, const Console& console) {
  if (options.items.empty() == options.from.empty())
    return fail(Code::usage, "nothing to add: name items, or give a file with --from");
  const KeptInteraction usual{.item = {}, .value = options.value, .time_ms = item_time_ms()};
  std::vector<KeptInteraction> all;
  if (!options.from.empty()) {
    SOTTO_TRY(all, read_interactions(options.from, usual));
  }
  for (const std::string& item : options.items) {
    all.push_back(usual);
    all.back().item = item;
  }
  SOTTO_TRY(const auto vault, DeviceFolder(options.dir).open());
  SOTTO_TRY_DONE(vault->add(all));
  SOTTO_TRY(const auto kept, vault->items());
  if (options.common.json)
    print_json(console, {{"added", all.size()}, {"items", kept.size()}});
  else
    console.print(fmt::format("{} added; this device has {} now.\n", human_count(all.size()),
                              human_count(kept.size())));
  return Done{};
}

Status remove_items(DeviceItemOptions& options, const Console& console) {
  SOTTO_TRY(const auto vault, DeviceFolder(options.dir).open());
  std::size_t removed = 0;
  for (const std::string& item : options.items) {
    SOTTO_TRY(const bool there, vault->remove(item));
    removed += there ? 1 : 0;
  }
  if (options.common.json)
    print_json(console, {{"removed", removed}});
  else
    console.print(fmt::format("{} removed.\n", human_count(removed)));
  if (removed < options.items.size())
    return fail(Code::not_found, fmt::format("{} of them were not on this device: see 'sotto device list'",
                                             options.items.size() - removed));
  return Done{};
}

Status list_items(DeviceItemOptions& options, const Console& console) {
  SOTTO_TRY(const auto vault, DeviceFolder(options.dir).open());
  SOTTO_TRY(const auto all, vault->interactions());
  if (options.common.json) {
    nlohmann::json items = nlohmann::json::array();
    for (const KeptInteraction& one : all)
      items.push_back({{"item", one.item}, {"value", one.value}, {"time_ms", one.time_ms}});
    print_json(console, {{"items", items}});
    return Done{};
  }
  std::string text;
  for (const KeptInteraction& one : all)
    text += fmt::format("{}\t{}\t{}\n", one.item, one.value, one.time_ms);
  console.write(text);
  return Done{};
}

Result<LocalRecommender> device_recommender(const DeviceItemOptions& options, Vault& vault) {
  if (!options.task.empty()) return LocalRecommender::load(vault, options.task);
  SOTTO_TRY(const std::string only, only_task(vault));
  return LocalRecommender::load(vault, only);
}

Status recommend_items(DeviceItemOptions& options, const Console& console) {
  if (options.count == 0) return fail(Code::usage, "-k 0 makes an empty list: give a number from 1 up");
  SOTTO_TRY(const auto vault, DeviceFolder(options.dir).open());
  SOTTO_TRY(const LocalRecommender model, device_recommender(options, *vault));
  nlohmann::json items = nlohmann::json::array();
  std::string text;
  for (const Recommended& one : model.top(options.count)) {
    items.push_back({{"item", one.item}, {"score", one.score}});
    text += fmt::format("{}\t{:.4f}\n", one.item, one.score);
  }
  if (options.common.json)
    print_json(console, {{"items", items}});
  else
    console.write(text);
  return Done{};
}

Status explain_item(DeviceItemOptions& options, const Console& console) {
  if (options.count == 0) return fail(Code::usage, "-k 0 lists no reasons: give a number from 1 up");
  SOTTO_TRY(const auto vault, DeviceFolder(options.dir).open());
  SOTTO_TRY(const LocalRecommender model, device_recommender(options, *vault));
  SOTTO_TRY(const Explanation why, model.explain(options.items.front(), options.count));
  if (!options.common.json) {
    console.print(in_words(why));
    return Done{};
  }
  nlohmann::json because = nlohmann::json::array();
  for (const NearItem& near : why.because)
    because.push_back({{"item", near.item}, {"likeness", near.likeness}, {"weight", near.weight}});
  print_json(console, {{"item", why.item},
                       {"score", why.score},
                       {"bias", why.bias},
                       {"personal", why.personal},
                       {"has_it", why.has_it},
                       {"because", because}});
  return Done{};
}

}  // namespace

void add_device_items(CLI::App& device, Cli& cli) {
  auto [add_app, adding] = add_device_command(device, cli, "add", "add things that you have", add_items,
                                              {"sotto device add 'Alien (1979)' --value 5 --dir my-device",
                                               "sotto device add --from mine.tsv --dir my-device"});
  add_app->add_option("ITEM", adding->items, "names, as in the catalogue");
  add_app
      ->add_option("--from", adding->from,
                   "a file with an item, a value and a time in milliseconds per line, with tabs between")
      ->type_name("FILE");
  add_app->add_option("--value", adding->value, "a rating, if there is one")
      ->type_name("V")
      ->default_str("1");
  auto [remove_app, removing] =
      add_device_command(device, cli, "remove", "remove things that were added", remove_items,
                         {"sotto device remove 'Alien (1979)' --dir my-device"});
  remove_app->add_option("ITEM", removing->items, "names")->required();
  add_device_command(device, cli, "list", "the things you have, as far as this device knows", list_items,
                     {"sotto device list --dir my-device"});
  auto [recommend_app, recommending] =
      add_device_command(device, cli, "recommend", "the best of what you do not have; offline",
                         recommend_items, {"sotto device recommend -k 10 --dir my-device"});
  recommend_app->add_option("-k,--count", recommending->count, "number of things to recommend")
      ->default_str("10");
  recommend_app->add_option("--task", recommending->task,
                            "the task whose model to use; needed if there are several");
  auto [explain_app, explaining] =
      add_device_command(device, cli, "explain", "why a thing is recommended; offline", explain_item,
                         {"sotto device explain 'Alien (1979)' --dir my-device"});
  explain_app->add_option("ITEM", explaining->items, "its name")->required()->expected(1);
  explain_app->add_option("-k,--count", explaining->count, "list N reasons")->default_str("10");
  explain_app->add_option("--task", explaining->task,
                          "the task whose model to use; needed if there are several");
}

}  // namespace sotto::cli
