// JsonLog: a coordinator's log as JSON lines, one event each, for journald and whatever reads it.
//
// Laws: lines come whole and in order; who logs never waits for who reads: beyond most_waiting lines are
// dropped, and a line says how many. What was logged before the end is written, unless nobody reads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "server/log_sink.h"

namespace sotto::host {

class JsonLog final : public LogSink {
 public:
  explicit JsonLog(std::FILE* out);
  ~JsonLog() override;
  void line(const LogLine& line) override;

 private:
  static constexpr std::size_t most_waiting = 10'000;

  void write();

  std::FILE* out_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::string> waiting_;
  std::uint64_t dropped_ = 0;
  bool ends_ = false;
  std::thread writer_;
};

}  // namespace sotto::host
