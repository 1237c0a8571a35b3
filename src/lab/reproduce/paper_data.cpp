#include "lab/reproduce/paper_data.h"

#include <fmt/core.h>

#include <cstdlib>

#include "engine/files/files.h"
#include "lab/reproduce/paper_entry.h"

namespace sotto::lab {

namespace {

// One place where a dataset may lie.
struct KnownData {
  std::string name, print, shown, proxy, remedy, caveat, categories;
  std::vector<std::string> files;  // that must be there beside those of the plan
  std::uint32_t hops = 0;
  PlanPart plan;
};

Result<std::vector<KnownData>> read_data(const toml::table& document, const std::string& file) {
  std::vector<KnownData> all;
  PaperEntry root(document, file);
  root.each("dataset", [&](PaperEntry& entry) {
    KnownData& one = all.emplace_back();
    entry.need("name", one.name).may("print", one.print).may("shown", one.shown).may("proxy", one.proxy);
    entry.may("remedy", one.remedy).may("caveat", one.caveat).may("categories", one.categories);
    entry.may("files", one.files).may("hops", one.hops).need("plan", one.plan);
  });
  SOTTO_TRY_DONE(root.done());
  return all;
}

// What lies at the place; not there if one of its files is missing.
Result<PaperData> look(const KnownData& one, const std::filesystem::path& root) {
  PaperData found;
  found.name = one.name;
  found.print = one.print.empty() ? one.name : one.print;
  found.shown = !one.proxy.empty()  ? fmt::format("{} (proxy: {})", one.name, one.proxy)
                : one.shown.empty() ? one.name
                                    : one.shown;
  found.proxy = !one.proxy.empty();
  found.hops = one.hops;
  found.caveat = one.caveat;
  SOTTO_TRY(TrainRequest request, one.plan({}));
  SOTTO_TRY(found.there, locate(root, request.data));
  for (const std::string& file : one.files) {
    SOTTO_TRY(const std::string path, plain_or_packed(root, file));
    found.there = found.there && !path.empty();
  }
  if (!found.there) return found;
  found.data = std::move(request.data);
  if (!one.categories.empty()) {
    SOTTO_TRY(found.categories, plain_or_packed(root, one.categories));
  }
  return found;
}

}  // namespace

std::filesystem::path default_data_root() {
  const char* set = std::getenv("SOTTO_DATA");
  return set != nullptr && *set != '\0' ? set : "../shared/data";
}

Result<bool> locate(const std::filesystem::path& folder, DataRequest& data) {
  bool all = true;
  const auto place = [&](std::string& name) -> Status {
    SOTTO_TRY(const std::string found, plain_or_packed(folder, name));
    all = all && !found.empty();
    name = found.empty() ? (folder / name).string() : found;
    return Done{};
  };
  for (auto* names : {&data.paths, &data.test, &data.names, &data.kg.paths, &data.kg.links})
    for (std::string& name : *names) SOTTO_TRY_DONE(place(name));
  if (!data.kg.predicates.empty()) SOTTO_TRY_DONE(place(data.kg.predicates));
  // Of people nobody has to know anything.
  if (!data.contexts.people.empty()) {
    SOTTO_TRY(data.contexts.people, plain_or_packed(folder, data.contexts.people));
  }
  return all;
}

Result<PaperData> find_data(std::string_view name, const DataFolder& folder) {
  static const std::vector<KnownData> known = from_papers("data.toml", read_data);
  std::optional<PaperData> found;
  std::string remedy, stand_in;
  for (const KnownData& one : known) {
    if (one.name != name) continue;
    if (remedy.empty()) remedy = fmt::format(fmt::runtime(one.remedy), (folder.root / "").string());
    if (!one.proxy.empty() && !folder.proxies) {
      stand_in = fmt::format("; or let {} stand in for it with --proxies", one.proxy);
      continue;
    }
    if (found && found->there) break;
    SOTTO_TRY(PaperData looked, look(one, folder.root));
    if (!found || looked.there) found = std::move(looked);
  }
  SOTTO_ASSERT(found.has_value(), "targets name known datasets only");
  found->remedy = remedy + (found->there ? "" : stand_in);
  return std::move(*found);
}

}  // namespace sotto::lab
