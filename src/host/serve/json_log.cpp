#include "host/serve/json_log.h"

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

namespace sotto::host {

namespace {

// "2026-01-31T18:05:07.123Z".
std::string time_text() {
  using namespace std::chrono;
  const auto now = time_point_cast<milliseconds>(system_clock::now());
  const auto ms = static_cast<int>(now.time_since_epoch().count() % 1000);
  const std::time_t seconds = system_clock::to_time_t(now);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40], whole[64];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(whole, sizeof whole, "%s.%03dZ", text, ms);
  return whole;
}

const char* name_of(LogLevel level) {
  return level == LogLevel::info ? "info" : level == LogLevel::warning ? "warning" : "error";
}

std::string text_of(const LogLine& line) {
  nlohmann::ordered_json out{{"time", time_text()}, {"level", name_of(line.level)}};
  if (!line.task.empty()) out["task"] = line.task;
  if (line.round) out["round"] = *line.round;
  out["message"] = line.message;
  for (const auto& [key, value] : line.fields) out[key] = value;
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

JsonLog::JsonLog(std::FILE* out) : out_(out), writer_([this] { write(); }) {}

JsonLog::~JsonLog() {
  {
    const std::lock_guard hold(mutex_);
    ends_ = true;
  }
  news_.notify_one();
  writer_.join();
}

void JsonLog::line(const LogLine& line) {
  std::string text = text_of(line);
  {
    const std::lock_guard hold(mutex_);
    if (waiting_.size() >= most_waiting) {
      ++dropped_;
      return;
    }
    waiting_.push_back(std::move(text));
  }
  news_.notify_one();
}

void JsonLog::write() {
  std::unique_lock hold(mutex_);
  for (;;) {
    news_.wait(hold, [this] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::string text = std::move(waiting_.front());
    waiting_.pop_front();
    if (dropped_ != 0)
      text += text_of({LogLevel::warning,
                       "",
                       std::nullopt,
                       "lines were dropped: nobody read the log in time",
                       {{"count", std::to_string(std::exchange(dropped_, 0))}}});
    hold.unlock();
    std::fwrite(text.data(), 1, text.size(), out_);
    std::fflush(out_);
    hold.lock();
  }
}

}  // namespace sotto::host
