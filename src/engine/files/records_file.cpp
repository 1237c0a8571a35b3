#include "engine/files/records_file.h"

#include "base/compression.h"
#include "data/records_io.h"
#include "engine/files/files.h"
#include "engine/files/stored_rows.h"

namespace sotto::engine {

namespace {

constexpr Stamp records_stamp{.magic = 0x52544F53,  // "SOTR"
                              .version = 1,
                              .kind = "file of records",
                              .remedy = "train again"};

}  // namespace

Status write_records_file(const std::filesystem::path& path, const Split& split) {
  if (!split.records && !split.contexts) return Done{};
  // Each as a block of bytes; an empty one: there is none.
  const auto block = [](const Bytes& bytes) { return std::span<const std::byte>(bytes); };
  Writer out = stamped(records_stamp);
  out.array(block(split.records ? save_records(*split.records) : Bytes()));
  out.array(block(split.contexts ? save_contexts(*split.contexts) : Bytes()));
  return write_file(path, compress(sealed(std::move(out))));
}

Status attach_records_file(const std::filesystem::path& path, Split& split) {
  SOTTO_TRY(const bool there, is_there(path));
  if (!there) return Done{};
  const auto bytes = read_file(path);
  if (!bytes.ok() && bytes.error().code == Code::bad_input) return damaged(records_stamp, path.string());
  if (!bytes.ok()) return bytes.error();
  SOTTO_TRY(Reader in, unsealed(*bytes, records_stamp, path.string()));
  const Bytes records = in.array<std::byte>(), contexts = in.array<std::byte>();
  if (!in.finished()) return damaged(records_stamp, path.string());
  if (!records.empty()) {
    SOTTO_TRY(Records read, load_records(records, path.string()));
    if (!fits(read, split)) return damaged(records_stamp, path.string());
    split.records = std::make_shared<const Records>(std::move(read));
  }
  if (!contexts.empty()) {
    SOTTO_TRY(Contexts read, load_contexts(contexts, path.string()));
    if (!fits(read, split)) return damaged(records_stamp, path.string());
    split.contexts = std::make_shared<const Contexts>(std::move(read));
  }
  return Done{};
}

}  // namespace sotto::engine
