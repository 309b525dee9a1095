// A layer over the files of SQLite: a VFS that calls the usual one.

#include "tests/crash/sqlite_faults.h"

#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include "server/store/fault_points.h"

namespace bvhmill::testing {
namespace {

using server::Effect;
using server::Fault;
using server::FaultPoints;

// A file of the usual VFS stands after it in memory.
struct FaultFile {
  sqlite3_file base;
};

sqlite3_file* Real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<FaultFile*>(file) +
                                         1);
}

// SQLITE_OK if the effect may happen.
int CodeOf(Fault fault, int error) {
  if (fault == Fault::kNone) return SQLITE_OK;
  return fault == Fault::kNoSpace ? SQLITE_FULL : error;
}

int CloseFile(sqlite3_file* file) {
  return Real(file)->pMethods->xClose(Real(file));
}
int ReadFile(sqlite3_file* file, void* bytes, int size, sqlite3_int64 at) {
  return Real(file)->pMethods->xRead(Real(file), bytes, size, at);
}
int WriteFile(sqlite3_file* file, const void* bytes, int size,
              sqlite3_int64 at) {
  const Fault fault = FaultPoints::Reach(Effect::kWrite);
  sqlite3_file* const real = Real(file);
  if (fault == Fault::kNone)
    return real->pMethods->xWrite(real, bytes, size, at);
  if (fault == Fault::kShortWrite || fault == Fault::kKillWithinWrite) {
    real->pMethods->xWrite(real, bytes, size / 2, at);
  }
  if (fault == Fault::kKillWithinWrite) kill(getpid(), SIGKILL);
  return CodeOf(fault, SQLITE_IOERR_WRITE);
}
int TruncateFile(sqlite3_file* file, sqlite3_int64 size) {
  const int code =
      CodeOf(FaultPoints::Reach(Effect::kWrite), SQLITE_IOERR_TRUNCATE);
  return code == SQLITE_OK ? Real(file)->pMethods->xTruncate(Real(file), size)
                           : code;
}
int SyncFile(sqlite3_file* file, int flags) {
  const int code =
      CodeOf(FaultPoints::Reach(Effect::kSync), SQLITE_IOERR_FSYNC);
  return code == SQLITE_OK ? Real(file)->pMethods->xSync(Real(file), flags)
                           : code;
}
int SizeOfFile(sqlite3_file* file, sqlite3_int64* size) {
  return Real(file)->pMethods->xFileSize(Real(file), size);
}
int LockFile(sqlite3_file* file, int lock) {
  return Real(file)->pMethods->xLock(Real(file), lock);
}
int UnlockFile(sqlite3_file* file, int lock) {
  return Real(file)->pMethods->xUnlock(Real(file), lock);
}
int IsReserved(sqlite3_file* file, int* is_reserved) {
  return Real(file)->pMethods->xCheckReservedLock(Real(file), is_reserved);
}
int ControlFile(sqlite3_file* file, int what, void* value) {
  return Real(file)->pMethods->xFileControl(Real(file), what, value);
}
int SectorSize(sqlite3_file* file) {
  return Real(file)->pMethods->xSectorSize(Real(file));
}
int TraitsOf(sqlite3_file* file) {
  return Real(file)->pMethods->xDeviceCharacteristics(Real(file));
}
int MapShared(sqlite3_file* file, int page, int size, int extend,
              void volatile** at) {
  return Real(file)->pMethods->xShmMap(Real(file), page, size, extend, at);
}
int LockShared(sqlite3_file* file, int offset, int count, int flags) {
  return Real(file)->pMethods->xShmLock(Real(file), offset, count, flags);
}
void Barrier(sqlite3_file* file) {
  Real(file)->pMethods->xShmBarrier(Real(file));
}
int UnmapShared(sqlite3_file* file, int removes) {
  return Real(file)->pMethods->xShmUnmap(Real(file), removes);
}

constexpr sqlite3_io_methods kMethods = {
    2,           CloseFile,   ReadFile, WriteFile,  TruncateFile,
    SyncFile,    SizeOfFile,  LockFile, UnlockFile, IsReserved,
    ControlFile, SectorSize,  TraitsOf, MapShared,  LockShared,
    Barrier,     UnmapShared, nullptr,  nullptr};

sqlite3_vfs* usual = nullptr;
int64_t temporary_files = 0;

int OpenFile(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file,
             int flags, int* out_flags) {
  if (name == nullptr) ++temporary_files;
  file->pMethods = nullptr;
  const int code = usual->xOpen(usual, name, Real(file), flags, out_flags);
  if (Real(file)->pMethods != nullptr) file->pMethods = &kMethods;
  return code;
}

int RemoveFile(sqlite3_vfs* /*vfs*/, const char* name, int sync) {
  const int code =
      CodeOf(FaultPoints::Reach(Effect::kRemove), SQLITE_IOERR_DELETE);
  return code == SQLITE_OK ? usual->xDelete(usual, name, sync) : code;
}

}  // namespace

void NumberFilesOfSqlite(bool are_numbered) {
  static sqlite3_vfs layer;
  if (!are_numbered) {
    sqlite3_vfs_unregister(&layer);
    return;
  }
  usual = sqlite3_vfs_find(nullptr);
  temporary_files = 0;
  // The other functions do not touch files; they find what they need by the
  // data of the usual VFS, which is copied.
  layer = *usual;
  layer.zName = "bvhmill_faults";
  layer.szOsFile = static_cast<int>(sizeof(FaultFile)) + usual->szOsFile;
  layer.xOpen = OpenFile;
  layer.xDelete = RemoveFile;
  sqlite3_vfs_register(&layer, /*makeDflt=*/1);
}

int64_t TemporaryFilesOfSqlite() { return temporary_files; }

}  // namespace bvhmill::testing
