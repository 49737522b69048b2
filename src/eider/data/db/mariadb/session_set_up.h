// The session settings that give statements the same meaning as in other databases.
// Layering: must not depend on the server's own configuration.
#pragma once

#include <string>

#include "eider/data/db/mariadb/mariadb.h"

namespace eider::db::mariadb {

/// One statement. Times are in UTC; what does not fit is refused; quotes are SQL's own: "a name"
/// and 'a text', in which a backslash is itself, and || joins texts.
[[nodiscard]] std::string set_up_sql(const MariadbOptions& options);

}  // namespace eider::db::mariadb
