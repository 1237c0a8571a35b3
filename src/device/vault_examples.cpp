// The vault's labelled examples.
#include <algorithm>
#include <tuple>

#include "device/kept_example.h"
#include "device/vault.h"

namespace sotto::device {

Status Vault::add(std::span<const KeptExample> examples) {
  return records_.transaction([&]() -> Status {
    for (const KeptExample& one : examples) {
      SOTTO_TRY_DONE(check(one));
      SOTTO_TRY_DONE(records_.put(RecordKind::example, record_name(one), encoded(one)));
    }
    return Done{};
  });
}

Result<std::vector<KeptExample>> Vault::examples(const std::string& collection) {
  std::vector<KeptExample> all;
  SOTTO_TRY_DONE(
      records_.each(RecordKind::example, [&](std::string_view name, std::string_view value) -> Status {
        if (!collection.empty() && !name.starts_with(collection + "/")) return Done{};
        std::optional<KeptExample> one = read_example(name, value);
        if (!one) return damaged(RecordKind::example);
        all.push_back(std::move(*one));
        return Done{};
      }));
  std::ranges::sort(all, {}, [](const KeptExample& one) { return std::tie(one.collection, one.name); });
  return all;
}

Result<std::size_t> Vault::remove_examples(const std::string& collection) {
  SOTTO_TRY(const std::vector<KeptExample> all, examples(collection));
  std::vector<std::string> names;
  for (const KeptExample& one : all) names.push_back(one.name);
  return remove_examples(collection, names);
}

Result<std::size_t> Vault::remove_examples(const std::string& collection,
                                           std::span<const std::string> names) {
  std::size_t there = 0;
  const Status done = records_.transaction([&]() -> Status {
    for (const std::string& name : names) {
      const std::string record = record_name({.collection = collection, .name = name});
      SOTTO_TRY(const std::optional<std::string> kept, records_.get(RecordKind::example, record));
      there += kept ? 1 : 0;
      SOTTO_TRY_DONE(records_.remove(RecordKind::example, record));
    }
    return Done{};
  });
  if (!done.ok()) return done.error();
  return there;
}

}  // namespace sotto::device
