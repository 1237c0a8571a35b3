#include "model/averaging/classifier_options.h"

#include <fmt/core.h>

#include <algorithm>

namespace sotto {

namespace {

constexpr std::uint32_t most_units = 65536;

Status check_filters(const ClassifierOptions& options, const Examples& examples) {
  if (options.filter == 0 || options.filter % 2 == 0 || options.filter > 31)
    return fail(Code::usage, "the size of a filter must be an odd number from 1 to 31");
  if (options.channels.empty())
    return fail(Code::usage, "a cnn needs at least one layer of filters; take the dense model without any");
  std::uint32_t height = examples.height, width = examples.width;
  for (std::size_t layer = 0; layer < options.channels.size(); ++layer) {
    if (std::min(height, width) < 2)
      return fail(Code::bad_input,
                  fmt::format("pictures of {} × {} are too small for {} layers of {} × {} filters with 2 × 2 "
                              "maxima: {} × {} are left for layer {}; take fewer layers or the dense model",
                              examples.height, examples.width, options.channels.size(), options.filter,
                              options.filter, height, width, layer + 1));
    height /= 2;
    width /= 2;
  }
  return Done{};
}

}  // namespace

Result<ClassifierKind> parse_classifier_kind(const std::string& text) {
  for (const ClassifierKind kind : {ClassifierKind::cnn, ClassifierKind::dense})
    if (text == to_string(kind)) return kind;
  return fail(Code::usage, fmt::format("'{}' is no classifier: cnn or dense", text));
}

const char* to_string(ClassifierKind kind) { return kind == ClassifierKind::cnn ? "cnn" : "dense"; }

Result<Accelerator> parse_accelerator(const std::string& text) {
  for (const Accelerator accelerator : {Accelerator::cpu, Accelerator::cuda})
    if (text == to_string(accelerator)) return accelerator;
  return fail(Code::usage, fmt::format("'{}' is no accelerator: cpu or cuda", text));
}

const char* to_string(Accelerator accelerator) { return accelerator == Accelerator::cpu ? "cpu" : "cuda"; }

Status check(const ClassifierOptions& options, const Examples& examples) {
  if (examples.size() == 0 || examples.size() > std::size_t{1} << 24)
    return fail(Code::bad_input, fmt::format("examples of {} × {} numbers cannot be learned from",
                                             examples.height, examples.width));
  if (examples.classes < 2)
    return fail(
        Code::bad_input,
        fmt::format("a classifier needs two classes or more, and the examples have {}", examples.classes));
  const auto is_size = [](std::uint32_t size) { return size > 0 && size <= most_units; };
  if (!std::ranges::all_of(options.hidden, is_size) || !std::ranges::all_of(options.channels, is_size))
    return fail(Code::usage, fmt::format("layers must have from 1 to {} neurons or filters", most_units));
  if (options.kind == ClassifierKind::cnn) SOTTO_TRY_DONE(check_filters(options, examples));
  std::size_t parameters = 0;
  for (const ClassifierLayer& layer : classifier_layers(options, examples)) {
    parameters += layer.parameters();
    if (parameters > std::size_t{1} << 30)
      return fail(Code::usage, "the network has more than 2^30 parameters: take smaller layers");
  }
  return Done{};
}

std::vector<ClassifierLayer> classifier_layers(const ClassifierOptions& options, const Examples& examples) {
  std::vector<ClassifierLayer> layers;
  std::size_t in = examples.size();
  if (options.kind == ClassifierKind::cnn) {
    std::size_t channels = 1, height = examples.height, width = examples.width;
    for (const std::uint32_t filters : options.channels) {
      layers.push_back({channels, filters, options.filter});
      channels = filters;
      height /= 2;
      width /= 2;
    }
    in = channels * height * width;
  }
  for (const std::uint32_t units : options.hidden) {
    layers.push_back({in, units});
    in = units;
  }
  layers.push_back({in, examples.classes});
  return layers;
}

}  // namespace sotto
