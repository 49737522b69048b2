// Files that `eider db` makes: a new migration, and the source that brings all of them along.
// Must not ask a database.
#pragma once

#include <string>

#include "cli/db/options.h"
#include "eider/core/base/result.h"

namespace eider {

/// The next number with that name.
///
/// returns  the file
[[nodiscard]] Result<std::string, std::string> make_migration(const DbWanted& wanted);

/// OUT.h and OUT.cc, with a function named as OUT's last part.
[[nodiscard]] Result<void, std::string> embed_migrations(const DbWanted& wanted);

}  // namespace eider
