// Opens an SQLite database.
// Must not need SQLite's own header.
#pragma once

#include <string>
#include <string_view>

#include "eider/base/result.h"
#include "eider/db/database.h"

namespace eider {

struct SqliteOptions {
  /// What a commit survives. `process`: the process being killed at any moment (write-ahead log,
  /// synchronous=NORMAL). `power`: also the machine losing its power; each commit then waits for
  /// the disk.
  enum class Durability : std::uint8_t { process, power };

  /// Where statements run. `threads`: on their own, so that no loop waits. `loop`: on the one loop
  /// that awaits them, for tests with a simulated one (TestClient).
  enum class RunsOn : std::uint8_t { threads, loop };

  Durability durability = Durability::process;
  RunsOn runs_on = RunsOn::threads;
  /// Connections that read side by side, each on its thread; one more writes.
  unsigned readers = 4;
  /// For how long a statement waits for another process that writes.
  Duration busy_time_max = std::chrono::seconds(5);
  /// Statements that are run before anything else, all or none: `create table if not exists …`.
  std::string schema{};
  /// The rights of a file that is made (less the umask's), and so of its log and its index
  /// (`-wal`, `-shm`): its owner's alone, or 0640 for a group that reads. One that is there keeps
  /// its own.
  unsigned file_mode = 0600;
  db::PoolLimits limits{};
};

/// Opens the file, and makes it when it is not there.
///
/// path     a file's path, also written "sqlite:notes.db"; ":memory:" for one that is gone with its
///          last handle (one connection then does everything)
/// returns  the database, in write-ahead mode with foreign keys enforced
/// errors   db::Failure(open), thrown: the text names the file, the cause and the mend
[[nodiscard]] Database open_sqlite(std::string_view path, const SqliteOptions& options = {});

/// The same with the text instead of an exception.
[[nodiscard]] Result<Database, std::string> try_open_sqlite(std::string_view path,
                                                            const SqliteOptions& options = {});

}  // namespace eider
