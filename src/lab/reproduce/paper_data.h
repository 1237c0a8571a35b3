// The papers' datasets: the folder each is looked for in, where to get it, and what may stand in for it.
//
// Laws: nothing is read here, only looked for; a stand-in is used only where it was asked for, and says so.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/plan/request.h"

namespace sotto {

inline constexpr std::string_view amazon_dm = "Amazon DM";
inline constexpr std::string_view movielens_1m = "MovieLens 1M";
inline constexpr std::string_view italy = "Italy";
inline constexpr std::string_view brazil = "Brazil";
inline constexpr std::string_view canada = "Canada";
inline constexpr std::string_view librarything = "LibraryThing";
// Chapter 6, with knowledge about the items.
inline constexpr std::string_view facebook_books = "Facebook Books";
inline constexpr std::string_view yahoo_movies = "Yahoo! Movies";
inline constexpr std::string_view yahoo_named = "Yahoo! Movies, features by name";
inline constexpr std::string_view movielens_liked = "MovieLens 1M, ratings from 3";

struct PaperData {
  std::string name;
  bool there = false;
  bool proxy = false;      // other data, asked for with --proxies
  std::string shown;       // "Brazil", or "Brazil (proxy: gowalla-lightgcn)"
  std::string remedy;      // where to get it and where to put it
  DataRequest data;        // chapter 4: 20 items a user, the newest fifth is the test part
  std::string categories;  // a file of category and top-level category; empty: none
  std::uint32_t hops = 0;  // how far the knowledge that is here reaches; 0: there is none
  std::string caveat;      // what of it is not the papers'; may be empty
};

struct DataFolder {
  std::filesystem::path root;
  bool proxies = false;
};

// SOTTO_DATA, else ../shared/data.
[[nodiscard]] std::filesystem::path default_data_root();

[[nodiscard]] Result<PaperData> find_data(std::string_view name, const DataFolder& folder);

// The file, plain or packed; empty if it is not there.
[[nodiscard]] Result<std::string> plain_or_packed(const std::filesystem::path& folder, const char* name);

}  // namespace sotto
