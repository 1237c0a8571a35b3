// sotto device add, remove, list, recommend, explain: what a person has, and what their device makes of it.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/device_command.h"
#include "cli/device_examples.h"
#include "device/export_data.h"
#include "device/item_titles.h"
#include "device/recommend.h"
#include "engine/files/files.h"
#include "engine/plan/device_folder.h"
#include "engine/plan/prepare.h"
#include "engine/terminal/table.h"

namespace sotto::cli {

namespace {

struct DeviceItemOptions {
  CommonOptions common;
  std::string dir;
  std::vector<std::string> items;
  std::string from;                         // add
  std::vector<std::string> data;            // add
  std::string columns, user, rating_scale;  // add --data
  std::optional<double> value;              // add
  std::vector<std::string> contexts;        // add
  std::string examples;                     // add
  std::string collection;                   // add --examples, remove, list
  std::string task;                         // recommend, explain
  std::size_t count = 10;
};

// An empty text: not known.
template <class Number>
bool known_number(std::string_view text, std::optional<Number>& number) {
  if (text.empty()) return number.reset(), true;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.emplace());
  return error == std::errc() && end == text.data() + text.size();
}

std::int64_t item_time_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

// Before the title, at the end of a line of `sotto device list`.
constexpr std::string_view title_mark = "# ";

// "weather=rain".
bool add_context(std::string_view text, KeptInteraction& one) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  one.contexts.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  return true;
}

// As `sotto device list` writes it: item, value, milliseconds since 1970, contexts, with tabs between. All
// but the item may be left out, value and time may be empty: then they are not known.
bool read_listed(std::string_view line, KeptInteraction& one) {
  for (std::size_t field = 0, at = 0; at <= line.size(); ++field) {
    const std::size_t end = std::min(line.find('\t', at), line.size());
    const std::string_view text = line.substr(at, end - at);
    at = end + 1;
    const bool good = field == 0   ? !(one.item = text).empty()
                      : field == 1 ? known_number(text, one.rating)
                      : field == 2 ? known_number(text, one.time_ms)
                                   : text.starts_with(title_mark) || add_context(text, one);
    if (!good) return false;
  }
  return true;
}

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
    if (!read_listed(line, all.emplace_back(usual)))
      return fail(
          Code::bad_input,
          fmt::format(
              "{}, line {}: an item, a value, a time in milliseconds and contexts such as weather=rain are "
              "needed, with tabs between; all but the item may be left out",
              path, number));
  }
  return all;
}

// Whose interactions of the data are this person's.
Result<UserIndex> person_in(const Dataset& dataset, const std::string& user) {
  const std::size_t people = dataset.users.size();
  if (user.empty() && people == 1) return UserIndex{0};
  if (user.empty())
    return fail(
        Code::usage,
        fmt::format("these data have {} users: choose yours with --user; or, where all are yours and no "
                    "column names a user, name the columns, such as --columns item=1,rating=2,time=3",
                    human_count(people)));
  const auto index = dataset.users.find(user);
  if (!index)
    return fail(Code::not_found, "the user of --user is not in the data: give the name as the file has it");
  return UserIndex{*index};
}

// Files of the formats of `sotto train --data`, of which one person's are taken.
Result<std::vector<KeptInteraction>> load_own_data(const DeviceItemOptions& options) {
  LoadOptions how{.columns = options.columns, .needs_user = false};
  if (!options.rating_scale.empty()) {
    SOTTO_TRY(how.scale, parse_rating_scale(options.rating_scale));
  }
  SOTTO_TRY(const Dataset dataset, load_interaction_files(options.data, how));
  SOTTO_TRY(const UserIndex person, person_in(dataset, options.user));
  const std::int64_t unit = dataset.time_kind == TimeKind::unix_seconds ? 1000 : 1;
  std::vector<KeptInteraction> all;
  for (std::size_t k = 0; k < dataset.interactions.size(); ++k) {
    const Interaction& row = dataset.interactions[k];
    if (row.user != person) continue;
    KeptInteraction& one = all.emplace_back();
    one.item = dataset.items.name(row.item.value);
    if (dataset.has_ratings) one.rating = row.rating;
    if (dataset.time_kind != TimeKind::none) one.time_ms = row.time * unit;
    for (std::size_t column = 0; column < dataset.columns.size(); ++column)
      if (const std::uint32_t value = dataset.column_values[column][k]; value != no_value)
        one.contexts.emplace_back(dataset.columns[column].name, dataset.columns[column].values.name(value));
  }
  return all;
}

// What was said of all things that are added.
Result<KeptInteraction> usual_interaction(const DeviceItemOptions& options) {
  KeptInteraction usual{.item = {}, .rating = options.value, .time_ms = item_time_ms()};
  for (const std::string& context : options.contexts)
    if (!add_context(context, usual))
      return fail(Code::usage, "--context is a name and a value, such as weather=rain");
  return usual;
}

Result<std::vector<KeptInteraction>> given_interactions(const DeviceItemOptions& options) {
  const int ways =
      (options.items.empty() ? 0 : 1) + (options.from.empty() ? 0 : 1) + (options.data.empty() ? 0 : 1);
  if (ways != 1)
    return fail(Code::usage, ways == 0 ? "nothing to add: name items, or give files with --data or --from"
                                       : "name items, or give --data, or --from: one of them");
  const bool of_data = !options.columns.empty() || !options.user.empty() || !options.rating_scale.empty();
  if (options.data.empty() && of_data)
    return fail(Code::usage, "--columns, --user and --rating-scale are about files given with --data");
  if (!options.data.empty() && (options.value || !options.contexts.empty()))
    return fail(Code::usage,
                "--value and --context are of things that are named here: files have columns for them");
  if (!options.data.empty()) return load_own_data(options);
  SOTTO_TRY(const KeptInteraction usual, usual_interaction(options));
  if (!options.from.empty()) return read_interactions(options.from, usual);
  std::vector<KeptInteraction> all(options.items.size(), usual);
  for (std::size_t n = 0; n < all.size(); ++n) all[n].item = options.items[n];
  return all;
}

// What is said of things has no place beside labelled examples.
Status check_alone(const DeviceItemOptions& options) {
  const bool of_things = !options.items.empty() || !options.from.empty() || !options.data.empty() ||
                         !options.columns.empty() || !options.user.empty() || !options.rating_scale.empty() ||
                         options.value || !options.contexts.empty();
  if (options.examples.empty() && !options.collection.empty())
    return fail(Code::usage, "--collection names labelled examples: give their folder with --examples");
  if (options.examples.empty()) return Done{};
  if (of_things)
    return fail(Code::usage, "labelled examples are added alone: leave out what is about things");
  if (options.collection.empty())
    return fail(Code::usage,
                "labelled examples belong to a collection: name it with --collection, such as digits");
  return Done{};
}

Status add_items(DeviceItemOptions& options, const Console& console) {
  SOTTO_TRY_DONE(check_alone(options));
  if (!options.examples.empty())
    return add_examples(options.dir, options.examples, options.collection, options.common.json, console);
  SOTTO_TRY(const auto all, given_interactions(options));
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
  if (options.items.empty() && options.collection.empty())
    return fail(Code::usage, "nothing to remove: name items, or the --collection of labelled examples");
  SOTTO_TRY(const auto vault, DeviceFolder(options.dir).open());
  std::size_t removed = 0;
  if (!options.collection.empty()) {
    SOTTO_TRY(removed, options.items.empty() ? vault->remove_examples(options.collection)
                                             : vault->remove_examples(options.collection, options.items));
  } else {
    for (const std::string& item : options.items) {
      SOTTO_TRY(const bool there, vault->remove(item));
      removed += there ? 1 : 0;
    }
  }
  if (options.common.json)
    print_json(console, {{"removed", removed}});
  else
    console.print(fmt::format("{} removed.\n", human_count(removed)));
  if (removed < std::max<std::size_t>(options.items.size(), 1))
    return fail(Code::not_found, fmt::format("{} of them were not on this device: see 'sotto device list'",
                                             std::max<std::size_t>(options.items.size(), 1) - removed));
  return Done{};
}

Status list_items(DeviceItemOptions& options, const Console& console) {
  SOTTO_TRY(const auto vault, DeviceFolder(options.dir).open());
  if (!options.collection.empty())
    return list_examples(*vault, options.collection, options.common.json, console);
  SOTTO_TRY(const auto all, vault->interactions());
  SOTTO_TRY(const ItemTitles titles, ItemTitles::load(*vault));
  if (options.common.json) {
    nlohmann::json items = nlohmann::json::array();
    for (const KeptInteraction& one : all) {
      items.push_back(interaction_json(one));
      items.back()["title"] = titles.of(one.item);
    }
    print_json(console, {{"items", items}});
    return Done{};
  }
  std::string text;
  for (const KeptInteraction& one : all) {
    text += one.item + '\t' + (one.rating ? fmt::format("{}", *one.rating) : "");
    text += '\t' + (one.time_ms ? fmt::format("{}", *one.time_ms) : "");
    for (const auto& [name, value] : one.contexts) text += fmt::format("\t{}={}", name, value);
    if (const std::string title = titles.of(one.item); title != one.item)
      text += fmt::format("\t{}{}", title_mark, title);
    text += '\n';
  }
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
    items.push_back({{"item", one.item}, {"title", one.title}, {"score", one.score}});
    text += fmt::format("{}\t{:.4f}", one.item, one.score);
    text += one.title == one.item ? "\n" : fmt::format("\t{}\n", one.title);
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
    because.push_back({{near.is_feature ? "feature" : "item", near.item},
                       {"title", near.title},
                       {"likeness", near.likeness},
                       {"weight", near.weight}});
  print_json(console, {{"item", why.item},
                       {"title", why.title},
                       {"score", why.score},
                       {"bias", why.bias},
                       {"personal", why.personal},
                       {"has_it", why.has_it},
                       {"by_items", why.by_items},
                       {"because", because}});
  return Done{};
}

void add_adding(CLI::App& device, Cli& cli) {
  auto [add_app, adding] =
      add_device_command(device, cli, "add", "add things that you have", add_items,
                         {"sotto device add 'Alien (1979)' --value 5 --context weather=rain --dir my-device",
                          "sotto device add --data mine.csv --dir my-device",
                          "sotto device add --data ratings.csv.zst --user 17 --dir my-device",
                          "sotto device add --examples my-pictures --collection digits --dir my-device"});
  add_app->add_option("ITEM", adding->items, "names, as in the catalogue");
  add_app
      ->add_option("--data", adding->data,
                   "files or folders of interactions in any format of 'sotto train --data', plain or .zst; "
                   "yours may lack the user column")
      ->type_name("PATH");
  add_app
      ->add_option("--columns", adding->columns,
                   "what the columns of --data mean, such as item=1,rating=2,time=3,context.weather=4")
      ->type_name("LIST");
  add_app->add_option("--user", adding->user, "which user of --data is you, if it has several")
      ->type_name("USER");
  add_app->add_option("--rating-scale", adding->rating_scale, "the ratings' scale in --data, such as 1:5")
      ->type_name("LOW:HIGH");
  add_app
      ->add_option("--from", adding->from,
                   "lines of 'sotto device list': item, value, milliseconds and contexts, with tabs between")
      ->type_name("FILE");
  add_app->add_option("--value", adding->value, "a rating, if there is one")->type_name("V");
  add_app
      ->add_option("--context", adding->contexts,
                   "a circumstance of it, such as weather=rain; may be repeated")
      ->type_name("NAME=VALUE");
  add_app
      ->add_option("--examples", adding->examples,
                   "a folder of labelled examples, as for 'sotto train --model fedavg --data'")
      ->type_name("FOLDER");
  add_app->add_option("--collection", adding->collection, "what the examples are called, such as digits")
      ->type_name("NAME");
}

}  // namespace

void add_device_items(CLI::App& device, Cli& cli) {
  add_adding(device, cli);
  auto [remove_app, removing] =
      add_device_command(device, cli, "remove", "remove things that were added", remove_items,
                         {"sotto device remove 'Alien (1979)' --dir my-device",
                          "sotto device remove --collection digits --dir my-device"});
  remove_app->add_option("ITEM", removing->items, "names");
  remove_app
      ->add_option("--collection", removing->collection,
                   "labelled examples of this collection, in place of things; all where none is named")
      ->type_name("NAME");
  auto [list_app, listing] = add_device_command(
      device, cli, "list", "the things you have, as far as this device knows", list_items,
      {"sotto device list --dir my-device", "sotto device list --collection digits --dir my-device"});
  list_app
      ->add_option("--collection", listing->collection,
                   "labelled examples of this collection, in place of things")
      ->type_name("NAME");
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
