// What a classifier trained by federated averaging is asked for, and the layers that follow from it.
//
//   cnn     filters of one size, each layer of them followed by a 2×2 maximum, then dense layers (the network
//           of McMahan et al. 2017 for digits; on 28×28 pictures of ten classes 1,663,370 parameters)
//   dense   dense layers alone; with none between, a logistic regression
// Every dense layer but the last is followed by max(0, x), the last by a softmax over the classes.
//
// The flat vector holds the layers in order, each its weights (out × in, filters as out × in × rows ×
// columns) and then its biases. Law: what check() lets through can be built.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/examples/examples.h"

namespace sotto::model {

enum class ClassifierKind : std::uint8_t { cnn, dense };
[[nodiscard]] Result<ClassifierKind> parse_classifier_kind(const std::string& text);
[[nodiscard]] const char* to_string(ClassifierKind kind);

// Where the numbers are worked out.
enum class Accelerator : std::uint8_t { cpu, cuda };
[[nodiscard]] Result<Accelerator> parse_accelerator(const std::string& text);
[[nodiscard]] const char* to_string(Accelerator accelerator);

struct ClassifierOptions {
  ClassifierKind kind = ClassifierKind::cnn;
  std::uint32_t filter = 5;                     // cnn: so many rows and columns, an odd number
  std::vector<std::uint32_t> channels{32, 64};  // cnn: filters of each layer of them
  bool conv_relu = true;                        // cnn: max(0, x) after each layer of filters
  std::vector<std::uint32_t> hidden{512};       // sizes of the dense layers before the last
  Accelerator accelerator = Accelerator::cpu;
};

struct ClassifierLayer {
  std::size_t in = 0;      // channels or numbers that go in
  std::size_t out = 0;     // channels or numbers that come out
  std::size_t filter = 0;  // rows and columns of a filter; 0: a dense layer

  [[nodiscard]] std::size_t taps() const { return filter == 0 ? 1 : filter * filter; }
  [[nodiscard]] std::size_t weights() const { return in * out * taps(); }
  [[nodiscard]] std::size_t parameters() const { return weights() + out; }
};

// What can be said of the sizes before there are examples; check() asks it, too.
[[nodiscard]] Status check_sizes(const ClassifierOptions& options);
// Of what the examples say, their height, width and number of classes are looked at.
[[nodiscard]] Status check(const ClassifierOptions& options, const Examples& examples);
[[nodiscard]] std::vector<ClassifierLayer> classifier_layers(const ClassifierOptions& options,
                                                             const Examples& examples);

}  // namespace sotto::model
