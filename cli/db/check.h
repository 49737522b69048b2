// Checked SQL: statements of sources, prepared against a scratch database, kept in a lock file.
// Must not compile anything: the compiler holds structs against a header made of that file.
#pragma once

#include "cli/db/options.h"
#include "eider/core/base/result.h"

namespace eider {

/// Writes wanted.lock anew of wanted.files, by each of wanted.schemas.
///
/// errors   "src/store.cc:12: SQLite: no such column: titel", a line for each
[[nodiscard]] Result<void, std::string> check_sql(const DbWanted& wanted);

/// Makes the header wanted.out of wanted.lock.
///
/// errors   also that the lock file is of another schema than the migrations
[[nodiscard]] Result<void, std::string> write_sql_header(const DbWanted& wanted);

}  // namespace eider
