// For tests: a device through the C interface, against a coordinator in the same process.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "device/testing/fake_coordinator.h"
#include "sotto/move.h"
#include "sotto/sotto.h"

namespace sotto::device {

struct Wire {
  FakeCoordinator server;
  bool allowed = true;
};

inline int call(void* user_data, const char* method, const uint8_t* request, size_t size, sotto_sink* sink) {
  auto& wire = *static_cast<Wire*>(user_data);
  for (const Method known : {Method::enrol, Method::check_in, Method::fetch, Method::step, Method::leave}) {
    if (std::strcmp(to_string(known), method) != 0) continue;
    const auto reply = wire.server.call(known, {reinterpret_cast<const char*>(request), size});
    if (!reply.ok()) return 1;
    sotto_reply(sink, reinterpret_cast<const uint8_t*>(reply->data()), reply->size());
    return 0;
  }
  return 2;
}

inline int allow(void* user_data, int* on_power, int* unmetered) {
  *on_power = 1;
  *unmetered = 0;
  return static_cast<Wire*>(user_data)->allowed ? 1 : 0;
}

inline void collect_item(void* out, const char* item, double) {
  static_cast<std::vector<std::string>*>(out)->emplace_back(item);
}
inline void collect_text(void* out, const char* text, size_t size) {
  static_cast<std::vector<std::string>*>(out)->emplace_back(text, size);
}

class CInterface : public ::testing::Test {
 protected:
  explicit CInterface(const v1::TaskSpec& task = small_task(30))
      : folder_(std::filesystem::temp_directory_path() / ("sotto-c-" + std::to_string(::getpid()))),
        wire_{FakeCoordinator(task)} {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    key_bytes_.fill(3);
    open();
  }
  ~CInterface() override {
    sotto_device_close(device_);
    std::filesystem::remove_all(folder_);
  }
  void open() {
    const sotto_key key{key_bytes_.data(), nullptr};
    ASSERT_EQ(sotto_device_open((folder_ / "vault.db").c_str(), &key, 1, &device_), SOTTO_OK)
        << sotto_last_error(nullptr);
  }
  // Until the exchange is over.
  sotto_exchange exchange() {
    sotto_exchange result{};
    for (int n = 0; n < 1000; ++n) {
      EXPECT_EQ(sotto_run_exchange(device_, &transport_, &conditions_, wire_.server.now_ms, &result),
                SOTTO_OK)
          << sotto_last_error(device_);
      if (result.ending != SOTTO_WAITING) break;
      wire_.server.now_ms += result.wait_ms;
    }
    return result;
  }
  void join() {
    for (const char* item : {"2", "5", "11"})
      ASSERT_EQ(sotto_add_interaction(device_, item, 1.0, 0), SOTTO_OK);
    ASSERT_EQ(sotto_set_level(device_, "open"), SOTTO_OK);
    ASSERT_EQ(sotto_enrol(device_, &transport_, reinterpret_cast<const uint8_t*>("token"), 5), SOTTO_OK)
        << sotto_last_error(device_);
  }
  std::size_t ledger_lines() {
    std::vector<std::string> lines;
    EXPECT_EQ(sotto_ledger(device_, nullptr, collect_text, &lines), SOTTO_OK);
    return lines.size();
  }

  std::filesystem::path folder_;
  Wire wire_;
  std::array<uint8_t, 32> key_bytes_{};
  sotto_device* device_ = nullptr;
  sotto_transport transport_{&wire_, call};
  sotto_conditions conditions_{&wire_, allow};
};

}  // namespace sotto::device
