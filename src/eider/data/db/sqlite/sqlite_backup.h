// A copy of an SQLite database that is being used, as it was at one moment.
// Must not stop anybody: reads and changes go on while it is copied.
#pragma once

#include <cstdint>
#include <string>

#include "eider/data/db/database.h"
#include "eider/io/runtime/task.h"

namespace eider {

struct SqliteBackupOptions {
  /// What stands at the path is replaced, in one step, once the copy is whole; else it is refused.
  bool replaces = false;
  /// A copy that takes longer is given up: as long as it is made, the log cannot be reused.
  Duration time_max = std::chrono::minutes(10);
  /// Pages between two looks at whether somebody still waits for it.
  int pages_per_step = 256;
};

/// Copies the database into a file beside `path`, and gives that its name once it is whole and on
/// the disk: whoever sees the file sees all of it. It has the state of one moment, and its owner's
/// rights alone. Destroying the task while it waits ends the copying, and leaves nothing.
///
/// path     in a directory that exists
/// returns  the size of the copy in bytes
/// errors   db::Failure(open)     there is a file already, it is the database's own, it cannot be
///                                made, or a log (-wal) that is another database's lies beside it
///          db::Failure(expired)  longer than time_max
///          db::Failure(storage)  the disk is full, or the database is damaged
///          db::Failure(statement)  the database is no file
[[nodiscard]] Task<std::int64_t> backup_sqlite(Database database, std::string path,
                                               SqliteBackupOptions options = {});

}  // namespace eider
