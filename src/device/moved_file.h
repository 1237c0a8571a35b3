// A vault on its way to another machine: one file, sealed under a passphrase.
//
//   header   what it is, the number of the move, how the passphrase is stretched, what the right one is known
//   by pieces   64 KiB each: the records, one behind the other, then zeros the end  an empty piece
//
// Pieces are sealed in their order (libsodium's secretstream, XChaCha20-Poly1305); the header is associated
// data of the first.
// Laws: a changed byte, a piece that is missing, doubled or out of its place, a cut and a surplus are
// refused; without its end nothing of a file counts. A wrong passphrase costs as much as the right one and is
// told from a damaged file. What shows without the passphrase: that it is such a file, the number of the
// move, and how much is in it in steps of 64 KiB.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/codec.h"
#include "base/result.h"
#include "base/shared_bytes.h"
#include "device/sealed_records.h"

namespace sotto::device {

using EachMoved = SealedRecords::EachOfAll;
// Puts some of the next bytes into the place it is given, and says how many; 0: there are none.
using ByteSource = std::function<Result<std::size_t>(std::span<std::byte> place)>;

// The stretching of a file that is carried about: who finds it may try for as long as they like.
[[nodiscard]] constexpr Stretching travelling() {
  return {.salt = {}, .passes = 3, .memory_kib = 256 * 1024};
}

struct StreamState;
struct WipeState {
  void operator()(StreamState* state) const;
};

class MovedFileWriter {
 public:
  // The salt of `how` is drawn here.
  [[nodiscard]] static Result<MovedFileWriter> begin(const MoveId& move, const Passphrase& passphrase,
                                                     Stretching how, ByteSink sink);
  [[nodiscard]] Status put(RecordKind kind, std::string_view name, std::string_view value);
  // After the last record: all is written but the end.
  [[nodiscard]] Status fill_up();
  [[nodiscard]] Status end();

 private:
  MovedFileWriter() = default;
  [[nodiscard]] Status push_pieces();
  [[nodiscard]] Status push(std::span<const std::byte> plain, std::uint8_t tag);

  ByteSink sink_;
  std::unique_ptr<StreamState, WipeState> state_;
  Bytes header_;  // until the first piece
  Bytes pending_;
};

// The records within the pieces, which may cut them anywhere.
class MovedRecords {
 public:
  explicit MovedRecords(std::string name) : name_(std::move(name)) {}
  MovedRecords(const MovedRecords&) = delete;
  MovedRecords& operator=(const MovedRecords&) = delete;
  ~MovedRecords();

  [[nodiscard]] Status add(std::span<const std::byte> piece, const EachMoved& each);
  [[nodiscard]] Status finish() const;  // the last record was seen

 private:
  std::string name_;
  Bytes pending_;
  bool ended_ = false;
};

class MovedFileReader {
 public:
  // `name` is the file's, for messages.
  [[nodiscard]] static Result<MovedFileReader> begin(ByteSource source, std::string name);
  [[nodiscard]] const MoveId& move() const { return move_; }
  [[nodiscard]] Status unlock(const Passphrase& passphrase);
  // After unlock(), once. Records arrive before it is known whether the file is whole: what is done with them
  // counts only if this succeeds.
  [[nodiscard]] Status each(const EachMoved& each);

 private:
  MovedFileReader() = default;
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> place);
  [[nodiscard]] Error not_whole() const;

  ByteSource source_;
  std::string name_;
  MoveId move_{};
  Stretching how_;
  Bytes32 check_{};
  Bytes header_;
  std::unique_ptr<StreamState, WipeState> state_;
};

}  // namespace sotto::device
