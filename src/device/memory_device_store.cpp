#include "device/memory_device_store.h"

#include <algorithm>

#include "data/histories.h"
#include "fed/wire/catalogue.h"

namespace sotto::device {

namespace {

// What the split has at `place` of its training part.
void add_record(const Records& records, std::uint64_t place, KeptInteraction& one) {
  if (records.has_ratings) one.rating = records.train.ratings[place];
  if (!records.train.times.empty())
    one.time_ms = records.train.times[place] * (records.time_kind == TimeKind::unix_seconds ? 1000 : 1);
  for (std::size_t column = 0; column < records.columns.size(); ++column)
    if (const std::uint32_t value = records.train.columns[column][place]; value != no_value)
      one.contexts.emplace_back(records.columns[column].name, records.columns[column].values.name(value));
}

}  // namespace

std::shared_ptr<const TaskCatalogue> SharedShelf::catalogue(const std::string& hash) {
  const std::lock_guard guard(mutex_);
  const auto at = catalogues_.find(hash);
  return at == catalogues_.end() ? nullptr : at->second;
}

Status SharedShelf::keep_catalogue(const std::string& hash, const std::string& packed) {
  SOTTO_TRY(auto table, read_catalogue(packed, most_ids));
  const std::lock_guard guard(mutex_);
  catalogues_.emplace(hash, std::move(table));
  return Done{};
}

std::shared_ptr<const HeldModel> SharedShelf::model(const std::string& wanted) {
  const std::lock_guard guard(mutex_);
  for (const auto& model : models_)
    if (model->version == wanted) return model;
  return nullptr;
}

void SharedShelf::keep_model(const std::shared_ptr<const HeldModel>& model) {
  const std::lock_guard guard(mutex_);
  if (std::find(models_.begin(), models_.end(), model) != models_.end()) return;
  models_.push_back(model);
  if (models_.size() > most_models) models_.pop_front();
}

void MemoryDeviceStore::drop_models() {
  for (TaskState& task : tasks_) task.model.reset();
}

MemoryDeviceStore::TaskState& MemoryDeviceStore::state(const std::string& task) {
  for (TaskState& state : tasks_)
    if (state.name == task) return state;
  tasks_.push_back({.name = task, .model = {}, .last_round = {}, .own = {}});
  return tasks_.back();
}

Result<std::vector<KeptInteraction>> MemoryDeviceStore::interactions() {
  std::vector<KeptInteraction> all;
  all.reserve(person_.items.size());
  for (std::size_t k = 0; k < person_.items.size(); ++k) {
    const std::uint32_t item = person_.items[k].value;
    KeptInteraction& one = all.emplace_back();
    one.item = person_.names != nullptr ? std::string(person_.names->name(item)) : std::to_string(item);
    if (!person_.ages.empty()) one.time_ms = Histories::most_age - person_.ages[k];  // a rank
    if (person_.records != nullptr) add_record(*person_.records, person_.first + k, one);
  }
  return all;
}

Result<std::vector<KeptExample>> MemoryDeviceStore::examples(const std::string& collection) {
  std::vector<KeptExample> all;
  if (collection != person_.collection) return all;
  all.reserve(person_.places.size());
  for (const std::uint32_t place : person_.places) {
    const Examples& from = *person_.examples;
    KeptExample& one = all.emplace_back();
    one.collection = collection;
    one.name = std::to_string(place);
    one.height = from.height;
    one.width = from.width;
    one.label = from.labels[place];
    if (!from.marks.empty()) one.mark = from.marks[place] != 0;
    one.values.assign(from.of(place), from.of(place) + from.size());
  }
  return all;
}

Result<std::shared_ptr<const TaskCatalogue>> MemoryDeviceStore::catalogue(const std::string& hash) {
  return shelf_.catalogue(hash);
}

Status MemoryDeviceStore::keep_catalogue(const std::string& hash, const std::string& packed) {
  return shelf_.keep_catalogue(hash, packed);
}

Result<std::vector<std::string>> MemoryDeviceStore::held_tasks() {
  std::vector<std::string> names;
  for (const TaskState& task : tasks_)
    if (!task.model.expired()) names.push_back(task.name);
  return names;
}

Result<std::shared_ptr<const HeldModel>> MemoryDeviceStore::model(const std::string& task) {
  return state(task).model.lock();
}

Status MemoryDeviceStore::keep_model(const std::string& task, std::shared_ptr<const HeldModel> model) {
  if (model->has_version()) shelf_.keep_model(model);
  state(task).model = model;
  return Done{};
}

Result<std::optional<Private<RowMatrix>>> MemoryDeviceStore::own_row(const std::string& task) {
  return state(task).own;
}

Result<std::optional<std::uint32_t>> MemoryDeviceStore::last_round(const std::string& task) {
  return state(task).last_round;
}

Status MemoryDeviceStore::note_answer(const Answer& answer) {
  TaskState& task = state(answer.task);
  if (answer.own != nullptr) task.own = *answer.own;
  task.last_round = answer.round;
  if (answer.beside) state(answer.beside->first).last_round = answer.beside->second;
  if (answer.said && person_.ledger != nullptr) person_.ledger->push_back(answer.ledger);
  return Done{};
}

Result<std::uint64_t> MemoryDeviceStore::next_nonce(std::uint64_t at_least) {
  nonce_ = std::max(nonce_ + 1, at_least);
  return nonce_;
}

}  // namespace sotto::device
