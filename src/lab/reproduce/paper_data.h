// The papers' datasets (papers/data.toml): where each is looked for, where to get it, and what may stand in
// for it.
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

namespace sotto::lab {

struct PaperData {
  std::string name;
  bool there = false;
  bool proxy = false;      // other data, asked for with --proxies
  std::string shown;       // "Brazil", or "Brazil (proxy: gowalla-lightgcn)"
  std::string print;       // what printed tables call it
  std::string remedy;      // where to get it and where to put it
  DataRequest data;        // where its files lie, and how they are read
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

// Paths that begin at the folder become where the files lie, plain or packed; whether all are there. A
// missing one is named where it was looked for.
[[nodiscard]] Result<bool> locate(const std::filesystem::path& folder, DataRequest& data);

}  // namespace sotto::lab
