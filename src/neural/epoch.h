// What the epochs of both trainings share: the order of visits, and the watch over the loss.
#pragma once

#include <cmath>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "neural/training.h"

namespace sotto::neural {

template <class T>
void shuffle(std::vector<T>& order, Stream& stream) {
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[stream.below(static_cast<std::uint32_t>(left))]);
}

// Shuffles for this epoch, from the same start each time.
template <class T>
void shuffle_for_epoch(std::vector<T>& order, std::uint64_t seed, std::uint32_t epoch) {
  Stream stream(seed, Purpose::neural_order, epoch);
  shuffle(order, stream);
}

// Runs work(epoch), which returns the epoch's summed loss over its examples. Torch reports errors by
// exceptions: they end here.
template <class Work>
Result<NeuralEpoch> guarded_epoch(const char* model, std::uint32_t epoch, Work work) {
  try {
    const std::pair<std::uint64_t, double> done = work();
    const double units = done.second * 0x1.0p20;
    if (!(std::abs(units) < 0x1.0p62))
      return fail(Code::diverged, std::string(model) + " diverged in epoch " + std::to_string(epoch + 1) +
                                      ": its numbers left the finite range; take a smaller learning rate");
    return NeuralEpoch{done.first, std::llround(units)};
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return fail(Code::io,
                std::string(model) + ": libtorch could not go on: " + text.substr(0, text.find('\n')));
  }
}

}  // namespace sotto::neural
