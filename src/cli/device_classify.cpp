// sotto device classify: what a held model says of a person's labelled examples.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/device_command.h"
#include "device/classify.h"
#include "engine/plan/device_folder.h"
#include "engine/terminal/table.h"

namespace sotto::cli {

namespace {

struct ClassifyOptions {
  CommonOptions common;
  std::string dir;
  std::vector<std::string> names;
  std::string task;
};

Status classify(ClassifyOptions& options, const Console& console) {
  SOTTO_TRY(const auto vault, DeviceFolder(options.dir).open());
  std::string task = options.task;
  if (task.empty()) {
    SOTTO_TRY(task, only_task(*vault));
  }
  SOTTO_TRY(const LocalClassifier model, LocalClassifier::load(*vault, task));
  SOTTO_TRY(std::vector<KeptExample> all, vault->examples(model.form().collection));
  std::erase_if(all, [&](const KeptExample& one) {
    return one.height != model.form().height || one.width != model.form().width ||
           (!options.names.empty() && std::ranges::count(options.names, one.name) == 0);
  });
  if (all.empty())
    return fail(Code::not_found, fmt::format("there are no such examples of {} on this device: see 'sotto "
                                             "device list --collection {}'",
                                             model.form().collection, model.form().collection));
  nlohmann::json examples = nlohmann::json::array();
  std::string text;
  std::size_t right = 0;
  for (const KeptExample& one : all) {
    SOTTO_TRY(const std::vector<ClassShare> classes, model.classes_of(one));
    const ClassShare& best = classes.front();
    right += best.label.value == one.label ? 1 : 0;
    examples.push_back({{"name", one.name},
                        {"label", one.label},
                        {"class", best.item},
                        {"title", best.title},
                        {"share", best.share}});
    text += fmt::format("{}\t{}\t{:.0f}%\n", one.name, best.title, 100.0 * double{best.share});
  }
  if (options.common.json) {
    print_json(console, {{"examples", examples}, {"right", right}});
    return Done{};
  }
  console.write(text);
  console.note(fmt::format("{} of {} as their labels say", human_count(right), human_count(all.size())));
  return Done{};
}

}  // namespace

void add_device_classify(CLI::App& device, Cli& cli) {
  auto [app, options] = add_device_command(
      device, cli, "classify", "what a model says of your labelled examples; offline", classify,
      {"sotto device classify --dir my-device", "sotto device classify 3f0a77c2d41b9e05 --dir my-device"});
  app->add_option("NAME", options->names, "examples of the task's collection; all where none is named");
  app->add_option("--task", options->task, "the task whose model to use; needed if there are several");
}

}  // namespace sotto::cli
