#include "model/central/neural_options.h"

#include <algorithm>

namespace sotto::model {

namespace {

Status check(const MultVaeOptions& options) {
  if (options.hidden == 0 || options.hidden > 4096 || options.latent == 0 || options.latent > 4096)
    return fail(Code::usage, "hidden and latent must be from 1 to 4096");
  if (!(options.dropout >= 0.0f && options.dropout < 1.0f))
    return fail(Code::usage, "dropout must be a share from 0 up and below 1");
  if (!(options.anneal_cap >= 0.0f && options.anneal_cap <= 1000.0f))
    return fail(Code::usage, "anneal-cap must be a number from 0 to 1000");
  return Done{};
}

Status check(const NeuMfOptions& options) {
  if (options.factors == 0 || options.factors > 4096)
    return fail(Code::usage, "the number of factors must be from 1 to 4096");
  const auto is_size = [](std::uint32_t size) { return size > 0 && size <= 8192; };
  if (options.layers.size() < 2 || options.layers.front() % 2 != 0 ||
      !std::all_of(options.layers.begin(), options.layers.end(), is_size))
    return fail(Code::usage,
                "layers needs two sizes or more from 1 to 8192, the first an even number (half of it a "
                "user's vector, half an item's), such as 64,32,16,8");
  if (options.negatives == 0 || options.negatives > 1000)
    return fail(Code::usage, "negatives must be from 1 to 1000");
  return Done{};
}

}  // namespace

Status check(const NeuralOptions& options) {
  if (!(options.learning_rate > 0.0f && options.learning_rate <= 10.0f))
    return fail(Code::usage, "the learning rate of a network must be above 0 and at most 10");
  if (options.batch == 0 || options.batch > 1'000'000)
    return fail(Code::usage, "batch must be from 1 to 1,000,000");
  if (!(options.l2 >= 0.0f && options.l2 <= 10.0f))
    return fail(Code::usage, "l2 must be a number from 0 to 10");
  SOTTO_TRY_DONE(check(options.vae));
  return check(options.neumf);
}

MatrixShape vae_items_shape(std::size_t catalogue, const MultVaeOptions& options) {
  return {catalogue, std::size_t{options.hidden} + 1};
}

std::vector<MatrixShape> vae_layer_shapes(std::size_t catalogue, const MultVaeOptions& options) {
  const std::size_t hidden = options.hidden, latent = options.latent;
  return {{catalogue + 1, hidden}, {2 * latent, hidden + 1}, {hidden, latent + 1}};
}

std::size_t neumf_row_width(const NeuMfOptions& options) {
  return std::size_t{options.factors} + options.layers.front() / 2;
}

std::vector<MatrixShape> neumf_layer_shapes(const NeuMfOptions& options) {
  std::vector<MatrixShape> shapes;
  for (std::size_t n = 1; n < options.layers.size(); ++n)
    shapes.push_back({options.layers[n], std::size_t{options.layers[n - 1]} + 1});
  shapes.push_back({1, std::size_t{options.factors} + options.layers.back() + 1});
  return shapes;
}

}  // namespace sotto::model
