#include "sim/broadcast.h"

#include "fed/messages.h"
#include "fed/wire/published_model.h"

namespace sotto::sim {

void Broadcast::restart(const RowMatrix& master) {
  if (precision_ != ModelPrecision::f32) rounded_ = as_published(master, wire_precision(precision_));
}

void Broadcast::round_row(std::uint32_t row, const RowMatrix& master) {
  publish_row(master.values(row), wire_precision(precision_), rounded_.values(row));
}

void Broadcast::encode(std::uint32_t round, const RowMatrix& master) {
  if (precision_ == ModelPrecision::f32) {
    bytes_ = fed::encode(ModelMessage{.round = round, .shared = master});
    return;
  }
  const std::string published = publish(master, wire_precision(precision_));
  const auto bytes = std::as_bytes(std::span(published));
  bytes_.assign(bytes.begin(), bytes.end());
}

Result<RowMatrix> Broadcast::received() const {
  if (precision_ == ModelPrecision::f32) {
    SOTTO_TRY(ModelMessage message, decode<ModelMessage>(bytes_));
    return std::move(message.shared);
  }
  return read_published({reinterpret_cast<const char*>(bytes_.data()), bytes_.size()},
                        {rounded_.rows(), rounded_.width(), wire_precision(precision_)});
}

std::uint64_t Broadcast::bytes_of(const RowMatrix& master) const {
  if (precision_ == ModelPrecision::f32) return encoded_model_bytes(master.rows(), master.width());
  return published_bytes({master.rows(), master.width(), wire_precision(precision_)});
}

}  // namespace sotto::sim
