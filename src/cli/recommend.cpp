// sotto recommend: top lists from a trained run, for its users or for somebody new.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/find_items.h"
#include "cli/recommend_lists.h"
#include "cli/recommend_text.h"
#include "cli/values.h"
#include "engine/train/run_dir.h"
#include "lab/trec.h"
#include "metrics/top_k.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

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
  std::optional<std::uint32_t> reasons;  // told of each item
  std::vector<std::string> vetoes, veto_predicates;

  [[nodiscard]] bool for_somebody_new() const { return !history.empty() || !history_file.empty(); }
  [[nodiscard]] bool in_bulk() const { return all || !users_file.empty(); }
  [[nodiscard]] bool vetoes_something() const { return !vetoes.empty() || !veto_predicates.empty(); }
};

Status check(const RecommendOptions& options) {
  const int ways = (options.users.empty() ? 0 : 1) + (options.users_file.empty() ? 0 : 1) +
                   (options.all ? 1 : 0) + (options.for_somebody_new() ? 1 : 0);
  if (ways != 1)
    return fail(Code::usage,
                "no person is named: give one of --user ID…, --users FILE, --all, or --history ITEM… (or "
                "--history-file)");
  if (options.count == 0) return fail(Code::usage, "-n 0 makes empty lists: give a number from 1 up");
  if (options.format != "tsv" && options.format != "trec")
    return fail(Code::usage, fmt::format("unknown format '{}': choose tsv or trec", options.format));
  if (options.format == "trec" && options.for_somebody_new())
    return fail(Code::usage, "a TREC run names its users, and a new user has no name: use --format tsv");
  if (options.reasons == 0u)
    return fail(Code::usage, "--explain 0 lists no reasons: give a number from 1 up");
  if (options.reasons && options.format == "trec")
    return fail(Code::usage, "a TREC run has no room for reasons: use --format tsv, or leave --explain out");
  if (options.out == "-" && options.common.json)
    return fail(Code::usage, "--out - and --json both write to stdout: give a file name");
  return Done{};
}

Result<std::vector<UserIndex>> asked_users(const RecommendOptions& options, const Split& split) {
  constexpr const char* otherwise = ", or describe a new user with --history";
  if (!options.users.empty()) return find_users(split, given_ids("--user", options.users), otherwise);
  if (!options.users_file.empty()) {
    SOTTO_TRY(const std::vector<GivenId> ids, read_ids(options.users_file));
    return find_users(split, ids, otherwise);
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

// Fills in why each item stands in the list of a user who was there at training, or of somebody else by a
// history.
void explain(TopList& list, const RecommendOptions& options, const Explainer& explainer,
             std::optional<UserIndex> user, std::span<const ItemIndex> history) {
  std::vector<ItemIndex> items;
  for (const ScoredItem& scored : list.items) items.push_back(scored.item);
  std::vector<std::vector<Reason>> all;
  if (user) {
    for (const ItemIndex item : items) all.push_back(explainer.reasons(*user, item));
  } else {
    all = explainer.reasons_for_history(history, items);
  }
  for (std::vector<Reason>& reasons : all) list.reasons.push_back(told(std::move(reasons), *options.reasons));
}

// `explainer` is null where no reasons are asked for.
TopList list_for(const LoadedRun& run, UserIndex user, const RecommendOptions& options,
                 const Explainer* explainer) {
  const std::vector<ItemIndex> hidden =
      options.include_seen ? std::vector<ItemIndex>{} : seen_items(*run.split, user);
  TopList list{std::string(run.split->users.name(user.value)), {}};
  // Who took no part in training has no vector of their own: they get what the model says of nobody.
  const bool stranger = run.split->train.of(user).empty();
  list.items = stranger ? list_for_history(*run.model, {}, hidden, options.count)
                        : recommend(*run.model, user, hidden, options.count);
  if (explainer != nullptr)
    explain(list, options, *explainer, stranger ? std::nullopt : std::optional(user), {});
  return list;
}

Result<TopList> list_for_somebody_new(const LoadedRun& run, const RecommendOptions& options,
                                      const Explainer* explainer) {
  std::vector<GivenId> ids = given_ids("--history", options.history);
  if (!options.history_file.empty()) {
    SOTTO_TRY(const std::vector<GivenId> more, read_ids(options.history_file));
    ids.insert(ids.end(), more.begin(), more.end());
  }
  SOTTO_TRY(const std::vector<ItemIndex> history, find_history(*run.split, ids));
  const std::span<const ItemIndex> hidden = options.include_seen ? std::span<const ItemIndex>{} : history;
  TopList list{"", list_for_history(*run.model, history, hidden, options.count)};
  if (explainer != nullptr) explain(list, options, *explainer, std::nullopt, history);
  return list;
}

Result<std::vector<TopList>> make_lists(const LoadedRun& run, const RecommendOptions& options,
                                        const Explainer* explainer, Executor& executor) {
  if (options.for_somebody_new()) {
    SOTTO_TRY(TopList list, list_for_somebody_new(run, options, explainer));
    return std::vector{std::move(list)};
  }
  SOTTO_TRY(const std::vector<UserIndex> users, asked_users(options, *run.split));
  std::vector<TopList> lists(users.size());
  executor.run(users.size(), [&](std::size_t n) { lists[n] = list_for(run, users[n], options, explainer); });
  return lists;
}

struct Answer {
  std::vector<TopList> lists;
  std::vector<FeatureIndex> vetoed;
};

// With a veto the lists are made twice, to tell what it changes.
Result<Answer> answer(const LoadedRun& run, const RecommendOptions& options, Executor& executor) {
  Explainer* explainer = nullptr;
  if (options.reasons || options.vetoes_something()) {
    SOTTO_TRY(explainer, explainer_of(run));
  }
  const Explainer* const asked = options.reasons ? explainer : nullptr;
  Answer found;
  if (!options.vetoes_something()) {
    SOTTO_TRY(found.lists, make_lists(run, options, asked, executor));
    return found;
  }
  SOTTO_TRY(found.vetoed, find_vetoed(*run.split->features, options.vetoes, options.veto_predicates));
  SOTTO_TRY(const std::vector<TopList> before, make_lists(run, options, nullptr, executor));
  explainer->veto(found.vetoed);
  SOTTO_TRY(found.lists, make_lists(run, options, asked, executor));
  for (std::size_t n = 0; n < before.size(); ++n) compare_with(before[n], found.lists[n]);
  return found;
}

Result<std::string> as_text(const std::vector<TopList>& lists, const Split& split,
                            const std::string& format) {
  if (format == "tsv") return lists_tsv(lists, split);
  std::string text;
  for (const TopList& list : lists) {
    SOTTO_TRY(const std::string lines, trec_run_lines(list.user, list.items, split));
    text += lines;
  }
  return text;
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
    console.note(fmt::format("sotto: {} of {} lists are shorter than {}: no other unseen items are left",
                             human_count(shorter), human_count(lists.size()), options.count));
  if (strangers > 0)
    console.note(
        fmt::format("sotto: {} of {} users have no training items; they get the list of an unknown user",
                    human_count(strangers), human_count(lists.size())));
}

void note_vetoes(const Answer& answer, const Console& console) {
  if (answer.vetoed.empty()) return;
  const auto changed =
      std::ranges::count_if(answer.lists, [](const TopList& list) { return !list.changes.empty(); });
  console.note(fmt::format(
      "sotto: {} vetoed {} in no score; {} of {} lists changed", human_count(answer.vetoed.size()),
      answer.vetoed.size() == 1 ? "feature counts" : "features count",
      human_count(static_cast<std::uint64_t>(changed)), human_count(answer.lists.size())));
}

nlohmann::json as_json(const Answer& answer, const RecommendOptions& options, const Split& split) {
  nlohmann::json json{{"run", options.run}, {"n", options.count}, {"lists", lists_json(answer.lists, split)}};
  for (const FeatureIndex feature : answer.vetoed)
    json["vetoed"].push_back(feature_json(*split.features, feature));
  return json;
}

Status run_recommend(RecommendOptions& options, const Console& console) {
  SOTTO_TRY_DONE(check(options));
  ThreadPool threads(options.common.threads);
  SOTTO_TRY(const LoadedRun run, load_run(options.run, threads));
  SOTTO_TRY(const Answer found, answer(run, options, threads));
  note_exceptions(found.lists, options, *run.split, console);
  note_vetoes(found, console);
  const bool as_table = options.out.empty() && !options.in_bulk() && options.format == "tsv";
  std::string text;
  if (!options.out.empty() || !(options.common.json || as_table)) {
    SOTTO_TRY(text, as_text(found.lists, *run.split, options.format));
  }
  if (!options.out.empty()) SOTTO_TRY_DONE(write_output(console, options.out, text));
  if (options.common.json) {
    print_json(console, as_json(found, options, *run.split));
  } else if (as_table) {
    console.print(lists_text(found.lists, *run.split, console));
  } else if (options.out.empty()) {
    console.write(text);
  } else if (options.out != "-") {
    console.print(fmt::format("{} lists are in {}\n", human_count(found.lists.size()), options.out));
  }
  return Done{};
}

// What only models that look at features can do.
void add_why_options(CLI::App& app, RecommendOptions& options) {
  app.option_defaults()->group("Why");
  app.add_option("--explain", options.reasons,
                 "give reasons: N features per item, with their parts of its score")
      ->expected(0, 1)
      ->default_str("3");
  app.add_option("--veto", options.vetoes,
                 "features to leave out of scores, as in explanations, or predicate and object in full; "
                 "lists what that changes")
      ->type_name("FEATURE");
  app.add_option("--veto-predicate", options.veto_predicates, "the same for all features through a predicate")
      ->type_name("NAME");
}

}  // namespace

void add_recommend(CLI::App& root, Cli& cli) {
  auto [app, options] =
      add_command<RecommendOptions>(root, cli, "recommend", "top lists from a trained run", run_recommend);
  app->add_option("--run", options->run, "a run directory")->type_name("RUN")->required();
  app->add_option("--user", options->users, "ids of the run's users")->type_name("ID");
  app->add_option("--users", options->users_file, "a file of ids, one per line; the lists are TSV")
      ->type_name("FILE");
  app->add_flag("--all,--all-users", options->all, "every user; the lists are TSV");
  app->add_option("--history", options->history,
                  "items of a new user: a vector is learned for them, and the model stays as it is")
      ->type_name("ITEM");
  app->add_option("--history-file", options->history_file, "the same from a file, one item per line")
      ->type_name("FILE");
  app->add_option("-n", options->count, "items per list; fewer if no more are left")->default_str("10");
  app->add_flag("--include-seen", options->include_seen,
                "also list items that the user has already (training and validation part)");
  values(app->add_option("--format", options->format, "format of the lists: tsv, or trec for a TREC run"),
         {"tsv", "trec"})
      ->type_name("NAME")
      ->default_str("tsv");
  app->add_option("-o,--out", options->out, "write the lists to a file (optionally .zst; - is stdout)")
      ->type_name("FILE");
  add_why_options(*app, *options);
  add_common_options(*app, options->common, "has no effect here: a run draws with its own seed");
  app->footer(
      examples({"sotto recommend --run runs/demo --user person-00042",
                "sotto recommend --run runs/demo --all -n 20 --out lists.tsv.zst",
                "sotto recommend --run runs/demo --all --format trec --out lists.trec",
                "sotto recommend --run runs/demo --history venue-00317 venue-00042 --json",
                "sotto recommend --run runs/films --user 42 --explain",
                "sotto recommend --run runs/films --user 42 --explain --veto 'dct:subject War films'"}));
}

}  // namespace sotto::cli
