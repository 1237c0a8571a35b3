#include "engine/train/direct_model.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "base/hash.h"
#include "engine/plan/model_entry.h"
#include "model/named_numbers.h"

namespace sotto::engine {

namespace {

// An option that decides how somebody's history is learned from or scored, as against where the data come
// from and who protects it.
bool is_of_learning(const Field& field) {
  constexpr std::array others{"", "federation", "consent", "sum", "dp", "robust", "criteria"};
  return !field.common && std::ranges::find(others, field.section()) == others.end();
}

}  // namespace

Result<DirectModel> make_direct(const TrainRequest& request, const Split& split, Executor& executor) {
  if (request.recency > 0.0f && !split.train.has_ages())
    return fail(
        Code::bad_input,
        "recency needs the order in time, and the split has none: split by time (temporal:0.8), or leave "
        "--recency out");
  return request.model->make(request, split, executor);
}

std::string direct_hash(const TrainRequest& request, const Split& split, const Recommender& model) {
  const auto* named = dynamic_cast<const NamedNumbers*>(&model);
  SOTTO_ASSERT(named != nullptr, "a model that is made in one go names its numbers");
  Hasher hasher;
  hasher.text(request.model->name).text(split.hash);
  for (const Field& field : request.model->fields)
    if (const auto value = is_of_learning(field) ? field.get(request) : std::nullopt)
      hasher.text(field.path).text(to_text(*value));
  named->add_numbers(hasher);
  return std::move(hasher).hex();
}

}  // namespace sotto::engine
