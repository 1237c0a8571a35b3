#include "engine/train/released_rows.h"

#include <map>
#include <string_view>
#include <utility>

#include "engine/train/training.h"
#include "model/mf_recommender.h"

namespace sotto::engine {

namespace {

using Name = std::pair<std::string_view, std::string_view>;

std::vector<std::uint32_t> numbers_of(const std::vector<Name>& wanted, const std::vector<Name>& known) {
  std::map<Name, std::uint32_t> numbers;
  for (std::uint32_t n = 0; n < known.size(); ++n) numbers.emplace(known[n], n);
  std::vector<std::uint32_t> at;
  for (const Name& one : wanted) {
    const auto found = numbers.find(one);
    at.push_back(found == numbers.end() ? no_row : found->second);
  }
  return at;
}

std::vector<Name> names_of(const ItemFeatures& features) {
  std::vector<Name> names;
  for (std::uint32_t n = 0; n < features.features(); ++n)
    names.emplace_back(features.predicate({n}), features.object({n}));
  return names;
}

std::vector<Name> names_of(const Contexts& contexts) {
  std::vector<Name> names;
  for (const ContextDimension& dimension : contexts.dimensions)
    for (const std::string& value : dimension.values) names.emplace_back(dimension.name, value);
  return names;
}

}  // namespace

std::vector<std::uint32_t> items_at(const TaskCatalogue& known, const Split& split) {
  std::vector<std::uint32_t> at;
  for (std::uint32_t item = 0; item < split.catalogue; ++item)
    at.push_back(known.names.find(split.items.name(item)).value_or(no_row));
  return at;
}

std::vector<std::uint32_t> features_at(const TaskCatalogue& known, const ItemFeatures& features) {
  return numbers_of(names_of(features),
                    known.features != nullptr ? names_of(*known.features) : std::vector<Name>());
}

std::vector<std::uint32_t> values_at(const TaskCatalogue& known, const Contexts& contexts) {
  return numbers_of(names_of(contexts),
                    known.contexts != nullptr ? names_of(*known.contexts) : std::vector<Name>());
}

RowMatrix placed(const RowMatrix& from, std::span<const std::uint32_t> at) {
  RowMatrix rows(at.size(), from.width());
  for (std::size_t n = 0; n < at.size(); ++n)
    if (at[n] != no_row) std::ranges::copy(from.values(at[n]), rows.row(n));
  return rows;
}

Parameters items_and_people(const ReleasedRows& released, const TrainRequest& request, const Split& split,
                            Executor& executor) {
  Parameters made{.items = placed(released.rows, released.item_at), .users = {}};
  const RowMatrix nobody(split.users.size(), made.items.width());
  const MfRecommender model(&nobody, &made.items, fold_in_options(request));
  made.users = Private(rows_of_people(split, made.items.width(), executor,
                                      [&](UserIndex user) { return model.fold_in(split.train.of(user)); }));
  return made;
}

}  // namespace sotto::engine
