#include "eider/data/db/mariadb/session_set_up.h"

#include <chrono>

namespace eider::db::mariadb {

std::string set_up_sql(const MariadbOptions& options) {
  const auto time =
      std::chrono::duration_cast<std::chrono::milliseconds>(options.limits.statement_time_max);
  const std::string milliseconds = std::to_string(time.count());
  std::string seconds = std::to_string(time.count() / 1000) + ".";
  seconds += std::to_string(1000 + time.count() % 1000).substr(1);
  // Each server skips the other's comment. MySQL's own time limit applies only to read-only
  // statements.
  return "set time_zone = '+00:00', autocommit = 1, sql_mode = "
         "'STRICT_ALL_TABLES,STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,"
         "ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY,ANSI_QUOTES,"
         "PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES', session_track_state_change = 1 /*M!100100 , "
         "max_statement_time = " +
         seconds + " */ /*!50708 , max_execution_time = " + milliseconds + " */";
}

}  // namespace eider::db::mariadb
