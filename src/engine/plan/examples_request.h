// What a plan says of labelled examples: which, and how they are dealt to devices. Models that learn from
// examples (ModelEntry::needs_examples) have these options where others have those of histories.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "data/examples/celeba.h"
#include "data/examples/deal.h"
#include "data/examples/idx.h"
#include "data/split.h"

namespace sotto::engine {

struct DataRequest;

enum class DealKind : std::uint8_t { iid, shards, people };
[[nodiscard]] Result<DealKind> parse_deal_kind(const std::string& text);
[[nodiscard]] const char* to_string(DealKind kind);

struct ExamplesRequest {
  bool wanted = false;          // settled: the model looks at examples
  bool generate = false;        // they are made up
  std::uint32_t count = 12000;  // of those: so many
  DealKind deal = DealKind::iid;
  std::uint32_t devices = 0;        // that examples are dealt to; 0: 100, or all people
  std::uint32_t most_devices = 0;   // of those: so many are in the federation; 0: all
  std::uint32_t most_examples = 0;  // of a device, for training; 0: all it was dealt
  OwnerDeal people;
};

[[nodiscard]] Status check_examples(const DataRequest& data);
// MNIST's or CelebA's out of the folder, or made up. What is asked of pictures is asked of MNIST's.
[[nodiscard]] Result<std::shared_ptr<const OwnedExamples>> read_examples(const DataRequest& data,
                                                                         const IdxOptions& pictures = {});
[[nodiscard]] Result<Split> deal_examples(const DataRequest& data,
                                          std::shared_ptr<const OwnedExamples> examples);

}  // namespace sotto::engine
