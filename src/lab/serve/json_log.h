// JsonLog: a coordinator's log as JSON lines, one event each, for journald and whatever reads it.
//
// Law: lines come whole, whoever writes at the same time.
#pragma once

#include <cstdio>
#include <mutex>

#include "server/log_sink.h"

namespace sotto {

class JsonLog final : public LogSink {
 public:
  explicit JsonLog(std::FILE* out) : out_(out) {}
  void line(const LogLine& line) override;

 private:
  std::mutex one_at_a_time_;
  std::FILE* out_;
};

}  // namespace sotto
