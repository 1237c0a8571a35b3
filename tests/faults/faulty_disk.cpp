#include "tests/faults/faulty_disk.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace sotto::tests {

namespace fs = std::filesystem;

namespace {

using Kind = DurableWrite::Kind;

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(std::string& content, std::size_t offset, std::string_view bytes) {
  content.resize(std::max(content.size(), offset + bytes.size()));
  content.replace(offset, bytes.size(), bytes);
}

void overwrite(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

// SQLite syncs the folder with the first sync of a log it made.
bool brings_its_name(const std::string& path) { return path.ends_with("-wal") || path.ends_with("-journal"); }

}  // namespace

void die_at_once() {
  std::raise(SIGKILL);
  std::abort();
}

void FaultyDisk::remember(const DurableWrite& write) {
  const std::string path = write.path;
  const auto changed = [&]() -> Unsynced& {
    if (!contents_.contains(path)) contents_[path] = {fs::is_directory(path) ? "" : read(path), {}};
    return contents_[path];
  };
  switch (write.kind) {
    case Kind::create:
      names_.push_back(path);
      break;
    case Kind::write:
      changed().changes.push_back({write.offset, std::string(write.bytes)});
      break;
    case Kind::truncate:
      changed().changes.push_back({write.offset, "", true});
      break;
    case Kind::sync:
      contents_.erase(path);
      std::erase_if(names_, [&](const std::string& name) {
        return fs::path(name).parent_path() == path || (name == path && brings_its_name(path));
      });
      std::erase_if(renames_,
                    [&](const auto& rename) { return fs::path(rename.second).parent_path() == path; });
      break;
    case Kind::rename:
      std::erase(names_, path);
      renames_.emplace_back(path, write.to);
      break;
    case Kind::remove:
      contents_.erase(path);
      std::erase(names_, path);
      break;
  }
}

// A disk writes in any order: each change since the last sync is there or not.
void FaultyDisk::lose_unsynced() {
  std::mt19937_64 chance(at_);  // the same losses for the same write
  for (auto& [path, file] : contents_) {
    std::string content = file.content;
    for (const Unsynced::Change& change : file.changes) {
      if ((chance() & 1) == 0) continue;
      const auto offset = static_cast<std::size_t>(change.offset);
      if (change.is_cut)
        content.resize(offset);
      else
        put(content, offset, change.bytes);
    }
    if (fs::exists(path)) overwrite(path, content);
  }
  std::error_code unknown;
  for (auto rename = renames_.rbegin(); rename != renames_.rend(); ++rename)
    fs::rename(rename->second, rename->first, unknown);
  for (const std::string& name : names_) fs::remove_all(name, unknown);
}

bool FaultyDisk::let_through(const DurableWrite& write) {
  if (frozen_) return false;
  ++count_;
  if (fault_ == DiskFault::full) return count_ < at_ || count_ >= at_ + length_;
  if (fault_ == DiskFault::none || count_ < at_) {
    if (fault_ == DiskFault::power_cut) remember(write);
    return true;
  }
  if (fault_ == DiskFault::torn && write.kind == Kind::write) {
    std::string content = read(write.path);
    put(content, static_cast<std::size_t>(write.offset), write.bytes.substr(0, write.bytes.size() / 2));
    overwrite(write.path, content);
  }
  if (fault_ == DiskFault::power_cut) lose_unsynced();
  if (death_ == Death::kills) die_at_once();
  frozen_ = true;
  return false;
}

}  // namespace sotto::tests
