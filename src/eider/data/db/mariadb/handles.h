// Owners for the handles of Connector/C.
// Layering: must not be included outside of this folder.
#pragma once

#include <mysql.h>

#include <memory>

namespace eider::db::mariadb {

struct Release {
  void operator()(MYSQL* connection) const noexcept { mysql_close(connection); }
  void operator()(MYSQL_STMT* statement) const noexcept { mysql_stmt_close(statement); }
  void operator()(MYSQL_RES* result) const noexcept { mysql_free_result(result); }
};

using ConnectionHandle = std::unique_ptr<MYSQL, Release>;
/// Its connection must be closed before: then closing the statement does not send anything.
using StatementHandle = std::unique_ptr<MYSQL_STMT, Release>;
using ResultHandle = std::unique_ptr<MYSQL_RES, Release>;

}  // namespace eider::db::mariadb
