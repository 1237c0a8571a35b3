#include "fed/messages.h"

#include <fmt/core.h>

#include <algorithm>

namespace sotto::fed {

namespace {

constexpr std::uint32_t magic = 0x54544F53;  // "SOTT"
constexpr std::size_t header_bytes = 8;
constexpr std::size_t shape_bytes = 12;  // round, rows, width
constexpr std::size_t width_limit = 65536;

// Reads `rows` and `width` and checks that the rest can hold `row_bytes(width)` for each row.
struct Shape {
  std::uint32_t rows = 0;
  std::uint32_t width = 0;
};

Result<Shape> read_shape(Reader& in, std::size_t extra_bytes_a_row) {
  const auto rows = in.number<std::uint32_t>();
  const auto width = in.number<std::uint32_t>();
  if (in.spoiled()) return fail(Code::bad_input, "message refused: it ends within its shape");
  if (width == 0 || width > width_limit)
    return fail(Code::bad_input,
                fmt::format("message refused: rows of {} values, allowed are 1 to {}", width, width_limit));
  if (in.remaining() != std::uint64_t{rows} * (width * sizeof(float) + extra_bytes_a_row))
    return fail(Code::bad_input,
                fmt::format("message refused: {} rows of {} values do not fill its length", rows, width));
  return Shape{rows, width};
}

bool is_finite(float value) { return value - value == 0.0f; }

}  // namespace

void write_header(Writer& out, MessageKind kind) {
  out.number(magic).number(wire_version).number(static_cast<std::uint16_t>(kind));
}

Status read_header(Reader& in, MessageKind expected) {
  const auto found_magic = in.number<std::uint32_t>();
  const auto version = in.number<std::uint16_t>();
  const auto kind = in.number<std::uint16_t>();
  if (in.spoiled() || found_magic != magic)
    return fail(Code::bad_input, "message refused: not a Sotto message");
  if (version != wire_version)
    return fail(Code::incompatible,
                fmt::format("message refused: wire version {}, this side speaks {}", version, wire_version));
  if (kind != static_cast<std::uint16_t>(expected))
    return fail(Code::bad_input,
                fmt::format("message refused: kind {}, expected {}", kind, static_cast<int>(expected)));
  return Done{};
}

void ModelMessage::write(Writer& out) const {
  out.number(round);
  out.number(static_cast<std::uint32_t>(shared.rows())).number(static_cast<std::uint32_t>(shared.width()));
  for (std::size_t row = 0; row < shared.rows(); ++row) out.raw(std::as_bytes(shared.values(row)));
}

Result<ModelMessage> ModelMessage::read(Reader& in) {
  ModelMessage message;
  message.round = in.number<std::uint32_t>();
  SOTTO_TRY(const Shape shape, read_shape(in, 0));
  message.shared = RowMatrix(shape.rows, shape.width);
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    const auto bytes = in.raw(shape.width * sizeof(float));
    std::memcpy(message.shared.row(row), bytes.data(), bytes.size());
    const auto values = message.shared.values(row);
    if (!std::all_of(values.begin(), values.end(), is_finite))
      return fail(Code::bad_input, "message refused: the model holds a value that is not a finite number");
  }
  return message;
}

void ContributionMessage::write(Writer& out) const {
  const std::size_t width = contribution.width();
  out.number(round)
      .number(static_cast<std::uint32_t>(contribution.size()))
      .number(static_cast<std::uint32_t>(width));
  for (std::size_t n = 0; n < contribution.size(); ++n)
    out.number(contribution.row(n)).raw(std::as_bytes(std::span(contribution.values(n), width)));
}

Result<ContributionMessage> ContributionMessage::read(Reader& in) {
  ContributionMessage message;
  message.round = in.number<std::uint32_t>();
  SOTTO_TRY(const Shape shape, read_shape(in, sizeof(std::uint32_t)));
  message.contribution = Contribution(shape.width);
  for (std::uint32_t n = 0; n < shape.rows; ++n) {
    const auto row = in.number<std::uint32_t>();
    if (n > 0 && row < message.contribution.row(n - 1))
      return fail(Code::bad_input, "message refused: the rows of a contribution must ascend");
    std::int32_t* values = message.contribution.append(row);
    const auto bytes = in.raw(shape.width * sizeof(std::int32_t));
    std::memcpy(values, bytes.data(), bytes.size());
    std::fill(values + shape.width, values + message.contribution.stride(), 0);
    const auto in_range = [](std::int32_t v) { return v <= fixed_limit && v >= -fixed_limit; };
    if (!std::all_of(values, values + shape.width, in_range))
      return fail(Code::bad_input, "message refused: a value lies outside the fixed-point range");
  }
  return message;
}

std::uint64_t encoded_model_bytes(std::size_t rows, std::size_t width) {
  return header_bytes + shape_bytes + std::uint64_t{rows} * width * sizeof(float);
}

std::uint64_t encoded_contribution_bytes(std::uint64_t contributions, std::uint64_t rows, std::size_t width) {
  return contributions * (header_bytes + shape_bytes) +
         rows * (sizeof(std::uint32_t) + width * sizeof(std::int32_t));
}

}  // namespace sotto::fed
