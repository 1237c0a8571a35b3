// For tests: a device that plays with a FakeCoordinator.
#pragma once

#include <deque>

#include "device/enrol.h"
#include "device/testing/fake_coordinator.h"
#include "fed/wire/device_fit.h"
#include "fed/wire/packed_contribution.h"

namespace sotto::device {

inline constexpr std::uint32_t test_items = 30;

// One enrolled device with some of the even items.
struct TestDevice {
  explicit TestDevice(FakeCoordinator& server, std::uint64_t seed = 1) {
    for (std::uint32_t item = 0; item < test_items; item += 2 + static_cast<std::uint32_t>(seed % 3))
      history.push_back(ItemIndex{item});
    const auto enrolment = enrol(server, "token", Secret(simulated_key(seed, "entropy")));
    EXPECT_TRUE(enrolment.ok());
    kept.emplace(shelf, MemoryPerson{history, nullptr, &policy, &ledger});
    kept->keep_enrolment(*enrolment);
    options.entropy = [seed, n = std::uint64_t{0}]() mutable { return simulated_key(seed, "draw", n++); };
    exchange.emplace(*kept, options);
  }
  Exchange::Next run(FakeCoordinator& server, int most = 100) {
    Exchange::Next next;
    for (int n = 0; n < most; ++n) {
      auto advanced = exchange->advance(server, server.now_ms + clock_off_ms);
      EXPECT_TRUE(advanced.ok());
      if (!advanced.ok()) return {};
      next = *advanced;
      if (next.what != Exchange::Next::What::wait) break;
      server.now_ms += next.wait_ms;
    }
    return next;
  }

  std::vector<ItemIndex> history;
  PersonalPolicy policy;
  std::vector<LedgerEntry> ledger;
  SharedShelf shelf;
  std::int64_t clock_off_ms = 0;
  ExchangeOptions options;
  std::optional<MemoryDeviceStore> kept;
  std::optional<Exchange> exchange;
};

// What a device that consents to everything sends in a round, computed apart.
inline std::string contribution_of(const FakeCoordinator& server, const TestDevice& device,
                                   const DeviceStreams& streams, std::uint32_t round = 0,
                                   bool alike = false) {
  DeviceFit fit(server.task, streams, device.history, ConsentTerms{});
  Private<RowMatrix> own = fit.start();
  return pack_contribution({round, **fit.fit(round, server.master, own.on_device())}, alike);
}

// Each goes on until it must wait, and then the next, until all came to an end.
inline std::vector<ExchangeReport> run_in_turns(FakeCoordinator& server, std::deque<TestDevice>& devices) {
  std::vector<ExchangeReport> reports(devices.size());
  std::vector<bool> over(devices.size(), false);
  for (int turn = 0; turn < 200; ++turn) {
    for (std::size_t n = 0; n < devices.size(); ++n) {
      if (over[n]) continue;
      const auto next = *devices[n].exchange->advance(server, server.now_ms);
      reports[n] = next.report;
      over[n] = next.what != Exchange::Next::What::wait;
    }
    server.now_ms += 10;
  }
  for (const bool one : over) EXPECT_TRUE(one) << "an exchange came to no end";
  return reports;
}

}  // namespace sotto::device
