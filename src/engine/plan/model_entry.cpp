#include "engine/plan/model_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest_word.h"

namespace sotto::engine {

namespace {

const ModelEntry* entry_named(std::string_view name) {
  const auto found = std::ranges::find(all_models(), name, &ModelEntry::name);
  return found == all_models().end() ? nullptr : &*found;
}

// The other model's field of the same meaning; null: it has none.
const Field* same_field(const ModelEntry& entry, const Field& field) {
  const Field* same = entry.field(field.path);
  return same != nullptr && same->scope == field.scope ? same : nullptr;
}

// What may be typed instead: of how it learns, not of how it is protected.
std::vector<std::string> own_flags(const ModelEntry& entry) {
  constexpr std::array others{"federation", "consent",        "sum", "dp", "robust",
                              "criteria",   "early_stopping", ""};
  std::vector<std::string> flags;
  for (const Field& field : entry.fields)
    if (!field.common && !field.flag.empty() && std::ranges::find(others, field.section()) == others.end())
      flags.push_back(field.flag);
  return flags;
}

}  // namespace

ChosenModel::ChosenModel() : ChosenModel(all_models().front()) {}
ChosenModel::ChosenModel(const ModelEntry& entry) : entry_(&entry), own_(entry.own) {}
ChosenModel::ChosenModel(std::string_view name) : entry_(entry_named(name)) {
  SOTTO_ASSERT(entry_ != nullptr, "the name of a model stands in the list");
  own_ = entry_->own;
}

const Field* ModelEntry::field(std::string_view path) const {
  const auto found = std::ranges::find(fields, path, &Field::path);
  return path.empty() || found == fields.end() ? nullptr : &*found;
}

const Field* ModelEntry::flag(std::string_view typed) const {
  const auto found = std::ranges::find(fields, typed, &Field::flag);
  return typed.empty() || found == fields.end() ? nullptr : &*found;
}

Result<const ModelEntry*> find_model(const std::string& name) {
  if (const ModelEntry* entry = entry_named(name)) return entry;
  NearestWord near(name);
  for (const ModelEntry& entry : all_models()) near.look_at(entry.name);
  const std::string meant = near.word().empty() ? "" : fmt::format(". Did you mean '{}'?", near.word());
  return fail(Code::usage, fmt::format("unknown model '{}': choose one of {}{}", name, model_names(), meant));
}

std::string model_names(const std::function<bool(const ModelEntry&)>& wanted) {
  std::string names;
  for (const ModelEntry& entry : all_models())
    if (!wanted || wanted(entry)) names += (names.empty() ? "" : ", ") + entry.name;
  return names;
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t n = 0; n < words.size(); ++n)
    text += (n == 0 ? "" : n + 1 == words.size() ? " and " : ", ") + words[n];
  return text;
}

bool is_plan_key(std::string_view path) {
  return std::ranges::any_of(all_models(), [&](const ModelEntry& entry) { return entry.has(path); });
}

std::string not_of_model(const ModelEntry& entry, std::string_view option) {
  std::vector<std::string> owners;
  for (const ModelEntry& one : all_models())
    if (one.has(option) || one.flag(option) != nullptr) owners.push_back(one.name);
  constexpr std::size_t most_owners = 8;
  const bool many = owners.size() > most_owners;
  if (many) owners.resize(most_owners);
  return fmt::format("{} has no such option, which belongs to {}", entry.name,
                     many ? fmt::format("{}, …", fmt::join(owners, ", ")) : joined_words(owners));
}

std::string options_of(const ModelEntry& entry) {
  const std::vector<std::string> flags = own_flags(entry);
  return flags.empty() ? entry.name + " has no options of its own"
                       : fmt::format("{} has {}", entry.name, joined_words(flags));
}

std::string standard_of(const ModelEntry& entry, const Field& field) {
  if (!field.standard.empty() || field.words == FlagWords::none) return field.standard;
  TrainRequest usual;
  usual.model = ChosenModel(entry);
  const std::optional<PlanValue> value = field.get(usual);
  if (!value) return "";
  std::string text;
  for (const PlanScalar& part : value->parts) {
    const auto* word = std::get_if<std::string>(&part);
    text += (text.empty() ? "" : ",") + (word != nullptr ? *word : to_text({{part}}));
  }
  return text;
}

TrainRequest with_model(TrainRequest request, const ModelEntry& entry) {
  if (request.model.is(entry)) return request;
  TrainRequest out, usual;
  // Of other data nothing holds but the keys that both have.
  if (entry.needs_examples == request.model->needs_examples) out.data = request.data;
  out.model = ChosenModel(entry);
  usual.model = ChosenModel(request.model.entry());
  out.dp.budget = request.dp.budget;
  out.consent.policy_name = request.consent.policy_name;
  out.consent.records = request.consent.records;
  for (const Field& field : request.model->fields) {
    const Field* same = same_field(entry, field);
    if (same == nullptr || field.path == "model.name") continue;
    const std::optional<PlanValue> value = field.get(request);
    if (!value || value == field.get(usual)) continue;
    const Status set = same->set(out, *value);
    SOTTO_ASSERT(set.ok(), "a key means the same to every model");
  }
  return out;
}

std::vector<std::string> keys_left_out(const TrainRequest& request, const ModelEntry& entry) {
  TrainRequest usual;
  usual.model = ChosenModel(request.model.entry());
  std::vector<std::string> keys;
  for (const Field& field : request.model->fields)
    if (!field.path.empty() && same_field(entry, field) == nullptr && field.get(request) != field.get(usual))
      keys.push_back(field.path);
  return keys;
}

bool is_protection(std::string_view path) {
  constexpr std::array<std::string_view, 5> sections{"consent", "sum", "dp", "robust", "criteria"};
  return std::ranges::find(sections, path.substr(0, path.find('.'))) != sections.end();
}

bool is_idle_protection(std::string_view path, const ModelEntry& entry) {
  return !entry.federated() && (path == "consent.pi" || path == "consent.mask");
}

Result<TrainRequest> switched_to(TrainRequest request, const ModelEntry& entry) {
  for (const std::string& key : keys_left_out(request, entry))
    if (is_protection(key) && !is_idle_protection(key, entry))
      return fail(Code::usage,
                  fmt::format("the plan protects people by {}, and that would be lost: {}; take it out of "
                              "the plan, or choose another model",
                              key, not_of_model(entry, key)));
  return with_model(std::move(request), entry);
}

const char* to_string(Sends sends) {
  switch (sends) {
    case Sends::nothing:
      return "nothing";
    case Sends::item_steps:
      return "item steps";
    case Sends::item_gradients:
      return "gradients";
    case Sends::item_sums:
      return "item sums";
    case Sends::shared_steps:
      return "feature steps";
    case Sends::shared_sums:
      return "model sums";
    case Sends::network:
      return "network";
    case Sends::pair_counts:
      return "pair counts";
  }
  return "";
}

bool ModelEntry::sends_steps() const {
  switch (sends) {
    case Sends::item_steps:
    case Sends::item_gradients:
    case Sends::shared_steps:
    case Sends::network:
      return true;
    case Sends::nothing:
    case Sends::item_sums:
    case Sends::shared_sums:
    case Sends::pair_counts:
      return false;
  }
  return false;
}

bool seed_matters(const TrainRequest& request) {
  switch (request.model->draws) {
    case Draws::always:
      return true;
    case Draws::never:
      return false;
    case Draws::if_protected:
      // Who gives what, who is grouped with whom, masks and noise are drawn.
      return request.plan.consent.pi < 1.0 || request.consent.any() || request.sum.kind != SumKind::plain ||
             request.robust.asked() || request.criteria.asked() || request.dp.asked();
  }
  return true;
}

bool learns_from_test(const TrainRequest& request) {
  return request.model->learns_from_test != nullptr && request.model->learns_from_test(request);
}

std::string label_of(const TrainRequest& request) {
  return request.model->label ? request.model->label(request) : request.model->title;
}

}  // namespace sotto::engine
