// The prepared statements of one connection, by their text.
// Layering: must not communicate with the server, which must deallocate removed statements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "eider/core/base/lru_map.h"
#include "eider/data/db/postgres/codec.h"
#include "eider/data/db/postgres/result_rows.h"

namespace eider::db::postgres {

/// number      higher than those of all statements that were prepared before
/// parameters  their types
/// is_copy     a COPY, which is rejected; stored, because its text is long
/// rows        binary if all columns support it
/// shape       of those rows
/// described_in  the last round in which the server has described them
struct Prepared {
  std::string sql;
  std::uint64_t number = 0;
  std::string name;
  bool is_copy = false;
  std::vector<Oid> parameters;
  Format rows = Format::binary;
  ResultShape shape{};
  std::uint64_t described_in = 0;
};

using PreparedStatements = LruMap<Prepared, &Prepared::sql>;

}  // namespace eider::db::postgres
