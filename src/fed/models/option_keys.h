// TaskOptions: a model's options as its entry goes through them, key by key: from a configuration file into
// the message, or from the message into the task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/layers.h"

namespace sotto::fed {

// Options that a person wrote, by name. What is not there leaves the value as it is.
class TaskOptions {
 public:
  virtual void whole(const char* key, std::uint32_t& value) = 0;
  virtual void real(const char* key, float& value) = 0;
  // One that 0 stands for where it is not asked for: it is in no message then.
  virtual void whole_if_any(const char* key, std::uint32_t& value) { whole(key, value); }
  // One of some words: its place among them.
  virtual void choice(const char* key, std::initializer_list<const char*> words, std::size_t& place) = 0;
  virtual void wholes(const char* key, std::vector<std::uint32_t>& values) = 0;
  virtual void text(const char* /*key*/, std::string& /*value*/) {}

 protected:
  ~TaskOptions() = default;
};

}  // namespace sotto::fed
