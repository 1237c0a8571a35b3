// Published models on any bytes, as an encoding, as a packed one and as a delta.
// Laws checked: what is read is finite and of its shape; what unpacks packs to the same content; a delta that
// applies leads to what make_delta would have said; every refusal has a sentence.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "fed/wire/published_model.h"

namespace {

using namespace sotto::fuzz;

void read(std::string_view encoded, const ModelShape& shape) {
  const auto rows = read_published(encoded, shape);
  if (!rows.ok()) {
    SOTTO_ASSERT(!rows.error().message.empty(), "a refusal has a sentence");
    return;
  }
  SOTTO_ASSERT(rows->rows() == shape.rows && rows->width() == shape.width, "a model has its shape");
  for (std::size_t row = 0; row < rows->rows(); ++row)
    for (const float value : rows->values(row)) SOTTO_ASSERT(std::isfinite(value), "a model is finite");
  const auto back = unpack_model(pack_model(encoded), shape);
  SOTTO_ASSERT(back.ok() && *back == encoded, "packing loses nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto precision : {sotto::v1::PRECISION_F32, sotto::v1::PRECISION_F16, sotto::v1::PRECISION_I8}) {
    const ModelShape shape{9, 5, precision};
    read(bytes, shape);
    const auto unpacked = unpack_model(bytes, shape);
    if (unpacked.ok()) read(*unpacked, shape);

    RowMatrix model(shape.rows, shape.width);
    for (std::size_t row = 0; row < shape.rows; ++row)
      for (std::size_t k = 0; k < shape.width; ++k)
        model.row(row)[k] = static_cast<float>((row * 7 + k * 3) % 11) / 8.0f - 0.5f;
    const std::string from = publish(model, precision);
    const auto to = apply_delta(from, bytes, shape);
    if (!to.ok()) continue;
    SOTTO_ASSERT(read_published(*to, shape).ok(), "a delta leads to a model");
    SOTTO_ASSERT(apply_delta(from, make_delta(from, *to, shape), shape).value() == *to, "deltas are exact");
  }
  return 0;
}
