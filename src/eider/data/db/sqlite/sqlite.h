// Opens an SQLite database.
// Layering: must not include the header of SQLite.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/data/db/database.h"

namespace eider {

struct SqliteOptions {
  /// The failures that a commit survives. `process`: the process is killed at any moment
  /// (write-ahead log, synchronous=NORMAL). `power`: also a power loss; each commit then waits for
  /// the disk.
  enum class Durability : std::uint8_t { process, power };

  /// Place where statements run. `threads`: on separate threads, so that no event loop blocks.
  /// `loop`: on the event loop that awaits them, for tests with simulated time (TestClient).
  enum class RunsOn : std::uint8_t { threads, loop };

  Durability durability = Durability::process;
  RunsOn runs_on = RunsOn::threads;
  /// Number of reading connections, each with its own thread; one more connection writes.
  unsigned readers = 4;
  /// Maximum number of open row streams, each with its own connection and thread, at least 1; other
  /// streams wait. The log keeps the data that a stream reads until it ends.
  unsigned streams_max = 2;
  /// Time limit for a statement that waits for another process that writes.
  Duration busy_time_max = std::chrono::seconds(5);
  /// Statements that are run before anything else, all or none: `create table if not exists …`.
  std::string schema{};
  /// Permissions of a new file (reduced by the umask), and of its log and index (`-wal`, `-shm`):
  /// only for its owner, or 0640 for a group that reads. Existing files keep theirs.
  unsigned file_mode = 0600;
  db::PoolLimits limits{};
  /// Called on a thread of the database when the log (`-wal`) has grown beyond `large_log_bytes`,
  /// and whenever it has doubled since. The cause is a read that does not end, usually of another
  /// process: the log cannot be reused, and grows until the disk is full.
  std::function<void(std::uint64_t log_bytes)> on_large_log{};
  /// A larger log is truncated to this size once it can be reused.
  std::uint64_t large_log_bytes = std::uint64_t{64} << 20;
  /// Opens an existing file without writing: its journal mode stays, and `schema` does not run.
  /// Statements that write fail as `storage`. SQLite leaves an empty log and index next to a file
  /// in write-ahead mode, which the next writer removes.
  bool is_read_only = false;
  /// Isolates a test: one connection does everything, within a transaction that is rolled back with
  /// the last handle; transactions become savepoints. The schema stays, and so does everything that
  /// scripts and statements commit themselves. Constraints that are deferred to the commit are not
  /// checked, and the file is locked for other writers.
  bool sandbox = false;
};

/// Opens the file, and creates it if necessary.
///
/// path     a path, also written "sqlite:notes.db"; ":memory:" for a database that is deleted with
///          its last handle (one connection then does everything)
/// returns  the database, in write-ahead mode with foreign keys enforced
/// errors   db::Failure(open), thrown: with the file, the cause and the fix
[[nodiscard]] Database open_sqlite(std::string_view path, const SqliteOptions& options = {});

/// Returns the error text instead of throwing an exception.
[[nodiscard]] Result<Database, std::string> try_open_sqlite(std::string_view path,
                                                            const SqliteOptions& options = {});

}  // namespace eider
