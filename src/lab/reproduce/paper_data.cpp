#include "lab/reproduce/paper_data.h"

#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <optional>

#include "base/assert.h"
#include "engine/files/files.h"
#include "lab/reproduce/averaging_plans.h"
#include "lab/reproduce/cars_data.h"
#include "lab/reproduce/knowledge_data.h"

namespace sotto {

namespace {

using Files = std::array<const char*, 3>;

// Where a dataset, or what stands in for it, may lie. No training file: all data files of the folder.
struct DataPlace {
  const char* folder;
  Files train;  // alternatives; the first that is there
  const char* more_train = nullptr;
  const char* test = nullptr;  // parts that come ready
};

struct Known {
  std::string_view name;
  DataPlace place;
  const char* source;
  std::optional<DataPlace> stand_in;
};

const std::array known{
    Known{amazon_dm,
          {"amazon-digital-music", {}},
          "Amazon Digital Music (McAuley et al. 2015), users with 20 items: user, item, rating, time",
          std::nullopt},
    Known{movielens_1m,
          {"movielens-1m", {"ratings.dat", "ratings_ranked.tsv"}},
          "https://grouplens.org/datasets/movielens/1m/ (ratings.dat)",
          std::nullopt},
    Known{italy,
          {"foursquare-italy", {}},
          "Foursquare TIST2015 (Yang, Zhang, Qu 2016), venues in Italy: user, venue, category, time; and "
          "category_top_level.tsv: category, top-level category",
          std::nullopt},
    Known{brazil,
          {"foursquare-brazil", {}},
          "Foursquare TIST2015 (Yang, Zhang, Qu 2016), venues in Brazil: user, venue, category, time",
          DataPlace{"gowalla-lightgcn", {"train.txt"}, "valid.txt", "test.txt"}},
    Known{canada,
          {"foursquare-canada", {}},
          "Foursquare TIST2015 (Yang, Zhang, Qu 2016), venues in Canada: user, venue, category, time",
          DataPlace{"foursquare-us-small", {"checkins.txt"}}},
    Known{librarything,
          {"librarything", {}},
          "LibraryThing ratings (Zhao, McAuley, King 2015): user, book, rating, time",
          std::nullopt},
};

// The request for what lies at the place; no paths if it is not there.
Result<DataRequest> look(const std::filesystem::path& root, const DataPlace& place) {
  DataRequest data;
  data.filter.min_user = 20;
  const std::filesystem::path folder = root / place.folder;
  SOTTO_TRY(const bool there, is_there(folder));
  if (!there) return data;
  if (place.train.front() == nullptr) {
    data.paths = {folder.string()};
    return data;
  }
  for (const char* name : place.train) {
    if (name == nullptr || !data.paths.empty()) continue;
    SOTTO_TRY(const std::string found, plain_or_packed(folder, name));
    if (!found.empty()) data.paths = {found};
  }
  if (data.paths.empty() || place.test == nullptr) return data;
  SOTTO_TRY(const std::string more, plain_or_packed(folder, place.more_train));
  SOTTO_TRY(const std::string test, plain_or_packed(folder, place.test));
  if (more.empty() || test.empty()) return DataRequest{};
  data.paths.push_back(more);
  data.test = {test};
  return data;
}

}  // namespace

std::filesystem::path default_data_root() {
  const char* set = std::getenv("SOTTO_DATA");
  return set != nullptr && *set != '\0' ? set : "../shared/data";
}

Result<std::string> plain_or_packed(const std::filesystem::path& folder, const char* name) {
  for (const char* ending : {"", ".zst"}) {
    const std::filesystem::path path = folder / (std::string(name) + ending);
    SOTTO_TRY(const bool there, is_there(path));
    if (there) return path.string();
  }
  return std::string();
}

Result<PaperData> find_data(std::string_view name, const DataFolder& folder) {
  if (is_knowledge_data(name)) return find_knowledge_data(name, folder);
  if (is_averaging_data(name)) return find_averaging_data(name, folder);
  if (is_cars_data(name)) return find_cars_data(name, folder);
  const Known* wanted = nullptr;
  for (const Known& one : known)
    if (one.name == name) wanted = &one;
  SOTTO_ASSERT(wanted != nullptr, "targets name known datasets only");
  PaperData found;
  found.name = found.shown = std::string(name);
  found.remedy =
      fmt::format("{}: put it into {}", wanted->source, (folder.root / wanted->place.folder).string());
  SOTTO_TRY(found.data, look(folder.root, wanted->place));
  if (found.data.paths.empty() && wanted->stand_in) {
    if (folder.proxies) {
      SOTTO_TRY(found.data, look(folder.root, *wanted->stand_in));
      found.proxy = !found.data.paths.empty();
      if (found.proxy) found.shown = fmt::format("{} (proxy: {})", name, wanted->stand_in->folder);
    } else {
      found.remedy += fmt::format("; or let {} stand in for it with --proxies", wanted->stand_in->folder);
    }
  }
  found.there = !found.data.paths.empty();
  if (found.there && !found.proxy) {
    SOTTO_TRY(found.categories,
              plain_or_packed(folder.root / wanted->place.folder, "category_top_level.tsv"));
  }
  return found;
}

}  // namespace sotto
