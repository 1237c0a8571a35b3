#include "device/moved_file.h"

#include <fmt/core.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace sotto::device {

struct StreamState {
  crypto_secretstream_xchacha20poly1305_state state;
};

void WipeState::operator()(StreamState* state) const {
  sodium_memzero(state, sizeof *state);
  delete state;  // NOLINT: it is the deleter of a unique_ptr
}

namespace {

constexpr std::string_view mark = "SOTTOMOV";
constexpr std::uint32_t file_version = 1;
constexpr std::size_t piece_bytes = std::size_t{1} << 16;
constexpr std::size_t seal_bytes = crypto_secretstream_xchacha20poly1305_ABYTES;
constexpr std::size_t stream_bytes = crypto_secretstream_xchacha20poly1305_HEADERBYTES;
constexpr std::size_t body_bytes = mark.size() + sizeof(std::uint32_t) + sizeof(MoveId) +
                                   Stretching::salt_bytes + 2 * sizeof(std::uint32_t) + sizeof(Bytes32) +
                                   stream_bytes;
constexpr std::size_t header_bytes = body_bytes + sizeof(Bytes32);
constexpr std::uint8_t no_more = 0;  // in place of a record's kind
constexpr std::size_t most_moved_name = 4096;
constexpr std::uint64_t most_value = std::uint64_t{1} << 32;

const unsigned char* letters(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* letters(std::span<std::byte> bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }
std::span<const std::uint8_t> octets(std::span<const std::byte> bytes) {
  return {letters(bytes), bytes.size()};
}

template <std::size_t size>
void copy_to(std::array<std::uint8_t, size>& to, std::span<const std::byte> bytes) {
  if (bytes.size() == size) std::memcpy(to.data(), bytes.data(), size);
}

// Not a secret: it finds what happened by accident, so that a wrong passphrase is not blamed for it.
Bytes32 checksum(std::span<const std::byte> body) {
  return digest_of("sotto moved vault header", {octets(body)});
}
Bytes32 check_of(const Secret& key) { return key.derive("sotto moved vault check").on_device(); }
Secret stream_key(const Secret& key) { return key.derive("sotto moved vault pieces"); }

void drop_front(Bytes& bytes, std::size_t count) {
  const std::size_t left = bytes.size() - count;
  if (left > 0 && count > 0) std::memmove(bytes.data(), bytes.data() + count, left);
  wipe(std::span(bytes).subspan(left));
  bytes.resize(left);
}

}  // namespace

Result<MovedFileWriter> MovedFileWriter::begin(const MoveId& move, const Passphrase& passphrase,
                                               Stretching how, ByteSink sink) {
  randombytes_buf(how.salt.data(), how.salt.size());
  SOTTO_TRY(const Secret key, stretched(passphrase, how));
  MovedFileWriter writer;
  writer.sink_ = std::move(sink);
  writer.state_.reset(new StreamState);
  std::array<unsigned char, stream_bytes> stream{};
  crypto_secretstream_xchacha20poly1305_init_push(&writer.state_->state, stream.data(),
                                                  stream_key(key).on_device().data());
  Writer out;
  out.raw(std::as_bytes(std::span(mark))).number(file_version).raw(std::as_bytes(std::span(move)));
  out.raw(std::as_bytes(std::span(how.salt))).number(how.passes).number(how.memory_kib);
  const Bytes32 check = check_of(key);
  out.raw(std::as_bytes(std::span(check))).raw(std::as_bytes(std::span(stream)));
  const Bytes32 sum = checksum(out.view());
  out.raw(std::as_bytes(std::span(sum)));
  writer.header_ = std::move(out).take();
  SOTTO_TRY_DONE(writer.sink_(writer.header_));
  return writer;
}

Status MovedFileWriter::put(RecordKind kind, std::string_view name, std::string_view value) {
  SOTTO_ASSERT(static_cast<std::uint8_t>(kind) != no_more, "a record has a kind");
  Writer out;
  out.number(static_cast<std::uint8_t>(kind)).text(name);
  out.number(static_cast<std::uint64_t>(value.size())).raw(std::as_bytes(std::span(value)));
  pending_.insert(pending_.end(), out.view().begin(), out.view().end());
  Bytes written = std::move(out).take();
  wipe(std::span(written));
  return push_pieces();
}

Status MovedFileWriter::fill_up() {
  pending_.push_back(std::byte{no_more});
  pending_.resize((pending_.size() + piece_bytes - 1) / piece_bytes * piece_bytes);
  return push_pieces();
}

Status MovedFileWriter::end() { return push({}, crypto_secretstream_xchacha20poly1305_TAG_FINAL); }

Status MovedFileWriter::push_pieces() {
  std::size_t at = 0;
  for (; pending_.size() - at >= piece_bytes; at += piece_bytes)
    SOTTO_TRY_DONE(push(std::span(pending_).subspan(at, piece_bytes),
                        crypto_secretstream_xchacha20poly1305_TAG_MESSAGE));
  drop_front(pending_, at);
  return Done{};
}

Status MovedFileWriter::push(std::span<const std::byte> plain, std::uint8_t tag) {
  Bytes out(plain.size() + seal_bytes);
  crypto_secretstream_xchacha20poly1305_push(&state_->state, letters(std::span(out)), nullptr, letters(plain),
                                             plain.size(), letters(std::span<const std::byte>(header_)),
                                             header_.size(), tag);
  header_.clear();
  return sink_(out);
}

MovedRecords::~MovedRecords() { wipe(std::span(pending_)); }

Status MovedRecords::add(std::span<const std::byte> piece, const EachMoved& each) {
  const auto nonsense = [&] {
    return fail(Code::bad_input,
                fmt::format("{}: what the passphrase opens is no vault: nothing of it was used", name_));
  };
  if (ended_) {
    if (std::ranges::any_of(piece, [](std::byte one) { return one != std::byte{0}; })) return nonsense();
    return Done{};
  }
  pending_.insert(pending_.end(), piece.begin(), piece.end());
  std::size_t done = 0;
  while (done < pending_.size()) {
    const std::span<const std::byte> rest = std::span<const std::byte>(pending_).subspan(done);
    const auto kind = std::to_integer<std::uint8_t>(rest.front());
    if (kind == no_more) {
      ended_ = true;
      const Bytes zeros(rest.begin() + 1, rest.end());
      drop_front(pending_, pending_.size());
      return add(zeros, each);
    }
    constexpr std::size_t fixed = sizeof(std::uint8_t) + sizeof(std::uint32_t) + sizeof(std::uint64_t);
    if (rest.size() < fixed) break;
    Reader in(rest.subspan(1));
    const auto name_bytes = in.number<std::uint32_t>();
    if (name_bytes > most_moved_name) return nonsense();
    if (rest.size() < fixed + name_bytes) break;
    const auto name = in.raw(name_bytes);
    const auto value_bytes = in.number<std::uint64_t>();
    if (value_bytes > most_value) return nonsense();
    if (in.remaining() < value_bytes) break;
    const auto value = in.raw(value_bytes);
    SOTTO_TRY_DONE(each(static_cast<RecordKind>(kind),
                        {reinterpret_cast<const char*>(name.data()), name.size()},
                        {reinterpret_cast<const char*>(value.data()), value.size()}));
    done += fixed + name_bytes + value_bytes;
  }
  drop_front(pending_, done);
  return Done{};
}

Status MovedRecords::finish() const {
  if (ended_) return Done{};
  return fail(Code::bad_input, fmt::format("{}: the last record is cut off: nothing of it was used", name_));
}

Result<MovedFileReader> MovedFileReader::begin(ByteSource source, std::string name) {
  MovedFileReader reader;
  reader.source_ = std::move(source);
  reader.name_ = std::move(name);
  reader.header_.resize(header_bytes);
  SOTTO_TRY(const std::size_t got, reader.read(reader.header_));
  const std::span<const std::byte> whole(reader.header_);
  Reader in(whole.first(got));
  const auto found = in.raw(mark.size());
  if (!std::ranges::equal(found, std::as_bytes(std::span(mark))))
    return fail(Code::bad_input,
                fmt::format("{}: this is no file of a device that moved: give the one that 'sotto device "
                            "move-out' wrote",
                            reader.name_));
  const auto version = in.number<std::uint32_t>();
  if (!in.spoiled() && version != file_version)
    return fail(Code::incompatible, fmt::format("{}: a file of version {}, and this program knows {}: update "
                                                "this program",
                                                reader.name_, version, file_version));
  copy_to(reader.move_, in.raw(sizeof(MoveId)));
  copy_to(reader.how_.salt, in.raw(Stretching::salt_bytes));
  reader.how_.passes = in.number<std::uint32_t>();
  reader.how_.memory_kib = in.number<std::uint32_t>();
  copy_to(reader.check_, in.raw(sizeof(Bytes32)));
  static_cast<void>(in.raw(stream_bytes));
  Bytes32 kept{};
  copy_to(kept, in.raw(sizeof(Bytes32)));
  if (!in.finished()) return reader.not_whole();
  if (!same_bytes(kept, checksum(whole.first(body_bytes))))
    return fail(Code::bad_input,
                fmt::format("{}: the beginning of the file is damaged: copy it again from the "
                            "old machine, or write it again there with 'sotto device move-out'",
                            reader.name_));
  return reader;
}

Result<std::size_t> MovedFileReader::read(std::span<std::byte> place) {
  std::size_t got = 0;
  while (got < place.size()) {
    SOTTO_TRY(const std::size_t some, source_(place.subspan(got)));
    if (some == 0) break;
    got += some;
  }
  return got;
}

Error MovedFileReader::not_whole() const {
  return fail(Code::bad_input,
              fmt::format("{}: the file is not whole: copy it again from the old machine, or "
                          "write it again there with 'sotto device move-out'",
                          name_));
}

Status MovedFileReader::unlock(const Passphrase& passphrase) {
  auto key = stretched(passphrase, how_);
  if (!key.ok()) return chained(key.error(), name_);
  if (!same_bytes(check_of(*key), check_))
    return fail(Code::bad_input, fmt::format("{}: the file does not open with this passphrase", name_));
  state_.reset(new StreamState);
  const auto stream = std::span<const std::byte>(header_).subspan(body_bytes - stream_bytes, stream_bytes);
  if (crypto_secretstream_xchacha20poly1305_init_pull(&state_->state, letters(stream),
                                                      stream_key(*key).on_device().data()) != 0)
    return fail(Code::bad_input, fmt::format("{}: the file's key cannot be", name_));
  return Done{};
}

Status MovedFileReader::each(const EachMoved& each) {
  SOTTO_ASSERT(state_ != nullptr, "a file is read with its passphrase");
  MovedRecords records(name_);
  Bytes closed(piece_bytes + seal_bytes);
  Bytes plain(piece_bytes);
  while (true) {
    SOTTO_TRY(const std::size_t got, read(closed));
    if (got != closed.size() && got != seal_bytes) return not_whole();
    unsigned char tag = 0;
    if (crypto_secretstream_xchacha20poly1305_pull(&state_->state, letters(std::span(plain)), nullptr, &tag,
                                                   letters(std::span<const std::byte>(closed)), got,
                                                   letters(std::span<const std::byte>(header_)),
                                                   header_.size()) != 0)
      return fail(Code::bad_input,
                  fmt::format("{}: the file is damaged: copy it again from the old machine, or "
                              "write it again there with 'sotto device move-out'",
                              name_));
    header_.clear();
    if (got == seal_bytes) {
      if (tag != crypto_secretstream_xchacha20poly1305_TAG_FINAL) return not_whole();
      break;
    }
    const Status added = records.add(plain, each);
    wipe(std::span(plain));
    SOTTO_TRY_DONE(added);
  }
  return records.finish();  // read() has met the end of the file
}

}  // namespace sotto::device
