#include "server/gated_vfs.h"

#include <fmt/format.h>

#include "base/assert.h"

namespace sotto::server {

namespace {

using Kind = DurableWrite::Kind;

sqlite3_vfs& system_vfs() {
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  SOTTO_ASSERT(vfs != nullptr, "SQLite has the system's files");
  return *vfs;
}

// What SQLite allocates for an open file: this, and the system's own part behind it.
struct GatedFile {
  sqlite3_file base;
  WriteGate* gate;
  const char* path;  // SQLite keeps it as long as the file is open
};

GatedFile& gated(sqlite3_file* file) { return *reinterpret_cast<GatedFile*>(file); }
sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<sqlite3_file*>(&gated(file) + 1); }

bool passes(sqlite3_file* file, Kind kind, std::int64_t offset = 0, std::string_view bytes = {}) {
  const GatedFile& own = gated(file);
  return own.gate->let_through({kind, own.path, offset, bytes});
}

int close_file(sqlite3_file* file) { return real(file)->pMethods->xClose(real(file)); }

int read_file(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), bytes, size, offset);
}

int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const std::string_view view{static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
  if (!passes(file, Kind::write, offset, view)) return SQLITE_FULL;
  return real(file)->pMethods->xWrite(real(file), bytes, size, offset);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  if (!passes(file, Kind::truncate, size)) return SQLITE_FULL;
  return real(file)->pMethods->xTruncate(real(file), size);
}

int sync_file(sqlite3_file* file, int flags) {
  if (!passes(file, Kind::sync)) return SQLITE_FULL;
  return real(file)->pMethods->xSync(real(file), flags);
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}

int lock_file(sqlite3_file* file, int level) { return real(file)->pMethods->xLock(real(file), level); }
int unlock_file(sqlite3_file* file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }

int is_reserved(sqlite3_file* file, int* answer) {
  return real(file)->pMethods->xCheckReservedLock(real(file), answer);
}

int file_control(sqlite3_file* file, int code, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), code, argument);
}

int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }

int device_characteristics(sqlite3_file* file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

// The first edition of the interface: no shared memory, no mapping, so that no change goes past the gate.
sqlite3_io_methods io_methods() {
  sqlite3_io_methods methods{};
  methods.iVersion = 1;
  methods.xClose = close_file;
  methods.xRead = read_file;
  methods.xWrite = write_file;
  methods.xTruncate = truncate_file;
  methods.xSync = sync_file;
  methods.xFileSize = file_size;
  methods.xLock = lock_file;
  methods.xUnlock = unlock_file;
  methods.xCheckReservedLock = is_reserved;
  methods.xFileControl = file_control;
  methods.xSectorSize = sector_size;
  methods.xDeviceCharacteristics = device_characteristics;
  return methods;
}

const sqlite3_io_methods gated_methods = io_methods();

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  auto* gate = static_cast<WriteGate*>(vfs->pAppData);
  gated(file) = {{nullptr}, gate, path == nullptr ? "" : path};
  if ((flags & SQLITE_OPEN_CREATE) != 0) {
    int is_there = 0;
    if (path != nullptr) system_vfs().xAccess(&system_vfs(), path, SQLITE_ACCESS_EXISTS, &is_there);
    if (is_there == 0 && !gate->let_through({Kind::create, gated(file).path})) return SQLITE_FULL;
  }
  const int code = system_vfs().xOpen(&system_vfs(), path, real(file), flags, out_flags);
  // SQLite closes whatever has methods, even where opening failed.
  if (real(file)->pMethods != nullptr) file->pMethods = &gated_methods;
  return code;
}

int delete_file(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  auto* gate = static_cast<WriteGate*>(vfs->pAppData);
  if (!gate->let_through({Kind::remove, path})) return SQLITE_FULL;
  return system_vfs().xDelete(&system_vfs(), path, sync_folder);
}

}  // namespace

GatedVfs::GatedVfs(WriteGate& gate)
    : name_(fmt::format("sotto-gate-{}", static_cast<const void*>(this))), vfs_(system_vfs()) {
  vfs_.szOsFile += static_cast<int>(sizeof(GatedFile));
  vfs_.pNext = nullptr;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = &gate;
  vfs_.xOpen = open_file;
  vfs_.xDelete = delete_file;
  const int code = sqlite3_vfs_register(&vfs_, 0);
  SOTTO_ASSERT(code == SQLITE_OK, "SQLite takes another VFS");
}

GatedVfs::~GatedVfs() { sqlite3_vfs_unregister(&vfs_); }

}  // namespace sotto::server
