// The settings of a session, so that a statement means here what it means to other databases.
// Must not depend on what the server has in its own configuration.
#pragma once

#include <string>

#include "eider/data/db/mariadb/mariadb.h"

namespace eider::db::mariadb {

/// One statement. Times are in UTC; what does not fit is refused; quotes are SQL's own: "a name"
/// and 'a text', in which a backslash is itself, and || joins texts.
[[nodiscard]] std::string set_up_sql(const MariadbOptions& options);

}  // namespace eider::db::mariadb
