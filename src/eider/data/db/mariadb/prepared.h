// Statements that one connection has prepared, by their text.
// Must not talk to the server, which has to forget what is taken out of here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "eider/core/base/lru_map.h"
#include "eider/data/db/mariadb/handles.h"

namespace eider::db::mariadb {

/// sql    as it was asked for
/// order  which value each of its '?' takes
struct Prepared {
  std::string sql;
  std::vector<std::size_t> order;
  StatementHandle handle;
};

using PreparedStatements = LruMap<Prepared, &Prepared::sql>;

}  // namespace eider::db::mariadb
