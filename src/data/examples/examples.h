// Labelled examples for classifiers, and how they are dealt to devices.
//
// An example is height × width numbers of a byte each (a grey picture; a row of attributes has height 1) with
// a label. Those that a file offers for testing lie behind those for training.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "data/ids.h"

namespace sotto::data {

struct Examples {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::uint32_t classes = 0;
  std::vector<std::uint8_t> values;  // height · width an example
  std::vector<std::uint8_t> labels;  // one an example, below `classes`
  // One an example: 1 where it has the quality that a criterion asks for (a picture that is sharp). Empty:
  // not known.
  std::vector<std::uint8_t> marks;
  std::size_t for_training = 0;  // the first so many

  [[nodiscard]] std::size_t count() const { return labels.size(); }
  [[nodiscard]] std::size_t size() const { return std::size_t{height} * width; }
  [[nodiscard]] const std::uint8_t* of(std::size_t example) const { return values.data() + example * size(); }
};

// Who holds which examples, by their places in Examples.
class Dealt {
 public:
  struct Hand {
    std::vector<std::uint32_t> train, validation, test;
  };
  explicit Dealt(std::vector<Hand> hands) : hands_(std::move(hands)) {}
  // Of a device that knows itself alone: whoever asks is that device.
  [[nodiscard]] static Dealt of_one(Hand hand) {
    Dealt dealt({std::move(hand)});
    dealt.alone_ = true;
    return dealt;
  }

  [[nodiscard]] std::size_t devices() const { return hands_.size(); }
  [[nodiscard]] const Hand& of(UserIndex device) const { return hands_[alone_ ? 0 : device.value]; }

 private:
  std::vector<Hand> hands_;
  bool alone_ = false;
};

}  // namespace sotto::data
