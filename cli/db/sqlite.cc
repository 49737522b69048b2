#include "eider/data/db/sqlite/sqlite.h"
#include "cli/db/connect.h"

namespace eider {

Result<Database, std::string> connect_sqlite(const std::string& where, Access access) {
  SqliteOptions options;
  options.is_read_only = access == Access::reads;
  options.limits.statement_time_max = std::chrono::hours(24);
  options.limits.transaction_time_max = std::chrono::hours(24);
  return try_open_sqlite(sqlite_file_of(where), options);
}

}  // namespace eider
