// A statement's $1, $2 … as the server writes them: a '?' for each.
// Must not touch what stands in quotes or comments.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace eider::db::mariadb {

/// sql    with '?' in place of each $n
/// order  for each '?', which value it takes, from 0
struct Translated {
  std::string sql;
  std::vector<std::size_t> order;
};

/// The server reads quotes and comments as this does: with ANSI_QUOTES and NO_BACKSLASH_ESCAPES.
[[nodiscard]] Translated translate(std::string_view sql);

}  // namespace eider::db::mariadb
