// The schema that a database has, as SQL to be kept beside the migrations and compared.
// Must not hold rows of tables.
#pragma once

#include <string>

#include "cli/db/options.h"
#include "eider/core/base/result.h"
#include "eider/data/db/database.h"

namespace eider {

/// To wanted.out, or the standard output. PostgreSQL's is what pg_dump says, without what differs
/// from run to run.
[[nodiscard]] Result<void, std::string> write_snapshot(const DbWanted& wanted,
                                                       const Database& database);

}  // namespace eider
