// Opens an SQLite database.
// Must not need SQLite's own header.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/data/db/database.h"

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
  /// Streams of rows that are open at a time, each on a connection and a thread of its own, at
  /// least 1; others wait until one ends. What one reads is kept in the log until then.
  unsigned streams_max = 2;
  /// For how long a statement waits for another process that writes.
  Duration busy_time_max = std::chrono::seconds(5);
  /// Statements that are run before anything else, all or none: `create table if not exists …`.
  std::string schema{};
  /// The rights of a file that is made (less the umask's), and so of its log and its index
  /// (`-wal`, `-shm`): its owner's alone, or 0640 for a group that reads. One that is there keeps
  /// its own.
  unsigned file_mode = 0600;
  db::PoolLimits limits{};
  /// Told, on a thread of the database, when the log (`-wal`) has grown beyond `large_log_bytes`,
  /// and each time that it has doubled since: a read that does not end, mostly another process's,
  /// keeps it from being reused, and so it grows until the disk is full.
  std::function<void(std::uint64_t log_bytes)> on_large_log{};
  /// A log that was larger is cut to this once it can be reused.
  std::uint64_t large_log_bytes = std::uint64_t{64} << 20;
  /// Nothing is written: the file has to be there and stays as it is, its journal mode too, and no
  /// `schema` is run. What would write is refused as `storage`. SQLite leaves an empty log and its
  /// index beside a file in write-ahead mode, which the next one that writes removes.
  bool is_read_only = false;
  /// For a test: one connection does everything, within a transaction that is taken back when the
  /// last handle goes; what begins a transaction gets a savepoint in it. The schema stays, and so
  /// does what scripts and statements commit by themselves. Constraints that are deferred to the
  /// commit are not held, and the file is locked meanwhile for all others that write.
  bool is_rolled_back = false;
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
