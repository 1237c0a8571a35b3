#include "cli/device_text.h"

#include <gtest/gtest.h>

namespace sotto::cli::device_text_test {

LedgerEntry entry_of(const char* mechanism, std::optional<double> epsilon = {}) {
  return {.round = 1, .task = "films", .mechanism = mechanism, .epsilon = epsilon, .bytes = 10, .items = {}};
}

std::string listed(std::vector<LedgerEntry> entries) {
  const LedgerReading reading{.entries = std::move(entries), .head = LedgerHead("")};
  return ledger_table(reading, 20, nullptr, Console());
}

bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

TEST(DeviceText, ARoundWithoutNoiseHasNoBoundAndACoordinatorsIsNotKnown) {
  for (const char* simulated : {"plain, no noise", "secure, robust, no noise, told novelty"}) {
    const std::string text = listed({entry_of(simulated)});
    EXPECT_TRUE(says(text, "ε of all: no bound")) << text;
    EXPECT_FALSE(says(text, "none known") || says(text, "operator")) << text;
  }
  for (const char* told : {"plain", "secure"}) {
    const std::string text = listed({entry_of(told)});
    EXPECT_TRUE(says(text, "ε of all: none known") && says(text, "ask its operator")) << text;
    EXPECT_FALSE(says(text, "no bound")) << text;
  }
  const std::string both = listed({entry_of("plain"), entry_of("plain, no noise")});
  EXPECT_TRUE(says(both, "ε of all: no bound")) << "whatever the other had\n" << both;
  EXPECT_TRUE(says(both, "none known") && says(both, "ask its operator")) << both;
}

TEST(DeviceText, WhatRunsSpentByTheirLastRoundsIsAddedUp) {
  LedgerEntry first = entry_of("plain, central noise", 1.0), second = entry_of("plain, central noise", 1.5);
  second.round = 2;
  const std::string text = listed({first, second, entry_of("plain, local noise", 2.0)});
  EXPECT_TRUE(says(text, "ε of all: 3.5")) << text;
  EXPECT_FALSE(says(text, "no bound") || says(text, "none known")) << text;
}

}  // namespace sotto::cli::device_text_test
