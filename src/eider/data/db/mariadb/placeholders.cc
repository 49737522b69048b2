#include "eider/data/db/mariadb/placeholders.h"

#include <algorithm>

namespace eider::db::mariadb {
namespace {

bool is_digit(char byte) noexcept {
  return byte >= '0' && byte <= '9';
}

/// Where a quote or a comment that begins at `at` ends; `at` itself when none does.
std::size_t end_of_quoted(std::string_view sql, std::size_t at) noexcept {
  const std::string_view rest = sql.substr(at);
  std::string_view end;
  std::size_t opening = 1;
  if (rest.starts_with("--")) {
    end = "\n";
  } else if (rest.starts_with("/*")) {
    end = "*/";
    opening = 2;
  } else if (rest.starts_with('\'') || rest.starts_with('"') || rest.starts_with('`')) {
    end = rest.substr(0, 1);
  } else {
    return at;
  }
  const std::size_t found = sql.find(end, at + opening);
  return found == std::string_view::npos ? sql.size() : found + end.size();
}

}  // namespace

Translated translate(std::string_view sql) {
  Translated made;
  made.sql.reserve(sql.size());
  for (std::size_t at = 0; at < sql.size();) {
    const std::size_t end = end_of_quoted(sql, at);
    if (end != at) {
      made.sql += sql.substr(at, end - at);
      at = end;
    } else if (sql[at] == '$' && at + 1 < sql.size() && is_digit(sql[at + 1])) {
      std::size_t number = 0;
      for (++at; at < sql.size() && is_digit(sql[at]); ++at) {
        number = std::min<std::size_t>(number * 10 + static_cast<std::size_t>(sql[at] - '0'), 9999);
      }
      made.sql += '?';
      made.order.push_back(number - 1);
    } else {
      made.sql += sql[at++];
    }
  }
  return made;
}

}  // namespace eider::db::mariadb
