// Parameters and checkpoints as bytes on the lab's own disk. Private rows are opened here because the
// simulated devices live in this process; nothing here is sent.
#include <fmt/core.h>

#include "lab/stored_rows.h"
#include "lab/training.h"

namespace sotto {

namespace {

constexpr std::uint32_t checkpoint_magic = 0x4B434F53;  // "SOCK"
constexpr std::uint32_t checkpoint_version = 1;

void write_parameters(Writer& out, const Parameters& parameters) {
  write_rows(out, parameters.items);
  write_rows(out, parameters.users.on_device());
}

Parameters read_parameters(Reader& in) {
  Parameters parameters;
  parameters.items = read_rows(in);
  parameters.users = Private(read_rows(in));
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
  Writer out;
  out.number(checkpoint_magic).number(checkpoint_version);
  out.text(checkpoint.request_hash).number(checkpoint.round);
  write_report(out, checkpoint.totals);
  out.number(checkpoint.log_lines).number(checkpoint.seconds);
  write_parameters(out, checkpoint.now);
  out.number(checkpoint.best_epoch).number(checkpoint.best_value).number(checkpoint.looks_without_gain);
  out.number(static_cast<std::uint8_t>(checkpoint.best.has_value()));
  if (checkpoint.best) write_parameters(out, *checkpoint.best);
  return std::move(out).take();
}

Result<Checkpoint> load_checkpoint(std::span<const std::byte> bytes, const std::string& name) {
  Reader in(bytes);
  if (in.number<std::uint32_t>() != checkpoint_magic)
    return fail(Code::bad_input, fmt::format("{}: not a checkpoint of Sotto", name));
  if (const auto version = in.number<std::uint32_t>(); version != checkpoint_version)
    return fail(Code::incompatible,
                fmt::format("{}: checkpoint version {}, this program reads {}: start the run anew", name,
                            version, checkpoint_version));
  Checkpoint checkpoint;
  checkpoint.request_hash = in.text();
  checkpoint.round = in.number<std::uint32_t>();
  checkpoint.totals = read_report(in);
  checkpoint.log_lines = in.number<std::uint64_t>();
  checkpoint.seconds = in.number<double>();
  checkpoint.now = read_parameters(in);
  checkpoint.best_epoch = in.number<std::uint32_t>();
  checkpoint.best_value = in.number<double>();
  checkpoint.looks_without_gain = in.number<std::uint32_t>();
  if (in.number<std::uint8_t>() != 0) checkpoint.best = read_parameters(in);
  if (!in.finished())
    return fail(Code::bad_input,
                fmt::format("{}: the checkpoint is damaged: start the run anew with --force", name));
  return checkpoint;
}

}  // namespace sotto
