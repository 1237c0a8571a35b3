#include "model/averaging/classifier_options.h"

#include <algorithm>

namespace sotto::model {

namespace {

constexpr std::uint32_t most_units = 65536;

std::string size_text(std::uint32_t height, std::uint32_t width) {
  return std::to_string(height) + " × " + std::to_string(width);
}

Status check_room(const ClassifierOptions& options, const Examples& examples) {
  std::uint32_t height = examples.height, width = examples.width;
  for (std::size_t layer = 0; layer < options.channels.size(); ++layer) {
    if (std::min(height, width) < 2)
      return fail(Code::bad_input, "pictures of " + size_text(examples.height, examples.width) +
                                       " are too small for " + std::to_string(options.channels.size()) +
                                       " layers of filters with 2 × 2 maxima: " + size_text(height, width) +
                                       " is left for layer " + std::to_string(layer + 1) +
                                       "; take fewer layers or the dense model");
    height /= 2;
    width /= 2;
  }
  return Done{};
}

}  // namespace

Result<ClassifierKind> parse_classifier_kind(const std::string& text) {
  for (const ClassifierKind kind : {ClassifierKind::cnn, ClassifierKind::dense})
    if (text == to_string(kind)) return kind;
  return fail(Code::usage, "'" + text + "' is no classifier: cnn or dense");
}

const char* to_string(ClassifierKind kind) { return kind == ClassifierKind::cnn ? "cnn" : "dense"; }

Result<Accelerator> parse_accelerator(const std::string& text) {
  for (const Accelerator accelerator : {Accelerator::cpu, Accelerator::cuda})
    if (text == to_string(accelerator)) return accelerator;
  return fail(Code::usage, "'" + text + "' is no accelerator: cpu or cuda");
}

const char* to_string(Accelerator accelerator) { return accelerator == Accelerator::cpu ? "cpu" : "cuda"; }

Status check_sizes(const ClassifierOptions& options) {
  const auto is_size = [](std::uint32_t size) { return size > 0 && size <= most_units; };
  if (!std::ranges::all_of(options.hidden, is_size) || !std::ranges::all_of(options.channels, is_size))
    return fail(Code::usage,
                "layers must have from 1 to " + std::to_string(most_units) + " neurons or filters");
  if (options.kind != ClassifierKind::cnn) return Done{};
  if (options.filter == 0 || options.filter % 2 == 0 || options.filter > 31)
    return fail(Code::usage, "the size of a filter must be an odd number from 1 to 31");
  if (options.channels.empty())
    return fail(Code::usage, "a cnn needs at least one layer of filters; take the dense model without any");
  return Done{};
}

Status check(const ClassifierOptions& options, const Examples& examples) {
  if (examples.size() == 0 || examples.size() > std::size_t{1} << 24)
    return fail(Code::bad_input, "examples of " + size_text(examples.height, examples.width) +
                                     " numbers cannot be learned from");
  if (examples.classes < 2)
    return fail(Code::bad_input, "a classifier needs two classes or more, and the examples have " +
                                     std::to_string(examples.classes));
  SOTTO_TRY_DONE(check_sizes(options));
  if (options.kind == ClassifierKind::cnn) SOTTO_TRY_DONE(check_room(options, examples));
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

}  // namespace sotto::model
