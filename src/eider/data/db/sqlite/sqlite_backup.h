// Copies an SQLite database that is in use to a consistent backup.
// Layering: must not block reads and writes.
#pragma once

#include <cstdint>
#include <string>

#include "eider/data/db/database.h"
#include "eider/io/runtime/task.h"

namespace eider {

struct SqliteBackupOptions {
  /// Replaces an existing file in one step when the copy is complete; otherwise an existing file is
  /// an error.
  bool replaces = false;
  /// Time limit of a copy, during which the log cannot be reused.
  Duration time_max = std::chrono::minutes(10);
  /// Pages between two checks for cancellation.
  int pages_per_step = 256;
};

/// Copies the database to a temporary file next to `path`, and renames that when it is complete and
/// on the disk, so that other programs only see complete files. The copy has the state of one
/// moment, and only its owner can read it. Destroying the task ends the copying, and leaves no
/// file.
///
/// path     in a directory that exists
/// returns  the size of the copy in bytes
/// errors   db::Failure(open)     the file exists, is the database itself, or cannot be created, or
///          next to it is a log (-wal) of another database
///          db::Failure(expired)  longer than time_max
///          db::Failure(storage)  the disk is full, or the database is damaged
///          db::Failure(statement)  the database is in memory
[[nodiscard]] Task<std::int64_t> backup_sqlite(Database database, std::string path,
                                               SqliteBackupOptions options = {});

}  // namespace eider
