// Parameters, checkpoints and their seal as bytes on the lab's own disk. Private rows are opened here because
// the simulated devices live in this process; nothing here is sent.
#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"
#include "engine/files/stored_rows.h"
#include "engine/train/training.h"

namespace sotto::engine {

namespace {

constexpr Stamp checkpoint_stamp{.magic = 0x4B434F53,  // "SOCK"
                                 .version = 5,
                                 .kind = "checkpoint",
                                 .remedy = "start the run again with --force"};

constexpr std::size_t seal_size = 64;  // hexadecimal digits

std::string seal_of(std::span<const std::byte> bytes) {
  Hasher hasher;
  hasher.bytes(bytes);
  return std::move(hasher).hex();
}

void write_parameters(Writer& out, const Parameters& parameters) {
  write_rows(out, parameters.items);
  write_rows(out, parameters.users.on_device());
  out.number(static_cast<std::uint32_t>(parameters.layers.size()));
  for (const RowMatrix& layer : parameters.layers) write_rows(out, layer);
}

Parameters read_parameters(Reader& in) {
  Parameters parameters;
  parameters.items = read_rows(in);
  parameters.users = Private(read_rows(in));
  const auto layers = in.number<std::uint32_t>();
  for (std::uint32_t n = 0; n < layers && !in.spoiled(); ++n) parameters.layers.push_back(read_rows(in));
  return parameters;
}

void write_report(Writer& out, const RoundReport& r) {
  out.number(r.rounds)
      .number(r.exchanges)
      .number(r.triples)
      .number(r.loss_units)
      .number(r.bytes_up)
      .number(r.bytes_down);
}

RoundReport read_report(Reader& in) {
  RoundReport r;
  r.rounds = in.number<std::uint64_t>();
  r.exchanges = in.number<std::uint64_t>();
  r.triples = in.number<std::uint64_t>();
  r.loss_units = in.number<std::int64_t>();
  r.bytes_up = in.number<std::uint64_t>();
  r.bytes_down = in.number<std::uint64_t>();
  return r;
}

}  // namespace

Writer stamped(const Stamp& stamp) {
  Writer out;
  out.number(stamp.magic).number(stamp.version);
  return out;
}

Bytes sealed(Writer out) {
  const std::string seal = seal_of(out.view());
  out.raw(std::as_bytes(std::span(seal)));
  return std::move(out).take();
}

Error damaged(const Stamp& stamp, const std::string& name) {
  return fail(Code::bad_input, fmt::format("{}: the {} is damaged: {}", name, stamp.kind, stamp.remedy));
}

Result<Reader> unsealed(std::span<const std::byte> bytes, const Stamp& stamp, const std::string& name) {
  Reader head(bytes);
  if (head.number<std::uint32_t>() != stamp.magic)
    return fail(Code::bad_input,
                fmt::format("{}: not a {} of Sotto, or a damaged one: {}", name, stamp.kind, stamp.remedy));
  const auto version = head.number<std::uint32_t>();
  if (!head.spoiled() && version != stamp.version)
    return fail(Code::incompatible, fmt::format("{}: {} version {}, this program reads {}: {}", name,
                                                stamp.kind, version, stamp.version, stamp.remedy));
  if (head.spoiled() || head.remaining() < seal_size) return damaged(stamp, name);
  const std::string seal = seal_of(bytes.first(bytes.size() - seal_size));
  if (!std::ranges::equal(bytes.last(seal_size), std::as_bytes(std::span(seal)))) return damaged(stamp, name);
  const auto content = head.raw(head.remaining() - seal_size);
  return Reader(content);
}

void write_rows(Writer& out, const RowMatrix& rows) {
  out.number(static_cast<std::uint64_t>(rows.rows())).number(static_cast<std::uint64_t>(rows.width()));
  for (std::size_t row = 0; row < rows.rows(); ++row) out.raw(std::as_bytes(rows.values(row)));
}

RowMatrix read_rows(Reader& in) {
  const auto rows = in.number<std::uint64_t>();
  const auto width = in.number<std::uint64_t>();
  const bool fits = width > 0 && width <= 65536 && rows <= in.remaining() / (width * sizeof(float));
  if (!fits) return static_cast<void>(in.raw(rows == 0 ? 0 : in.remaining() + 1)), RowMatrix();
  RowMatrix matrix(rows, width);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto bytes = in.raw(width * sizeof(float));
    std::memcpy(matrix.row(row), bytes.data(), bytes.size());
  }
  return matrix;
}

Bytes save_checkpoint(const Checkpoint& checkpoint) {
  Writer out = stamped(checkpoint_stamp);
  out.text(checkpoint.request_hash).number(checkpoint.round);
  write_report(out, checkpoint.totals);
  out.number(checkpoint.log_lines).number(checkpoint.seconds);
  write_parameters(out, checkpoint.now);
  out.array(std::span<const std::uint64_t>(checkpoint.item_updates));
  out.number(checkpoint.best_epoch).number(checkpoint.best_value).number(checkpoint.looks_without_gain);
  out.number(static_cast<std::uint8_t>(checkpoint.best.has_value()));
  if (checkpoint.best) write_parameters(out, *checkpoint.best);
  out.text(checkpoint.own);
  return sealed(std::move(out));
}

Result<Checkpoint> load_checkpoint(std::span<const std::byte> bytes, const std::string& name) {
  SOTTO_TRY(Reader in, unsealed(bytes, checkpoint_stamp, name));
  Checkpoint checkpoint;
  checkpoint.request_hash = in.text();
  checkpoint.round = in.number<std::uint32_t>();
  checkpoint.totals = read_report(in);
  checkpoint.log_lines = in.number<std::uint64_t>();
  checkpoint.seconds = in.number<double>();
  checkpoint.now = read_parameters(in);
  checkpoint.item_updates = in.array<std::uint64_t>();
  checkpoint.best_epoch = in.number<std::uint32_t>();
  checkpoint.best_value = in.number<double>();
  checkpoint.looks_without_gain = in.number<std::uint32_t>();
  if (in.number<std::uint8_t>() != 0) checkpoint.best = read_parameters(in);
  checkpoint.own = in.text(in.remaining());
  if (!in.finished()) return damaged(checkpoint_stamp, name);
  return checkpoint;
}

}  // namespace sotto::engine
