#include "eider/data/db/sqlite/sqlite_backup.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "eider/data/db/sqlite/sqlite_error.h"
#include "eider/io/runtime/blocking.h"

namespace eider {
namespace {

using db::Failure;
using db::FailureKind;

/// Whether the task that requested the copy still exists.
using Wanted = std::shared_ptr<std::atomic<bool>>;

class WantedWhileHere {
 public:
  explicit WantedWhileHere(Wanted wanted) noexcept : wanted_(std::move(wanted)) {}
  ~WantedWhileHere() { wanted_->store(false); }
  WantedWhileHere(const WantedWhileHere&) = delete;
  WantedWhileHere& operator=(const WantedWhileHere&) = delete;

 private:
  Wanted wanted_;
};

struct Close {
  void operator()(sqlite3* handle) const noexcept { sqlite3_close(handle); }
  void operator()(sqlite3_backup* backup) const noexcept { sqlite3_backup_finish(backup); }
};
using Handle = std::unique_ptr<sqlite3, Close>;

[[noreturn]] void refuse(FailureKind kind, const std::string& path, const std::string& why) {
  throw Failure(kind, "the database was not copied to " + path + ": " + why);
}

[[noreturn]] void refuse_by_errno(FailureKind kind, const std::string& path) {
  refuse(kind, path, std::strerror(errno));
}

bool is_there(const std::string& path) noexcept {
  return ::access(path.c_str(), F_OK) == 0;
}

bool is_same_file(const std::string& one, const std::string& other) noexcept {
  struct stat first{};
  struct stat second{};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

void check_place(const std::string& from, const std::string& to, bool replaces) {
  if (is_same_file(from, to)) {
    refuse(FailureKind::open, to, "the target is the database itself");
  }
  if (is_there(to) && !replaces) {
    refuse(FailureKind::open, to, "the file already exists");
  }
  // SQLite would apply that log to the copy.
  if (is_there(to + "-wal")) {
    refuse(FailureKind::open, to, "a database with a log exists there and may be in use");
  }
}

/// The incomplete copy, with a temporary name in the same directory.
class Part {
 public:
  explicit Part(const std::string& to) : to_(to), path_(to + ".XXXXXX") {
    const int made = ::mkostemp(path_.data(), O_CLOEXEC);
    if (made < 0) {
      refuse_by_errno(FailureKind::open, to);
    }
    ::close(made);
  }
  ~Part() {
    ::unlink(path_.c_str());
    ::unlink((path_ + "-journal").c_str());
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Writes the copy to disk before it gets its name, so that the name never refers to an
  /// incomplete file.
  std::int64_t keep(bool replaces) {
    const std::int64_t bytes = sync(path_);
    const int failed = replaces ? ::rename(path_.c_str(), to_.c_str())
                                : ::link(path_.c_str(), to_.c_str());  // fails if it exists
    if (failed != 0) {
      refuse_by_errno(FailureKind::open, to_);
    }
    const std::size_t slash = to_.rfind('/');
    (void)sync(slash == std::string::npos ? "." : to_.substr(0, slash + 1));
    return bytes;
  }

 private:
  /// returns  the file size
  [[nodiscard]] std::int64_t sync(const std::string& path) const {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about{};
    const bool is_synced = fd >= 0 && ::fsync(fd) == 0 && ::fstat(fd, &about) == 0;
    const int error = errno;
    if (fd >= 0) {
      ::close(fd);
    }
    errno = error;
    if (!is_synced) {
      refuse_by_errno(FailureKind::storage, to_);
    }
    return about.st_size;
  }

  std::string to_;
  std::string path_;
};

Handle open(const std::string& path) {
  sqlite3* made = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &made,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  Handle handle(made);
  if (code != SQLITE_OK) {
    throw Failure(FailureKind::open, "cannot open " + path + " to copy: " + sqlite3_errstr(code));
  }
  return handle;
}

void execute(const Handle& handle, const char* sql) {
  if (sqlite3_exec(handle.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    db::throw_sqlite(handle.get(), sql);
  }
}

struct Copying {
  std::string from;
  std::string to;
  SqliteBackupOptions options;
  Wanted wanted;

  void copy_pages(const std::string& into) const {
    const Instant deadline = std::chrono::steady_clock::now() + options.time_max;
    const Handle source = open(from);
    sqlite3_busy_timeout(source.get(), 5000);
    // One transaction for all steps: otherwise each change in the meantime would restart the copy.
    execute(source, "pragma query_only = on; begin; select count(*) from sqlite_master");
    const Handle target = open(into);
    execute(target, "pragma journal_mode = off; pragma synchronous = off");
    std::unique_ptr<sqlite3_backup, Close> backup(
        sqlite3_backup_init(target.get(), "main", source.get(), "main"));
    int code = backup == nullptr ? SQLITE_ERROR : SQLITE_OK;
    while (code == SQLITE_OK) {
      if (!wanted->load() || std::chrono::steady_clock::now() >= deadline) {
        refuse(FailureKind::expired, to,
               "the time limit was reached, or the caller stopped waiting");
      }
      code = sqlite3_backup_step(backup.get(), options.pages_per_step);
    }
    if (code != SQLITE_DONE) {
      refuse(db::kind_of_sqlite_code(code), to, sqlite3_errstr(code));
    }
  }

  std::int64_t operator()() const {
    check_place(from, to, options.replaces);
    Part part(to);
    copy_pages(part.path());
    return part.keep(options.replaces);
  }
};

}  // namespace

Task<std::int64_t> backup_sqlite(Database database, std::string path, SqliteBackupOptions options) {
  const std::string file =
      (co_await database.one<std::string>(
           "select coalesce(file, '') from pragma_database_list where name = 'main'"))
          .value_or("");
  if (file.empty()) {
    refuse(FailureKind::statement, path, "the database is in memory, not in a file");
  }
  auto wanted = std::make_shared<std::atomic<bool>>(true);
  const WantedWhileHere here(wanted);
  co_return co_await run_blocking(Copying{file, std::move(path), options, std::move(wanted)});
}

}  // namespace eider
