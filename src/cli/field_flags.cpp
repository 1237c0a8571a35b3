#include "cli/field_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/values.h"

namespace sotto::cli {

namespace {

constexpr const char* model_flag = "--model";

void add_flag(CLI::App& app, FieldFlags& flags, const Field& field, const std::string& strip) {
  std::string name = field.flag;
  if (!strip.empty() && name.starts_with("--" + strip)) name.erase(2, strip.size());
  const auto keep = [&flags, flag = field.flag](const std::vector<std::string>& words) {
    flags.typed.emplace_back(flag, words);
  };
  const auto keep_parts = [keep](const std::vector<std::string>& words) { keep(list_parts(words)); };
  if (field.words == FlagWords::none) {
    app.add_flag_callback(
           name, [keep] { keep({}); }, field.help)
        ->group(field.group);
    return;
  }
  CLI::Option* option = field.words == FlagWords::one
                            ? app.add_option_function<std::string>(
                                  name, [keep](const std::string& word) { keep({word}); }, field.help)
                        : field.words == FlagWords::commas
                            ? app.add_option_function<std::vector<std::string>>(name, keep_parts, field.help)
                            : app.add_option_function<std::vector<std::string>>(name, keep, field.help);
  option->type_name(field.type)->group(field.group);
  // Of what models have, another model may have another.
  const std::string standard = field.common ? standard_of(all_models().front(), field) : "";
  if (!standard.empty()) option->default_str(standard);
  if (!field.values.empty()) values(option, field.values);
}

// "--hidden (multvae) and --l1 (slim)": the flags that only some models have, with these.
std::string flags_and_owners(const FieldFlags& flags) {
  std::vector<std::string> parts;
  for (const auto& [flag, words] : flags.typed) {
    std::vector<std::string> owners;
    for (const ModelEntry& entry : all_models())
      if (entry.flag(flag) != nullptr) owners.push_back(entry.name);
    constexpr std::size_t most_owners = 4;
    if (owners.size() == all_models().size()) continue;
    const bool many = owners.size() > most_owners;
    if (many) owners.resize(most_owners);
    parts.push_back(fmt::format("{} ({}{})", flag, fmt::join(owners, ", "), many ? ", …" : ""));
  }
  return joined_words(parts);
}

// The model that flags alone choose: the only one that has them all.
Result<const ModelEntry*> chosen_by(const FieldFlags& flags, const ModelEntry& usual) {
  const auto has_all = [&](const ModelEntry& entry) {
    return std::ranges::all_of(flags.typed,
                               [&](const auto& typed) { return entry.flag(typed.first) != nullptr; });
  };
  if (has_all(usual)) return &usual;
  const ModelEntry* only = nullptr;
  for (const ModelEntry& entry : all_models()) {
    if (!has_all(entry)) continue;
    if (only != nullptr) {
      const auto strange = std::ranges::find_if(
          flags.typed, [&](const auto& typed) { return usual.flag(typed.first) == nullptr; });
      return fail(Code::usage, fmt::format("{}: {}: choose the model with --model", strange->first,
                                           not_of_model(usual, strange->first)));
    }
    only = &entry;
  }
  if (only != nullptr) return only;
  return fail(Code::usage, fmt::format("no model has all of {}: choose one with --model, and its options",
                                       flags_and_owners(flags)));
}

}  // namespace

const std::vector<std::string>* FieldFlags::words_of(const std::string& flag) const {
  const auto found = std::ranges::find(typed, flag, &std::pair<std::string, std::vector<std::string>>::first);
  return found == typed.end() ? nullptr : &found->second;
}

void add_field_flags(CLI::App& app, FieldFlags& flags, const Fields& fields, const std::string& strip) {
  for (const Field& field : fields)
    if (!field.flag.empty()) add_flag(app, flags, field, strip);
}

Fields fields_of(const std::function<bool(const ModelEntry&)>& wanted,
                 const std::vector<std::string>& groups) {
  Fields all;
  for (const ModelEntry& entry : all_models()) {
    if (!wanted(entry)) continue;
    for (const Field& field : entry.fields) {
      const bool known = std::ranges::find(all, field.flag, &Field::flag) != all.end();
      const bool asked = groups.empty() || std::ranges::find(groups, field.group) != groups.end();
      if (!field.flag.empty() && !known && asked) all.push_back(field);
    }
  }
  std::stable_partition(all.begin(), all.end(), [](const Field& field) { return field.common; });
  return all;
}

Status choose_model(const FieldFlags& flags, TrainRequest& request, bool model_is_given) {
  if (const auto* words = flags.words_of(model_flag); words != nullptr) {
    SOTTO_TRY(const ModelEntry* entry, find_model(words->front()));
    SOTTO_TRY(request, switched_to(std::move(request), *entry));
  } else if (!model_is_given) {
    SOTTO_TRY(const ModelEntry* entry, chosen_by(flags, request.model.entry()));
    SOTTO_TRY(request, switched_to(std::move(request), *entry));
  }
  return Done{};
}

Status apply(const FieldFlags& flags, TrainRequest& request, bool model_is_given) {
  SOTTO_TRY_DONE(choose_model(flags, request, model_is_given));
  for (const auto& [flag, words] : flags.typed)
    if (request.model->flag(flag) == nullptr)
      return fail(Code::usage,
                  fmt::format("{}: {}: leave it out, or choose another --model. {}", flag,
                              not_of_model(request.model.entry(), flag), options_of(request.model.entry())));
  for (const Field& field : request.model->fields) {
    const auto* words = field.flag.empty() || field.flag == model_flag ? nullptr : flags.words_of(field.flag);
    if (words == nullptr) continue;
    SOTTO_TRY(const PlanValue value, field.value_from(*words));
    const Status set = field.set(request, value);
    if (!set.ok()) {
      const bool says_where =
          set.error().message.find(field.flag) != std::string::npos || set.error().code != Code::usage;
      return says_where ? set
                        : Status(fail(Code::usage, fmt::format("{}: {}", field.flag, set.error().message)));
    }
  }
  return Done{};
}

Status apply(const FieldFlags& flags, DataRequest& data) {
  TrainRequest request;
  request.data = std::move(data);
  const Status applied = apply(flags, request, true);
  data = std::move(request.data);
  return applied;
}

}  // namespace sotto::cli
