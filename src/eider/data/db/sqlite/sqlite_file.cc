#include "eider/data/db/sqlite/sqlite_file.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "eider/core/base/reached.h"
#include "eider/data/db/failure.h"

namespace eider::db {
namespace {

/// Where SQLite puts what is too large for its memory, such as rows to be sorted: the first of its
/// places that it may write to.
std::string temporary_directory() {
  const std::array<const char*, 6> places = {
      std::getenv("SQLITE_TMPDIR"), std::getenv("TMPDIR"), "/var/tmp", "/usr/tmp", "/tmp", "."};
  for (const char* place : places) {
    std::error_code failed;
    if (place != nullptr && std::filesystem::is_directory(place, failed) &&
        ::access(place, W_OK | X_OK) == 0) {
      return place;
    }
  }
  return {};
}

/// Beside the file come and go its log, its index and its journal.
void allow_files(sqlite3* handle, const SqliteOptions& options) {
  const char* const file = sqlite3_db_filename(handle, "main");
  if (file == nullptr || *file == '\0') {
    return;  // in memory
  }
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
    const std::string path = std::string(file) + ending;
    options.is_read_only ? eider::detail::base::allow_in_sandbox(path)
                         : eider::detail::base::will_write(path);
  }
  eider::detail::base::will_write(temporary_directory());
}

[[noreturn]] void throw_open(const std::string& path, const std::string& cause, const char* mend) {
  throw Failure(FailureKind::open, "cannot open the database " + path + ": " + cause + ". " + mend);
}

const char* mend_of(int code) noexcept {
  switch (code & 0xFF) {
    case SQLITE_CANTOPEN:
      return "Create its directory, writable for this user, or use another path.";
    case SQLITE_NOTADB:
      return "The file is not an SQLite database: move it away, or use another path.";
    case SQLITE_CORRUPT:
      return "The file is damaged: restore a backup.";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "Make the file and its directory writable for this user.";
    case SQLITE_BUSY:
      return "Another process has locked the file: stop that process first.";
    case SQLITE_FULL:
      return "The disk is full: free some space.";
    default:
      return "Check the path and its permissions.";
  }
}

}  // namespace

void CloseSqlite::operator()(sqlite3* handle) const noexcept {
  sqlite3_close(handle);
}

SqliteHandle open_file(const std::string& path, const SqliteOptions& options) {
  // SQLite would create it for everybody to read, and gives its log and its index the rights of
  // the file. Not by open(): closing a descriptor would drop the locks of the process's others.
  // "file:" begins a URI, to SQLites that read them.
  if (path != kInMemory && !path.starts_with("file:") && !options.is_read_only) {
    ::mknod(path.c_str(), S_IFREG | options.file_mode,
            0);  // what is there stays; SQLite tells what fails
  }
  sqlite3* made = nullptr;
  const int way =
      options.is_read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(path.c_str(), &made,
                                   way | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  SqliteHandle handle(made);
  if (made == nullptr) {
    throw_open(path, "out of memory", "Free some memory.");
  }
  if (code != SQLITE_OK) {
    const int error = sqlite3_system_errno(made);
    throw_open(path, error != 0 ? std::strerror(error) : sqlite3_errmsg(made), mend_of(code));
  }
  allow_files(made, options);
  return handle;
}

void throw_cannot_open(const std::string& path, sqlite3* handle) {
  throw_open(path, sqlite3_errmsg(handle), mend_of(sqlite3_extended_errcode(handle)));
}

}  // namespace eider::db
