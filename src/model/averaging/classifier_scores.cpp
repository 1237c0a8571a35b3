#include "model/averaging/classifier_scores.h"

#include <algorithm>

#include "base/assert.h"
#include "base/math.h"

namespace sotto::model {

namespace {

// Pictures of one size, one a channel, row after row.
struct Planes {
  std::size_t count, height, width;
  std::vector<float> values;

  [[nodiscard]] float* plane(std::size_t n) { return values.data() + n * height * width; }
  [[nodiscard]] const float* plane(std::size_t n) const { return values.data() + n * height * width; }
};

// out += weight · in, moved by so many rows and columns; what moves beyond the edge is lost.
void add_moved(const float* in, std::size_t height, std::size_t width, std::ptrdiff_t down,
               std::ptrdiff_t right, float weight, float* out) {
  const auto rows = static_cast<std::ptrdiff_t>(height), columns = static_cast<std::ptrdiff_t>(width);
  for (std::ptrdiff_t row = std::max<std::ptrdiff_t>(0, -down); row < std::min(rows, rows - down); ++row) {
    const float* from = in + (row + down) * columns + right;
    for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(0, -right); k < std::min(columns, columns - right); ++k)
      out[row * columns + k] += weight * from[k];
  }
}

Planes filtered(const Planes& in, const ClassifierLayer& layer, const float* weights) {
  Planes out{layer.out, in.height, in.width, std::vector<float>(layer.out * in.height * in.width)};
  const auto filter = static_cast<std::ptrdiff_t>(layer.filter), edge = filter / 2;
  const float* biases = weights + layer.weights();
  for (std::size_t to = 0; to < layer.out; ++to) {
    std::fill_n(out.plane(to), in.height * in.width, biases[to]);
    for (std::size_t from = 0; from < layer.in; ++from)
      for (std::ptrdiff_t tap = 0; tap < filter * filter; ++tap)
        add_moved(in.plane(from), in.height, in.width, tap / filter - edge, tap % filter - edge, *weights++,
                  out.plane(to));
  }
  return out;
}

// The largest of each four; of what is odd the last row or column is left out.
Planes pooled(const Planes& in, bool rectify) {
  Planes out{in.count, in.height / 2, in.width / 2, {}};
  for (std::size_t n = 0; n < in.count; ++n)
    for (std::size_t row = 0; row < out.height; ++row)
      for (std::size_t column = 0; column < out.width; ++column) {
        const float* at = in.plane(n) + 2 * row * in.width + 2 * column;
        const float most = std::max({at[0], at[1], at[in.width], at[in.width + 1]});
        out.values.push_back(rectify ? std::max(most, 0.0f) : most);
      }
  return out;
}

std::vector<float> dense(const std::vector<float>& in, const ClassifierLayer& layer, const float* weights) {
  std::vector<float> out(weights + layer.weights(), weights + layer.parameters());
  for (float& sum : out)
    for (const float number : in) sum += *weights++ * number;
  return out;
}

}  // namespace

std::vector<float> classifier_scores(const ClassifierOptions& options, const Examples& form,
                                     std::span<const float> flat, std::span<const std::uint8_t> example) {
  SOTTO_ASSERT(example.size() == form.size(), "the example has the form's size");
  Planes x{1, form.height, form.width, {}};
  for (const std::uint8_t byte : example) x.values.push_back(static_cast<float>(byte) / 255.0f);
  const std::vector<ClassifierLayer> layers = classifier_layers(options, form);
  for (std::size_t n = 0; n < layers.size(); ++n) {
    SOTTO_ASSERT(flat.size() >= layers[n].parameters(), "the numbers are the network's");
    if (layers[n].filter != 0) {
      x = pooled(filtered(x, layers[n], flat.data()), options.conv_relu);
    } else {
      x.values = dense(x.values, layers[n], flat.data());
      if (n + 1 < layers.size())
        for (float& value : x.values) value = std::max(value, 0.0f);
    }
    flat = flat.subspan(layers[n].parameters());
  }
  return std::move(x.values);
}

void make_shares(std::span<float> scores) {
  const float most = *std::ranges::max_element(scores);
  float sum = 0.0f;
  for (float& score : scores) sum += score = exp_f32(score - most);
  for (float& score : scores) score /= sum;
}

}  // namespace sotto::model
