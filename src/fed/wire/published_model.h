// A version of a model as devices receive it: rows in the task's precision, and deltas between versions.
//
// The server keeps the master in full; what is published is its rounding, and the sums of devices that worked
// on the rounding go to the master, so that what rounding leaves out is not lost (error feedback).
// Laws: the encoding is a function of the master's bits and the precision, so its hash names the version; a
// delta applied to the version it is from gives the encoding of the other, byte for byte; whatever else is
// given is refused, a model with a number that is not finite too, and nothing larger than the shape allows is
// ever allocated.
// Layout: "SOPM", version u16, precision u16, rows u32, width u32, then row by row f32, or f16, or i8 behind
// its scale as f32: a value is its steps times the scale, the scale the largest value through 127.
#pragma once

#include <sotto/v1/federation.pb.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/row_matrix.h"
#include "fed/plan.h"

namespace sotto::fed {

[[nodiscard]] v1::Precision wire_precision(ModelPrecision precision);

struct ModelShape {
  std::size_t rows = 0;
  std::size_t width = 0;
  v1::Precision precision = v1::PRECISION_F32;
};

// Of an encoding.
[[nodiscard]] std::size_t published_bytes(const ModelShape& shape);
// What an encoding says it is of; none: its bytes do not begin like one.
[[nodiscard]] std::optional<ModelShape> published_shape(std::string_view encoded);
// An encoding with rows of zeros behind its own: what a delta to a version of more rows is from.
[[nodiscard]] std::string with_rows(std::string_view encoded, const ModelShape& shape);
// The encoding: unpacked, canonical. Its blob_hash is the version's name.
[[nodiscard]] std::string publish(const RowMatrix& master, v1::Precision precision);
// What a device computes with. With f32: the master.
[[nodiscard]] Result<RowMatrix> read_published(std::string_view encoded, const ModelShape& shape);
// read_published(publish(master, precision)) without the bytes: for the simulator.
[[nodiscard]] RowMatrix as_published(const RowMatrix& master, v1::Precision precision);
// The same for one row.
void publish_row(std::span<const float> master, v1::Precision precision, std::span<float> published);

// For the wire: zstd around the encoding, turned so that it packs well. It must be one that publish() made or
// read_published() took.
[[nodiscard]] std::string pack_model(std::string_view encoded);
[[nodiscard]] Result<std::string> unpack_model(std::string_view packed, const ModelShape& shape);
// The rows that differ, as differences, packed. Both are encodings of one shape.
[[nodiscard]] std::string make_delta(std::string_view from, std::string_view to, const ModelShape& shape);
[[nodiscard]] Result<std::string> apply_delta(std::string_view from, std::string_view delta,
                                              const ModelShape& shape);

}  // namespace sotto::fed
