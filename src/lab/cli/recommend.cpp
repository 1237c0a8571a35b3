// sotto recommend: top lists from a trained run, for its users or for somebody new.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/cli/command.h"
#include "lab/cli/find_items.h"
#include "lab/cli/run_text.h"
#include "lab/run_dir.h"
#include "lab/trec.h"
#include "metrics/top_k.h"
#include "sim/thread_pool.h"

namespace sotto {

namespace {

struct RecommendOptions {
  CommonOptions common;
  std::string run;
  std::vector<std::string> users;
  std::string users_file;
  bool all = false;
  std::vector<std::string> history;
  std::string history_file;
  std::uint32_t count = 10;
  bool include_seen = false;
  std::string format = "tsv";
  std::string out;

  [[nodiscard]] bool for_somebody_new() const { return !history.empty() || !history_file.empty(); }
  [[nodiscard]] bool in_bulk() const { return all || !users_file.empty(); }
};

struct TopList {
  std::string user;  // empty for somebody new
  std::vector<ScoredItem> items;
};

Status check(const RecommendOptions& options) {
  const int ways = (options.users.empty() ? 0 : 1) + (options.users_file.empty() ? 0 : 1) +
                   (options.all ? 1 : 0) + (options.for_somebody_new() ? 1 : 0);
  if (ways != 1)
    return fail(
        Code::usage,
        "say for whom: one of --user ID…, --users FILE, --all, or --history ITEM… (or --history-file)");
  if (options.count == 0) return fail(Code::usage, "-n 0 makes empty lists: give a number from 1 up");
  if (options.format != "tsv" && options.format != "trec")
    return fail(Code::usage, fmt::format("unknown format '{}': choose tsv or trec", options.format));
  if (options.format == "trec" && options.for_somebody_new())
    return fail(Code::usage, "a TREC run names its users, and somebody new has no name: use --format tsv");
  if (options.out == "-" && options.common.json)
    return fail(Code::usage, "--out - and --json both want stdout: give a file name");
  return Done{};
}

Result<std::vector<UserIndex>> asked_users(const RecommendOptions& options, const Split& split) {
  if (!options.users.empty()) return find_users(split, given_ids("--user", options.users));
  if (!options.users_file.empty()) {
    SOTTO_TRY(const std::vector<GivenId> ids, read_ids(options.users_file));
    return find_users(split, ids);
  }
  std::vector<UserIndex> users;
  for (std::uint32_t user = 0; user < split.users.size(); ++user) users.push_back({user});
  return users;
}

// Training and validation items, ascending.
std::vector<ItemIndex> seen_items(const Split& split, UserIndex user) {
  const auto train = split.train.of(user);
  std::vector<ItemIndex> seen(train.begin(), train.end());
  if (split.validation.users() > user.value)
    for (const ItemIndex item : split.validation.of(user))
      if (item.value < split.catalogue) seen.push_back(item);
  std::sort(seen.begin(), seen.end());
  return seen;
}

std::vector<ScoredItem> list_for_history(const Recommender& model, std::span<const ItemIndex> history,
                                         std::span<const ItemIndex> hidden, std::size_t count) {
  std::vector<float> scores(model.catalogue());
  model.score_history(history, scores);
  return top_items(std::move(scores), hidden, count);
}

TopList list_for(const LoadedRun& run, UserIndex user, const RecommendOptions& options) {
  const std::vector<ItemIndex> hidden =
      options.include_seen ? std::vector<ItemIndex>{} : seen_items(*run.split, user);
  TopList list{std::string(run.split->users.name(user.value)), {}};
  // Who took no part in training has no vector of their own: they get what the model says of nobody.
  list.items = run.split->train.of(user).empty() ? list_for_history(*run.model, {}, hidden, options.count)
                                                 : recommend(*run.model, user, hidden, options.count);
  return list;
}

Result<std::vector<TopList>> make_lists(const LoadedRun& run, const RecommendOptions& options,
                                        Executor& executor) {
  if (options.for_somebody_new()) {
    std::vector<GivenId> ids = given_ids("--history", options.history);
    if (!options.history_file.empty()) {
      SOTTO_TRY(const std::vector<GivenId> more, read_ids(options.history_file));
      ids.insert(ids.end(), more.begin(), more.end());
    }
    SOTTO_TRY(const std::vector<ItemIndex> history, find_history(*run.split, ids));
    const std::span<const ItemIndex> hidden = options.include_seen ? std::span<const ItemIndex>{} : history;
    return std::vector{TopList{"", list_for_history(*run.model, history, hidden, options.count)}};
  }
  SOTTO_TRY(const std::vector<UserIndex> users, asked_users(options, *run.split));
  std::vector<TopList> lists(users.size());
  executor.run(users.size(), [&](std::size_t n) { lists[n] = list_for(run, users[n], options); });
  return lists;
}

std::string as_tsv(const std::vector<TopList>& lists, const Split& split) {
  std::string text = "user\trank\titem\tscore";
  const bool names = !split.item_names.empty(), categories = !split.item_categories.empty();
  text += names ? "\tname" : "";
  text += categories ? "\tcategory\n" : "\n";
  for (const TopList& list : lists)
    for (std::size_t n = 0; n < list.items.size(); ++n) {
      const auto& [item, score] = list.items[n];
      text += fmt::format("{}\t{}\t{}\t{}", list.user, n + 1, split.items.name(item.value), score);
      if (names) text += "\t" + split.item_names[item.value];
      if (categories) text += "\t" + split.item_categories[item.value];
      text += '\n';
    }
  return text;
}

Result<std::string> as_text(const std::vector<TopList>& lists, const Split& split,
                            const std::string& format) {
  if (format == "tsv") return as_tsv(lists, split);
  std::string text;
  for (const TopList& list : lists) {
    SOTTO_TRY(const std::string lines, trec_run_lines(list.user, list.items, split));
    text += lines;
  }
  return text;
}

nlohmann::json as_json(const std::vector<TopList>& lists, const Split& split) {
  nlohmann::json users = nlohmann::json::array();
  for (const TopList& list : lists) {
    nlohmann::json items = nlohmann::json::array();
    for (const auto& [item, score] : list.items) {
      items.push_back(item_json(split, item));
      items.back()["score"] = score;
    }
    nlohmann::json entry{{"items", std::move(items)}};
    entry["user"] = list.user.empty() ? nlohmann::json() : nlohmann::json(list.user);
    users.push_back(std::move(entry));
  }
  return users;
}

void print_lists(const std::vector<TopList>& lists, const Split& split, const Console& console) {
  const bool names = !split.item_names.empty(), categories = !split.item_categories.empty();
  for (const TopList& list : lists) {
    const std::string whom = list.user.empty() ? "somebody new" : list.user;
    console.print(console.paint(Tone::strong, fmt::format("For {}\n", whom)));
    std::vector<TableColumn> columns{{"#", Align::right, Tone::dim}, {"item"}};
    if (names) columns.push_back({"name"});
    if (categories) columns.push_back({"category"});
    columns.push_back({"score", Align::right});
    Table table(std::move(columns));
    for (std::size_t n = 0; n < list.items.size(); ++n) {
      const auto& [item, score] = list.items[n];
      std::vector<std::string> cells{fmt::format("{}", n + 1), std::string(split.items.name(item.value))};
      if (names) cells.push_back(split.item_names[item.value]);
      if (categories) cells.push_back(item_category(split, item));
      cells.push_back(fmt::format("{:.3f}", score));
      table.row(std::move(cells));
    }
    console.print(table.text(console) + (&list == &lists.back() ? "" : "\n"));
  }
}

void note_exceptions(const std::vector<TopList>& lists, const RecommendOptions& options, const Split& split,
                     const Console& console) {
  std::uint64_t shorter = 0, strangers = 0;
  for (const TopList& list : lists) {
    if (list.items.size() < options.count) ++shorter;
    const auto user = list.user.empty() ? std::nullopt : split.users.find(list.user);
    if (user && split.train.of({*user}).empty()) ++strangers;
  }
  if (shorter > 0)
    console.note(
        fmt::format("sotto: {} of {} lists are shorter than {}: no more items are left that were not seen",
                    human_count(shorter), human_count(lists.size()), options.count));
  if (strangers > 0)
    console.note(
        fmt::format("sotto: {} of {} users have no training items; they get the list of somebody unknown",
                    human_count(strangers), human_count(lists.size())));
}

Status run_recommend(RecommendOptions& options, const Console& console) {
  SOTTO_TRY_DONE(check(options));
  ThreadPool threads(options.common.threads);
  SOTTO_TRY(const LoadedRun run, load_run(options.run, threads));
  SOTTO_TRY(const std::vector<TopList> lists, make_lists(run, options, threads));
  note_exceptions(lists, options, *run.split, console);
  const bool as_table = options.out.empty() && !options.in_bulk() && options.format == "tsv";
  std::string text;
  if (!options.out.empty() || !(options.common.json || as_table)) {
    SOTTO_TRY(text, as_text(lists, *run.split, options.format));
  }
  if (!options.out.empty()) SOTTO_TRY_DONE(write_output(console, options.out, text));
  if (options.common.json) {
    print_json(console, {{"run", options.run}, {"n", options.count}, {"lists", as_json(lists, *run.split)}});
  } else if (as_table) {
    print_lists(lists, *run.split, console);
  } else if (options.out.empty()) {
    console.print(text);
  } else if (options.out != "-") {
    console.print(fmt::format("{} lists are in {}\n", human_count(lists.size()), options.out));
  }
  return Done{};
}

}  // namespace

void add_recommend(CLI::App& root, Cli& cli) {
  auto [app, options] =
      add_command<RecommendOptions>(root, cli, "recommend", "top lists from a trained run", run_recommend);
  app->add_option("--run", options->run, "a run directory")->type_name("DIR")->required();
  app->add_option("--user", options->users, "ids of the run's users")->type_name("ID");
  app->add_option("--users", options->users_file, "a file of ids, one a line; the answer is TSV")
      ->type_name("FILE");
  app->add_flag("--all,--all-users", options->all, "every user; the answer is TSV");
  app->add_option("--history", options->history,
                  "items of somebody new: a vector is learned for them, the model stays as it is")
      ->type_name("ITEM");
  app->add_option("--history-file", options->history_file, "the same from a file, one item a line")
      ->type_name("FILE");
  app->add_option("-n", options->count, "items a list; fewer where no more are left")
      ->type_name("N")
      ->default_str("10");
  app->add_flag("--include-seen", options->include_seen,
                "also items that the user has already (training and validation part)");
  app->add_option("--format", options->format, "of what is written: tsv, or trec for a TREC run")
      ->type_name("NAME")
      ->default_str("tsv");
  app->add_option("-o,--out", options->out, "write the lists (perhaps .zst; - is stdout)")->type_name("FILE");
  add_common_options(*app, options->common, "taken by every command; a run draws with its own seed");
  app->footer(examples({"sotto recommend --run runs/demo --user person-00042",
                        "sotto recommend --run runs/demo --all -n 20 --out lists.tsv.zst",
                        "sotto recommend --run runs/demo --all --format trec --out lists.trec",
                        "sotto recommend --run runs/demo --history venue-00317 venue-00042 --json"}));
}

}  // namespace sotto
