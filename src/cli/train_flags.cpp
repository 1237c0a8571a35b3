#include "cli/train_flags.h"

#include <fmt/format.h>

#include "engine/files/files.h"
#include "engine/plan/model_entry.h"

namespace sotto::cli {

namespace {

void add_plan_file(CLI::App& app, TrainFlags& flags) {
  app.add_option("--plan", flags.plan_file, "a TOML plan; flags override it")
      ->type_name("FILE")
      ->group("Run");
  app.add_flag("-q,--quiet", flags.quiet, "no progress")->group("Run");
}

void add_run_flags(CLI::App& app, TrainFlags& flags) {
  app.add_option("-o,--out", flags.out, "a run directory, to show, compare and use later")
      ->type_name("DIR")
      ->group("Run");
  add_plan_file(app, flags);
  app.add_flag("--resume", flags.resume, "continue the stopped run in --out")->group("Run");
  app.add_flag("--force", flags.force, "replace the run in --out")->group("Run");
  app.add_option("--checkpoint-seconds", flags.checkpoint_seconds, "seconds between two checkpoints")
      ->type_name("S")
      ->default_str(fmt::format("{}", flags.checkpoint_seconds))
      ->group("Run");
  app.add_option("--keep-checkpoints", flags.keep_epochs,
                 "keep one every N epochs, so that 'sotto forget' need not start from the beginning; 0: none")
      ->type_name("EPOCHS")
      ->default_str("0")
      ->group("Run");
  app.add_option("--scratch", flags.scratch,
                 "keep private rows in a file of this folder, for more users than memory holds")
      ->type_name("DIR")
      ->group("Run");
  app.add_option("--memory", flags.memory_gb, "refuse a plan that needs more memory")
      ->type_name("GB")
      ->default_str("what is available")
      ->group("Run");
}

bool any_model(const ModelEntry& /*entry*/) { return true; }

}  // namespace

void add_train_flags(CLI::App& app, TrainFlags& flags) {
  add_field_flags(app, flags.fields, fields_of(any_model));
  add_run_flags(app, flags);
  add_common_options(app, flags.common, "seed of everything that is drawn: the same seed, the same model");
}

void narrow_help(CLI::App& train) {
  const std::vector<std::string> typed = train.get_option("--model")->results();
  const auto found = typed.empty() ? Result<const ModelEntry*>(nullptr) : find_model(typed.front());
  const ModelEntry* entry = found.ok() ? *found : nullptr;
  const Fields all = fields_of(any_model);
  for (const Field& row : all) {
    const Field* own = entry != nullptr ? entry->flag(row.flag) : row.common ? &row : nullptr;
    CLI::Option* option = train.get_option(row.flag);
    // Of what few models look at, only those that do speak.
    const bool aside = (row.group == "Knowledge" && (entry == nullptr || !entry->needs_features)) ||
                       (row.group == "Ratings and contexts" && (entry == nullptr || !entry->needs_ratings));
    if (own == nullptr || aside) {
      option->group("");
      continue;
    }
    option->description(own->help)->group(own->group);
    option->default_str(standard_of(entry != nullptr ? *entry : all_models().front(), *own));
  }
}

void add_plan_flags(CLI::App& app, TrainFlags& flags, const std::function<bool(const ModelEntry&)>& models,
                    std::vector<std::string> groups) {
  groups.insert(groups.end(), {"Data", "Model", "Federation"});
  add_field_flags(app, flags.fields, fields_of(models, groups));
  add_plan_file(app, flags);
}

Result<TrainRequest> request_from(const TrainFlags& flags, const Console& console,
                                  std::optional<TrainRequest> base) {
  bool model_is_given = base.has_value();
  TrainRequest request = base ? std::move(*base) : TrainRequest{};
  if (!flags.plan_file.empty()) {
    SOTTO_TRY(const std::string text, read_text(flags.plan_file));
    // A plan that says nothing of a model is one of the model that flags tell.
    if (names_a_model(text))
      model_is_given = true;
    else
      SOTTO_TRY_DONE(choose_model(flags.fields, request, model_is_given));
    SOTTO_TRY(request, from_toml(text, flags.plan_file, std::move(request)));
  }
  const TrainRequest planned = request;
  SOTTO_TRY_DONE(apply(flags.fields, request, model_is_given));
  // --model may take another model than the plan's, which does not have all that the plan sets.
  const std::vector<std::string> keys = keys_left_out(planned, request.model.entry());
  if (!keys.empty() && !flags.quiet)
    console.note(fmt::format("sotto: {} has no {}: what {} sets there is left out", request.model->name,
                             joined_words(keys), flags.plan_file));
  if (flags.common.seed_given) request.plan.seed = flags.common.seed;
  SOTTO_TRY_DONE(settle(request));
  return request;
}

}  // namespace sotto::cli
