// sotto demo: a made-up world, the models side by side, and one person's list.
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/demo_person.h"
#include "data/generate.h"
#include "engine/files/dataset_text.h"
#include "engine/files/files.h"
#include "engine/plan/model_entry.h"
#include "engine/plan/prepare.h"
#include "engine/plan/toml.h"
#include "engine/terminal/table.h"
#include "engine/train/session.h"
#include "lab/reproduce/paper_entry.h"
#include "sim/thread_pool.h"

namespace sotto::cli {

namespace fs = std::filesystem;

namespace {

struct DemoOptions {
  CommonOptions common;
  std::string out = "runs/demo";
};

// One of papers/demo.toml.
struct Contestant {
  std::string title;
  TrainRequest plan = {};
  bool kept = false;  // the run that stays in the run directory
};

Result<std::vector<Contestant>> read_contestants() {
  std::vector<Contestant> all;
  for (const toml::node& node : *paper_document("demo.toml")["contestant"].as_array()) {
    toml::table table = *node.as_table();
    const std::string title = table["title"].value_or(std::string());
    const bool kept = table["kept"].value_or(false);
    table.erase("title");
    table.erase("kept");
    SOTTO_TRY(TrainRequest plan, from_table(table, "papers/demo.toml"));
    all.push_back({title, std::move(plan), kept});
  }
  return all;
}

struct Place {
  Contestant contestant;
  nlohmann::json summary;
};

// A folder that an earlier demo made (it left demo.json there) is made anew; another run is left alone.
Status clear_place(const fs::path& out) {
  std::error_code error;
  const RunDir run(out);
  if (!fs::exists(out / "plan.toml", error) && !run.is_whole()) return make_folder(out / "data");
  if (!fs::exists(out / "demo.json", error))
    return fail(Code::usage,
                fmt::format("{}: this folder holds a run that is not the demo's: choose another --out",
                            out.string()));
  SOTTO_TRY_DONE(run.clear());
  return make_folder(out / "data");
}

Result<TrainRequest> write_world(const fs::path& out, std::uint64_t seed) {
  const WorldOptions options{
      .users = 3000, .items = 2000, .cities = 8, .mean_interactions = 45.0, .seed = seed};
  SOTTO_TRY(const Dataset world, generate_world(options));
  const fs::path interactions = out / "data" / "interactions.tsv", items = out / "data" / "items.tsv";
  SOTTO_TRY_DONE(write_file(items, items_text(world, '\t')));
  SOTTO_TRY_DONE(write_file(interactions, interactions_text(world, '\t', false)));
  TrainRequest request;
  request.data.paths = {interactions.string()};
  request.data.names = {items.string()};
  request.plan.seed = seed;
  return request;
}

// A contestant's plan on the demo's world.
TrainRequest plan_for(const Contestant& contestant, const TrainRequest& world) {
  TrainRequest request = contestant.plan;
  request.data = world.data;
  request.plan.seed = world.plan.seed;
  return request;
}

std::string table_of(const std::vector<Place>& places, const Console& console) {
  Table table({{"model"},
               {"P@10", Align::right},
               {"R@10", Align::right},
               {"nDCG@10", Align::right},
               {"coverage", Align::right},
               {"up/device", Align::right},
               {"down/device", Align::right},
               {"time", Align::right}});
  for (const Place& place : places) {
    const nlohmann::json& summary = place.summary;
    const nlohmann::json& metrics = summary["metrics"];
    const auto devices = summary["users"].get<double>() - summary["users_without_training"].get<double>();
    const auto metric = [&](const char* name) { return fmt::format("{:.4f}", metrics.value(name, 0.0)); };
    const auto traffic = [&](const char* name) {
      const auto bytes = summary[name].get<double>();
      return bytes > 0.0 ? human_bytes(bytes / devices) : std::string("–");
    };
    table.row({place.contestant.title, metric("P@10"), metric("R@10"), metric("nDCG@10"),
               fmt::format("{:.0f}%", 100.0 * metrics.value("IC@10", 0.0) / summary["items"].get<double>()),
               traffic("bytes_up"), traffic("bytes_down"), human_seconds(summary["seconds"].get<double>())},
              place.contestant.plan.model->federated() ? Tone::accent : Tone::plain);
  }
  return table.text(console);
}

nlohmann::json as_json(const std::vector<Place>& places, const std::string& out) {
  nlohmann::json json{{"run", out}, {"models", nlohmann::json::array()}};
  for (const Place& place : places) {
    json["models"].push_back(place.summary);
    json["models"].back()["title"] = place.contestant.title;
    json["models"].back()["pi"] = place.contestant.plan.plan.consent.pi;
  }
  return json;
}

void print_farewell(const fs::path& out, double kept_pi, const Split& split, UserIndex person,
                    const Console& console) {
  const std::string run = shell_word(out.string());
  const auto data = [&](const char* name) { return shell_word((out / "data" / name).string()); };
  console.print(fmt::format("\nThe run of FPL at π = {} is in {}, its data in {}.\n", kept_pi, out.string(),
                            (out / "data").string()));
  console.print("Try next:\n");
  const char* named = std::getenv("SOTTO_PROGRAM");  // set by ./dev demo, where sotto is not on the PATH
  const std::string sotto = named != nullptr ? named : "sotto";
  console.print(fmt::format("  {} show {}\n", sotto, run));
  console.print(
      fmt::format("  {} recommend --run {} --user {}\n", sotto, run,
                  split.users.name((person.value + 1) % static_cast<std::uint32_t>(split.users.size()))));
  console.print(fmt::format("  {} train --data {} --names {} --model itemknn\n", sotto,
                            data("interactions.tsv"), data("items.tsv")));
}

Status run_demo(DemoOptions& options, const Console& console) {
  const fs::path out(options.out);
  SOTTO_TRY_DONE(clear_place(out));
  SOTTO_TRY_DONE(write_file(out / "demo.json", std::string_view("{}\n")));  // whose folder this is
  SOTTO_TRY(const TrainRequest world, write_world(out, options.common.seed));
  SOTTO_TRY(const Prepared prepared, prepare(world.data));
  const Split& split = prepared.split;
  console.note(fmt::format(
      "A made-up world: {} people, {} venues, {} check-ins; each person's last fifth is the test.",
      human_count(split.users.size()), human_count(split.catalogue),
      human_count(split.train.interactions() + split.test.interactions())));
  ThreadPool threads(options.common.threads);
  std::vector<Place> places;
  std::optional<Session> kept;
  double kept_pi = 1.0;
  SOTTO_TRY(const std::vector<Contestant> contestants, read_contestants());
  for (const Contestant& contestant : contestants) {
    TrainRequest request = plan_for(contestant, world);
    SOTTO_TRY_DONE(settle(request));
    SessionOptions how;
    how.title = contestant.title;
    if (contestant.kept) {
      kept_pi = request.plan.consent.pi;
      how.run.emplace(out);
      SOTTO_TRY_DONE(how.run->begin(request, split));
    }
    auto session = run_session(request, split, how, threads, console);
    if (!session.ok() && session.error().code == Code::cancelled)
      return fail(Code::cancelled, "the demo was stopped; start it again with: sotto demo");
    if (!session.ok()) return session.error();
    places.push_back({contestant, summary_of(request, split, *session)});
    console.note(
        fmt::format("  {} trained in {}", contestant.title, human_seconds(session->trained.seconds)));
    if (contestant.kept) kept = std::move(session).value();
  }
  SOTTO_TRY_DONE(write_file(out / "demo.json", as_json(places, options.out).dump(2) + "\n"));
  if (options.common.json) {
    print_json(console, as_json(places, options.out));
    return Done{};
  }
  console.print("\n" + table_of(places, console));
  console.print(
      "\n  π is the share of their visits that people let leave the device. Coverage: venues that occur\n"
      "  in anybody's top 10. Up and down: what one device sends and receives in the whole training.\n");
  const UserIndex person =
      person_to_show(split, *kept->trained.model, kept->evaluation.find("P@10").value_or(0.0));
  console.print("\n" + person_text(split, *kept->trained.model, person, console));
  print_farewell(out, kept_pi, split, person, console);
  return Done{};
}

}  // namespace

void add_demo(CLI::App& root, Cli& cli) {
  auto [app, options] = add_command<DemoOptions>(
      root, cli, "demo", "a made-up world, models side by side, one person's list", run_demo);
  app->add_option("-o,--out", options->out,
                  "where the demo's run directory goes; an earlier demo there is replaced")
      ->type_name("DIR")
      ->default_str(options->out);
  add_common_options(*app, options->common, "another seed, another world");
  app->footer(examples({"sotto demo", "sotto demo --seed 7 --out runs/demo-7"}));
}

}  // namespace sotto::cli
