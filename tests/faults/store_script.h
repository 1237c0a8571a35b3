// A script of every call a Store has, each one's outcome known from the PlainStore: what the fault tests run.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/testing/plain_store.h"

namespace sotto::tests {

struct ScriptStep {
  const char* name;
  std::function<std::string(Store&)> run;  // what came of it, as text
};

[[nodiscard]] const std::vector<ScriptStep>& store_script();
// The plain store after the first `steps`.
[[nodiscard]] std::unique_ptr<PlainStore> after(std::size_t steps);
// The script's blobs that the store has, whole.
[[nodiscard]] std::vector<bool> blobs_in(Store& store);
// What each token of the script does for a newcomer: a used one nothing.
[[nodiscard]] std::string tokens_left(Store& store);

class FaultFolder {
 public:
  FaultFolder() {
    // In memory where there is such a place: power cuts are played, and kills need no disk.
    std::string name =
        std::filesystem::is_directory("/dev/shm") ? "/dev/shm/sotto_XXXXXX" : "/tmp/sotto_XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  FaultFolder(const FaultFolder&) = delete;
  FaultFolder& operator=(const FaultFolder&) = delete;
  ~FaultFolder() {
    std::error_code unknown;
    std::filesystem::remove_all(path_, unknown);
  }
  [[nodiscard]] std::filesystem::path state() const { return path_ / "state"; }
  void empty() const { std::filesystem::remove_all(state()); }

 private:
  std::filesystem::path path_;
};

}  // namespace sotto::tests
