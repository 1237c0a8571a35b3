// The papers' datasets: the folder each is looked for in, where to get it, and what may stand in for it.
//
// Laws: nothing is read here, only looked for; a stand-in is used only where it was asked for, and says so.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/request.h"

namespace sotto {

inline constexpr std::string_view amazon_dm = "Amazon DM";
inline constexpr std::string_view movielens_1m = "MovieLens 1M";
inline constexpr std::string_view italy = "Italy";
inline constexpr std::string_view brazil = "Brazil";
inline constexpr std::string_view canada = "Canada";
inline constexpr std::string_view librarything = "LibraryThing";

struct PaperData {
  std::string name;
  bool there = false;
  bool proxy = false;      // other data, asked for with --proxies
  std::string shown;       // "Brazil", or "Brazil (proxy: gowalla-lightgcn)"
  std::string remedy;      // where to get it and where to put it
  DataRequest data;        // the papers' protocol: 20 items a user, the newest fifth is the test part
  std::string categories;  // a file of category and top-level category; empty: none
};

struct DataFolder {
  std::filesystem::path root;
  bool proxies = false;
};

// SOTTO_DATA, else ../shared/data.
[[nodiscard]] std::filesystem::path default_data_root();

[[nodiscard]] Result<PaperData> find_data(std::string_view name, const DataFolder& folder);

}  // namespace sotto
