// LogSink: where a coordinator's log lines go. The daemon prints them as JSON.
// Law: a line never has a device's name, a token, a key or anything of a contribution.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/layers.h"

namespace sotto::server {

enum class LogLevel : std::uint8_t { info, warning, error };

struct LogLine {
  LogLevel level = LogLevel::info;
  std::string task;                    // empty: of no task
  std::optional<std::uint32_t> round;  // none: of no round
  std::string message;
  std::vector<std::pair<std::string, std::string>> fields = {};
};

class LogSink {
 public:
  LogSink() = default;
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;
  virtual ~LogSink() = default;
  virtual void line(const LogLine& line) = 0;  // called under the coordinator's lock: it must not call back
};

}  // namespace sotto::server
