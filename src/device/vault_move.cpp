#include "device/vault_move.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sodium.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "device/own_file.h"
#include "device/taken_moves.h"
#include "fed/wire/signed_request.h"

namespace sotto::device {

namespace {

constexpr std::size_t least_letters = 12;

MoveId drawn_move() {
  MoveId move{};
  randombytes_buf(move.data(), move.size());
  return move;
}

// Every arrival is told from any other, on another machine too.
Status add_home(SealedRecords& records) {
  HomeId home{};
  randombytes_buf(home.data(), home.size());
  SOTTO_TRY(const std::optional<std::string> before, records.get(RecordKind::homes, ""));
  return records.put(RecordKind::homes, "", before.value_or("") + text_of(home));
}

// Until it goes, no other process takes a device into this vault's folder; it waits for one that does.
Result<std::unique_ptr<OwnFile>> folder_alone(const std::string& vault) {
  const std::string folder = std::filesystem::path(vault).parent_path().string();
  const std::string place = folder.empty() ? "." : folder;
  auto held = std::make_unique<OwnFile>(place, O_RDONLY | O_DIRECTORY);
  if (!held->is_open() || ::flock(held->number(), LOCK_EX) != 0)
    return file_refused("take a device into", place, errno);
  return held;
}

// Of a place where nothing was before.
void remove_vault(const std::string& path) {
  for (const char* ending : {"-wal", "-shm", ""}) ::unlink((path + ending).c_str());
}

// Where this file may not be taken in.
Status check_place(const VaultState& there, const MoveId& move, const std::string& file,
                   const std::string& vault) {
  if (!there.residence) return Done{};
  const bool same = there.move == move;
  if (*there.residence == Residence::here && same)
    return fail(Code::usage,
                fmt::format("{}: '{}' was taken in here already: there is nothing to do", vault, file));
  if (*there.residence == Residence::here)
    return fail(Code::usage,
                fmt::format("{}: there is a device already, and nothing was changed: take '{}' in "
                            "elsewhere, or remove this one first with 'sotto device delete'",
                            vault, file));
  if (!same)
    return fail(Code::usage,
                fmt::format("{}: what is left of another device that moved is here: take '{}' in "
                            "elsewhere, or remove this first with 'sotto device delete'",
                            vault, file));
  return Done{};
}

}  // namespace

Status move_out(const std::string& vault, const VaultKey& key, const std::string& file,
                const Passphrase& passphrase, const Stretching& how) {
  if (passphrase.text.size() < least_letters)
    return fail(Code::usage,
                fmt::format("whoever finds the file can try passphrases for as long as they like: "
                            "give one of at least {} letters, such as five words drawn by chance",
                            least_letters));
  if (::access(file.c_str(), F_OK) == 0)
    return fail(Code::usage, fmt::format("{}: this file exists: choose another name, or remove it", file));
  SOTTO_TRY(SealedRecords records, SealedRecords::open(vault, key, Making::never, OpenFor::move_out));
  const std::string part_path = file + ".part";
  std::unique_ptr<OwnFile> part;
  std::optional<MovedFileWriter> writer;
  const Status left = records.transaction([&]() -> Status {
    ::unlink(part_path.c_str());  // of an attempt that was cut off; others might read it
    part = std::make_unique<OwnFile>(part_path, O_WRONLY | O_CREAT | O_EXCL);
    if (!part->is_open()) return file_refused("make", part_path, errno);
    const ByteSink sink = [&](std::span<const std::byte> bytes) -> Status {
      if (!part->append(bytes)) return file_refused("write", part_path, errno);
      return Done{};
    };
    SOTTO_TRY(const VaultState state, records.state());
    const bool again = state.residence == Residence::moved_out && state.move;
    const MoveId move = again ? *state.move : drawn_move();
    SOTTO_TRY(writer, MovedFileWriter::begin(move, passphrase, how, sink));
    SOTTO_TRY_DONE(records.each([&](RecordKind kind, std::string_view name, std::string_view value) {
      return writer->put(kind, name, value);
    }));
    SOTTO_TRY_DONE(writer->fill_up());
    if (::fsync(part->number()) != 0) return file_refused("write", part_path, errno);
    return records.move_out(move);
  });
  if (!left.ok()) {
    if (part != nullptr && part->is_open()) ::unlink(part_path.c_str());
    return left;
  }
  Status ended = writer->end();
  if (ended.ok() && (::fsync(part->number()) != 0 || ::rename(part_path.c_str(), file.c_str()) != 0))
    ended = file_refused("write", file, errno);
  sync_folder_of(file);
  if (ended.ok()) return Done{};
  return fail(ended.error().code,
              ended.error().message +
                  ": the device answers no more here, and its file is not whole: make room, "
                  "and run 'sotto device move-out' again");
}

Status move_in(const std::string& file, const Passphrase& passphrase, const std::string& vault,
               const VaultKey& key, const std::string& taken) {
  const OwnFile opened(file, O_RDONLY);
  if (!opened.is_open()) return file_refused("read", file, errno);
  const ByteSource source = [&](std::span<std::byte> place) -> Result<std::size_t> {
    ssize_t got = -1;
    do got = ::read(opened.number(), place.data(), place.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) return file_refused("read", file, errno);
    return static_cast<std::size_t>(got);
  };
  SOTTO_TRY(MovedFileReader reader, MovedFileReader::begin(source, file));
  const TakenMoves moves(taken);
  SOTTO_TRY(const std::unique_ptr<OwnFile> alone, folder_alone(vault));
  SOTTO_TRY(const VaultState there, SealedRecords::look(vault));
  SOTTO_TRY_DONE(check_place(there, reader.move(), file, vault));
  SOTTO_TRY(const std::optional<Bytes32> taker, moves.taker(reader.move()));
  if (taker && !(there.residence == Residence::moving_in && same_bytes(*taker, there.mark)))
    return fail(Code::usage,
                fmt::format("{}: this file was taken in on this machine already: a device answers in "
                            "one place only; remove the file",
                            file));
  SOTTO_TRY_DONE(reader.unlock(passphrase));
  if (taker) {  // all but the last step was done
    SOTTO_TRY(SealedRecords records, SealedRecords::open(vault, key, Making::never, OpenFor::arrival));
    return records.arrive();
  }
  const bool was_there = ::access(vault.c_str(), F_OK) == 0;
  auto records = SealedRecords::refill(vault, key, reader.move(), [&](SealedRecords& fresh) -> Status {
    SOTTO_TRY_DONE(reader.each([&](RecordKind kind, std::string_view name, std::string_view value) {
      return fresh.put(kind, name, value);
    }));
    return add_home(fresh);
  });
  if (!records.ok()) {
    if (!was_there) remove_vault(vault);
    return records.error();
  }
  sync_folder_of(vault);
  SOTTO_TRY(const VaultState filled, records->state());
  SOTTO_TRY_DONE(moves.take(reader.move(), filled.mark));
  return records->arrive();
}

}  // namespace sotto::device
