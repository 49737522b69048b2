// The session settings that give statements the same meaning as in other databases.
// Layering: must not depend on the server's own configuration.
#pragma once

#include <string>

#include "eider/data/db/mariadb/mariadb.h"

namespace eider::db::mariadb {

/// Returns one statement. Times are in UTC; invalid values are rejected; quotes are those of
/// standard SQL: "a name" and 'a text', in which a backslash has no special meaning, and ||
/// concatenates.
[[nodiscard]] std::string set_up_sql(const MariadbOptions& options);

}  // namespace eider::db::mariadb
