#include "fed/wire/published_model.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/codec.h"
#include "base/compression.h"
#include "base/half.h"
#include "fed/wire/byte_planes.h"
#include "fed/wire/signed_request.h"

namespace sotto::fed {

namespace {

constexpr std::string_view model_magic = "SOPM";
constexpr std::string_view delta_magic = "SOPD";
constexpr std::uint16_t layout_version = 1;
constexpr std::size_t header_bytes = 16;
constexpr std::size_t scale_bytes = sizeof(float);
constexpr float most_steps_of_a_row = 127.0f;
constexpr int zstd_level = 3;  // 4% smaller floats than at level 1; a version is packed once and sent often

Error refuse_model(std::string_view why) {
  return fail(Code::bad_input, fmt::format("model refused: {}", why));
}

std::size_t row_bytes(std::size_t width, v1::Precision precision) {
  switch (precision) {
    case v1::PRECISION_F32:
      return width * sizeof(float);
    case v1::PRECISION_F16:
      return width * sizeof(std::uint16_t);
    case v1::PRECISION_I8:
      return scale_bytes + width;
    default:
      SOTTO_ASSERT(false, "a task has a precision of this version");
  }
}
std::size_t row_bytes(const ModelShape& shape) { return row_bytes(shape.width, shape.precision); }
std::size_t bitmap_bytes(const ModelShape& shape) { return (shape.rows + 7) / 8; }

bool is_finite(float value) { return value - value == 0.0f; }

// To the nearest whole number, ties to even, for sizes below 2^22: the sum has no bits for a fraction.
float nearest_whole(float value) {
  constexpr float whole = 12582912.0f;  // 1.5 · 2^23
  return (value + whole) - whole;
}

float scale_of(std::span<const float> row) {
  // As whole numbers the patterns of absolute values keep their order, and what is not finite comes last.
  std::uint32_t largest = 0;
  for (const float value : row)
    largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFFu);
  const auto most = std::bit_cast<float>(largest);
  if (!is_finite(most)) return most;
  const float scale = most / most_steps_of_a_row;
  return is_finite(scale * most_steps_of_a_row) ? scale : std::nextafter(scale, 0.0f);
}

// Steps of the scale in a value, between -127 and 127.
float steps_of(float value, float scale) {
  if (scale == 0.0f || !is_finite(scale)) return 0.0f;
  return std::clamp(nearest_whole(value / scale), -most_steps_of_a_row, most_steps_of_a_row);
}

void write_row(std::span<const float> row, v1::Precision precision, char* out) {
  if (precision == v1::PRECISION_F32) {
    std::memcpy(out, row.data(), row.size_bytes());
  } else if (precision == v1::PRECISION_F16) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::uint16_t half = half_of(row[k]);
      std::memcpy(out + k * sizeof(half), &half, sizeof(half));
    }
  } else {
    const float scale = scale_of(row);
    std::memcpy(out, &scale, scale_bytes);
    for (std::size_t k = 0; k < row.size(); ++k)
      out[scale_bytes + k] = static_cast<char>(static_cast<std::int8_t>(steps_of(row[k], scale)));
  }
}

// False where the bytes are none that write_row makes.
bool read_row(const char* in, v1::Precision precision, std::span<float> row) {
  bool good = true;
  if (precision == v1::PRECISION_F32) {
    std::memcpy(row.data(), in, row.size_bytes());
    for (const float value : row) good &= is_finite(value);
  } else if (precision == v1::PRECISION_F16) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      std::uint16_t half = 0;
      std::memcpy(&half, in + k * sizeof(half), sizeof(half));
      good &= is_finite_half(half);
      row[k] = float_of_half(half);
    }
  } else {
    float scale = 0.0f;
    std::memcpy(&scale, in, scale_bytes);
    good = !std::signbit(scale) && is_finite(scale * most_steps_of_a_row);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const auto steps = static_cast<std::int8_t>(in[scale_bytes + k]);
      good &= steps != INT8_MIN && (scale != 0.0f || steps == 0);
      row[k] = static_cast<float>(steps) * scale;
    }
  }
  return good;
}

void write_header(std::string_view magic, const ModelShape& shape, char* out) {
  Writer header;
  header.raw(std::as_bytes(std::span(magic)))
      .number(layout_version)
      .number(static_cast<std::uint16_t>(shape.precision))
      .number(static_cast<std::uint32_t>(shape.rows))
      .number(static_cast<std::uint32_t>(shape.width));
  SOTTO_ASSERT(header.size() == header_bytes, "a header has its size");
  std::memcpy(out, header.view().data(), header_bytes);
}

Status check_header(std::string_view bytes, std::string_view magic, const ModelShape& shape) {
  if (bytes.size() < header_bytes || !bytes.starts_with(magic))
    return refuse_model("its bytes do not begin like one; fetch it again");
  Reader in(std::as_bytes(std::span(bytes.substr(magic.size(), header_bytes - magic.size()))));
  const auto version = in.number<std::uint16_t>();
  const auto precision = in.number<std::uint16_t>();
  const auto rows = in.number<std::uint32_t>();
  const auto width = in.number<std::uint32_t>();
  if (version != layout_version)
    return fail(Code::incompatible, fmt::format("model refused: layout {}, this side reads {}; update it",
                                                version, layout_version));
  if (precision != shape.precision || rows != shape.rows || width != shape.width)
    return refuse_model(fmt::format("{} rows of {} values in precision {}, the task has {} of {} in {}", rows,
                                    width, precision, shape.rows, shape.width,
                                    static_cast<int>(shape.precision)));
  return Done{};
}

// The bytes of a row as their planes follow each other: those that change least first.
std::vector<std::uint32_t> plane_order(const ModelShape& shape) {
  std::vector<std::uint32_t> order;
  order.reserve(row_bytes(shape));
  const auto add = [&](std::size_t begin, std::size_t count, std::size_t size) {
    for (std::size_t byte = size; byte-- > 0;)
      for (std::size_t n = 0; n < count; ++n)
        order.push_back(static_cast<std::uint32_t>(begin + n * size + byte));
  };
  if (shape.precision == v1::PRECISION_I8) {
    add(0, 1, scale_bytes);
    add(scale_bytes, shape.width, 1);
  } else {
    add(0, shape.width, row_bytes(shape) / shape.width);
  }
  return order;
}

std::string pack(const std::string& bytes) {
  const Bytes packed = compress(std::as_bytes(std::span(bytes)), zstd_level);
  return {reinterpret_cast<const char*>(packed.data()), packed.size()};
}

Result<std::string> unpack(std::string_view packed, std::size_t most) {
  const DecompressLimits limits{.max_bytes = most,
                                .window_log = std::clamp(static_cast<int>(std::bit_width(most)), 10, 27)};
  auto bytes = decompress(std::as_bytes(std::span(packed)), limits);
  if (!bytes.ok()) return chained(bytes.error(), "model refused");
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

// Differences as numbers without a sign, small ones small: their high bytes are mostly zero.
template <class Word>
Word folded(Word difference) {
  constexpr unsigned bits = sizeof(Word) * 8;
  return static_cast<Word>((difference << 1) ^ (difference >> (bits - 1) != 0 ? ~Word{0} : Word{0}));
}
template <class Word>
Word unfolded(Word number) {
  return static_cast<Word>((number >> 1) ^ ((number & 1) != 0 ? ~Word{0} : Word{0}));
}

template <class Word, class Change>
void change_words(const char* from, char* row, std::size_t count, Change&& change) {
  for (std::size_t n = 0; n < count; ++n) {
    Word old{};
    Word other{};
    std::memcpy(&old, from + n * sizeof(Word), sizeof(Word));
    std::memcpy(&other, row + n * sizeof(Word), sizeof(Word));
    other = change(old, other);
    std::memcpy(row + n * sizeof(Word), &other, sizeof(Word));
  }
}
// Changes a row's numbers, one by one, by what stands in `from`.
template <class Change>
void change_row(const char* from, char* row, const ModelShape& shape, const Change& change) {
  if (shape.precision == v1::PRECISION_F32) {
    change_words<std::uint32_t>(from, row, shape.width, change);
  } else if (shape.precision == v1::PRECISION_F16) {
    change_words<std::uint16_t>(from, row, shape.width, change);
  } else {
    change_words<std::uint32_t>(from, row, 1, change);
    change_words<std::uint8_t>(from + scale_bytes, row + scale_bytes, shape.width, change);
  }
}

constexpr auto to_difference = []<class Word>(Word old, Word next) {
  return folded<Word>(static_cast<Word>(next - old));
};
constexpr auto from_difference = []<class Word>(Word old, Word number) {
  return static_cast<Word>(old + unfolded<Word>(number));
};

// The rows that a delta's bitmap names, ascending.
Result<std::vector<std::size_t>> named_rows(std::string_view bitmap, const ModelShape& shape) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < bitmap.size() * 8; ++row) {
    if (((static_cast<unsigned char>(bitmap[row / 8]) >> (row % 8)) & 1) == 0) continue;
    if (row >= shape.rows) return refuse_model("a delta names a row beyond the last");
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

v1::Precision wire_precision(ModelPrecision precision) {
  switch (precision) {
    case ModelPrecision::f32:
      return v1::PRECISION_F32;
    case ModelPrecision::f16:
      return v1::PRECISION_F16;
    case ModelPrecision::i8:
      return v1::PRECISION_I8;
  }
  SOTTO_ASSERT(false, "every precision has its name on the wire");
}

std::size_t published_bytes(const ModelShape& shape) { return header_bytes + shape.rows * row_bytes(shape); }

std::optional<ModelShape> published_shape(std::string_view encoded) {
  if (encoded.size() < header_bytes || !encoded.starts_with(model_magic)) return std::nullopt;
  Reader in(std::as_bytes(std::span(encoded)));
  (void)in.raw(model_magic.size() + sizeof(layout_version));
  ModelShape shape;
  shape.precision = static_cast<v1::Precision>(in.number<std::uint16_t>());
  shape.rows = in.number<std::uint32_t>();
  shape.width = in.number<std::uint32_t>();
  return shape;
}

std::string with_rows(std::string_view encoded, const ModelShape& shape) {
  SOTTO_ASSERT(encoded.size() >= header_bytes && encoded.size() <= published_bytes(shape),
               "a model that grew has the rows it had");
  std::string more(encoded);
  more.resize(published_bytes(shape), '\0');
  write_header(model_magic, shape, more.data());
  return more;
}

std::string publish(const RowMatrix& master, v1::Precision precision) {
  const ModelShape shape{master.rows(), master.width(), precision};
  std::string out(published_bytes(shape), '\0');
  write_header(model_magic, shape, out.data());
  for (std::size_t row = 0; row < shape.rows; ++row)
    write_row(master.values(row), precision, out.data() + header_bytes + row * row_bytes(shape));
  return out;
}

Result<RowMatrix> read_published(std::string_view encoded, const ModelShape& shape) {
  SOTTO_TRY_DONE(check_header(encoded, model_magic, shape));
  if (encoded.size() != published_bytes(shape)) return refuse_model("its rows do not fill its length");
  RowMatrix rows(shape.rows, shape.width);
  for (std::size_t row = 0; row < shape.rows; ++row)
    if (!read_row(encoded.data() + header_bytes + row * row_bytes(shape), shape.precision, rows.values(row)))
      return refuse_model("it holds a value that is not a finite number");
  return rows;
}

void publish_row(std::span<const float> master, v1::Precision precision, std::span<float> published) {
  if (precision == v1::PRECISION_F32) {
    std::copy(master.begin(), master.end(), published.begin());
  } else if (precision == v1::PRECISION_F16) {
    for (std::size_t k = 0; k < master.size(); ++k) published[k] = float_of_half(half_of(master[k]));
  } else {
    const float scale = scale_of(master);
    // A whole 0 has no sign, as it has none in the encoding.
    for (std::size_t k = 0; k < master.size(); ++k)
      published[k] = (steps_of(master[k], scale) + 0.0f) * scale;
  }
}

RowMatrix as_published(const RowMatrix& master, v1::Precision precision) {
  RowMatrix rows(master.rows(), master.width());
  for (std::size_t row = 0; row < master.rows(); ++row)
    publish_row(master.values(row), precision, rows.values(row));
  return rows;
}

std::string pack_model(std::string_view encoded) {
  const ModelShape shape = published_shape(encoded).value_or(ModelShape());
  SOTTO_ASSERT(encoded.size() == published_bytes(shape), "a model is packed from its encoding");
  std::string turned(encoded.substr(0, header_bytes));
  turned.resize(encoded.size());
  to_planes(encoded.data() + header_bytes, shape.rows, plane_order(shape), turned.data() + header_bytes);
  return pack(turned);
}

Result<std::string> unpack_model(std::string_view packed, const ModelShape& shape) {
  SOTTO_TRY(const std::string turned, unpack(packed, published_bytes(shape)));
  SOTTO_TRY_DONE(check_header(turned, model_magic, shape));
  if (turned.size() != published_bytes(shape)) return refuse_model("its rows do not fill its length");
  std::string encoded(turned.substr(0, header_bytes));
  encoded.resize(turned.size());
  from_planes(turned.data() + header_bytes, shape.rows, plane_order(shape), encoded.data() + header_bytes);
  return encoded;
}

// Header, hash of the version it is from, a bit a row, then the differences of the rows named, in planes.
std::string make_delta(std::string_view from, std::string_view to, const ModelShape& shape) {
  SOTTO_ASSERT(from.size() == published_bytes(shape) && to.size() == from.size(),
               "a delta is between encodings of one shape");
  const std::size_t bytes = row_bytes(shape);
  std::string bitmap(bitmap_bytes(shape), '\0');
  std::string changed;
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const char* old = from.data() + header_bytes + row * bytes;
    const char* next = to.data() + header_bytes + row * bytes;
    if (std::memcmp(old, next, bytes) == 0) continue;
    bitmap[row / 8] = static_cast<char>(static_cast<unsigned char>(bitmap[row / 8]) | (1u << (row % 8)));
    changed.append(next, bytes);
    change_row(old, changed.data() + changed.size() - bytes, shape, to_difference);
  }
  std::string out(header_bytes, '\0');
  write_header(delta_magic, shape, out.data());
  out += blob_hash(from);
  out += bitmap;
  const std::size_t begin = out.size();
  out.resize(begin + changed.size());
  to_planes(changed.data(), changed.size() / bytes, plane_order(shape), out.data() + begin);
  return pack(out);
}

Result<std::string> apply_delta(std::string_view from, std::string_view delta, const ModelShape& shape) {
  SOTTO_TRY_DONE(check_header(from, model_magic, shape));
  if (from.size() != published_bytes(shape)) return refuse_model("its rows do not fill its length");
  const std::string base = blob_hash(from);
  const std::size_t begin = header_bytes + base.size() + bitmap_bytes(shape);
  const std::size_t bytes = row_bytes(shape);
  SOTTO_TRY(const std::string opened, unpack(delta, begin + shape.rows * bytes));
  SOTTO_TRY_DONE(check_header(opened, delta_magic, shape));
  if (opened.size() < begin) return refuse_model("a delta ends before its rows");
  const std::string_view parts = opened;
  if (parts.substr(header_bytes, base.size()) != base)
    return refuse_model("a delta is from another version than the one at hand; fetch the model in full");
  SOTTO_TRY(const std::vector<std::size_t> rows,
            named_rows(parts.substr(header_bytes + base.size(), bitmap_bytes(shape)), shape));
  if (opened.size() != begin + rows.size() * bytes)
    return refuse_model("a delta's rows do not fill its length");

  std::string changed(rows.size() * bytes, '\0');
  from_planes(opened.data() + begin, rows.size(), plane_order(shape), changed.data());
  std::string to(from);
  std::vector<float> values(shape.width);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    char* row = to.data() + header_bytes + rows[n] * bytes;
    change_row(row, changed.data() + n * bytes, shape, from_difference);
    if (std::memcmp(row, changed.data() + n * bytes, bytes) == 0)
      return refuse_model("a delta names a row that does not differ");
    if (!read_row(changed.data() + n * bytes, shape.precision, values))
      return refuse_model("a delta leads to a value that is not a finite number");
    std::memcpy(row, changed.data() + n * bytes, bytes);
  }
  return to;
}

}  // namespace sotto::fed
