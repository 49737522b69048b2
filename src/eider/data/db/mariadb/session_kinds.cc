#include "eider/data/db/mariadb/session_kinds.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace eider::db::mariadb {
namespace {

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

bool is_in_name(char c) noexcept {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Behind the blank or the comment that begins at `at`; `at` itself where none does. What stands
/// in a comment with a '!' is run: its two ends alone are blanks.
std::size_t end_of_blank(std::string_view sql, std::size_t at) noexcept {
  const std::string_view rest = sql.substr(at);
  if (rest.empty()) {
    return at;
  }
  if (rest.starts_with("*/")) {
    return at + 2;
  }
  if (rest.starts_with("/*!") || rest.starts_with("/*M!")) {
    return std::min(sql.find_first_not_of("0123456789", sql.find('!', at) + 1), sql.size());
  }
  std::string_view end;
  if (rest.starts_with("/*")) {
    end = "*/";
    ++at;
  } else if (rest.starts_with("--") || rest.starts_with('#')) {
    end = "\n";
  } else {
    return at + (std::string_view(" \t\r\n\v\f").contains(rest.front()) ? 1 : 0);
  }
  const std::size_t found = sql.find(end, at + 1);
  return found == std::string_view::npos ? sql.size() : found + end.size();
}

std::size_t skip_blanks(std::string_view sql, std::size_t at) noexcept {
  for (std::size_t end = end_of_blank(sql, at); end != at; end = end_of_blank(sql, at)) {
    at = end;
  }
  return at;
}

/// words  in small letters; each blank stands for any number of blanks and comments, not none
bool begins_at(std::string_view sql, std::size_t at, std::string_view words) noexcept {
  for (const char c : words) {
    const std::size_t begin = at;
    at = c == ' ' ? skip_blanks(sql, at) : at + (at < sql.size() && lower(sql[at]) == c ? 1 : 0);
    if (at == begin) {
      return false;
    }
  }
  return true;
}

bool contains(std::string_view sql, std::string_view words) noexcept {
  for (std::size_t at = 0; at < sql.size(); ++at) {
    if (begins_at(sql, at, words)) {
      return true;
    }
  }
  return false;
}

/// Behind blanks, comments and parentheses.
std::string_view from_first_word(std::string_view sql) noexcept {
  std::size_t at = skip_blanks(sql, 0);
  while (at < sql.size() && sql[at] == '(') {
    at = skip_blanks(sql, at + 1);
  }
  return sql.substr(at);
}

bool begins_with_one_of(std::string_view sql, std::span<const std::string_view> words) noexcept {
  return std::ranges::any_of(words, [sql](std::string_view word) {
    return begins_at(sql, 0, word) && (sql.size() == word.size() || !is_in_name(sql[word.size()]));
  });
}

constexpr std::string_view kSelect[] = {"select"};

/// What may stand ahead of a '(' where nothing is called that somebody has written. A function of
/// the server with a blank behind its name may be another one.
bool is_known_ahead(std::string_view ahead) noexcept {
  constexpr std::string_view kFunctions[] = {"count", "sum",    "min",   "max",      "avg",
                                             "cast",  "ifnull", "lower", "upper",    "concat",
                                             "if",    "nullif", "round", "coalesce", "length"};
  constexpr std::string_view kWords[] = {"in",    "and",  "or",    "not",    "on",     "as",
                                         "from",  "all",  "join",  "where",  "select", "when",
                                         "then",  "else", "by",    "exists", "using",  "having",
                                         "union", "over", "values"};
  const std::size_t end = ahead.find_last_not_of(" \t\r\n") + 1;
  std::size_t begin = end;
  while (begin != 0 && is_in_name(ahead[begin - 1])) {
    --begin;
  }
  const char before = begin == 0 ? ' ' : ahead[begin - 1];
  if (begin == end) {  // none of a name: an operator, a comma, or a quote that ends one
    return before != '`' && before != '"';
  }
  const std::string_view name = ahead.substr(begin, end - begin);
  return before != '.' && before != '@' &&
         (begins_with_one_of(name, kWords) ||
          (end == ahead.size() && begins_with_one_of(name, kFunctions)));
}

}  // namespace

bool may_change_session(std::string_view sql) noexcept {
  constexpr std::string_view kSigns[] = {"get_lock",     ":=",
                                         "into @",       "into@",
                                         "temporary",    "lock table",
                                         "handler ",     "prepare",
                                         "with read",    "set transaction",
                                         "tx_isolation", "transaction_isolation",
                                         "tx_read_only", "transaction_read_only"};
  return std::ranges::any_of(kSigns, [sql](std::string_view sign) { return contains(sql, sign); });
}

bool only_reads(std::string_view sql) noexcept {
  const bool has_comment = sql.contains("--") || sql.contains('#') || sql.contains("/*");
  if (has_comment || !begins_with_one_of(from_first_word(sql), kSelect)) {
    return false;
  }
  for (std::size_t at = sql.find('('); at != std::string_view::npos; at = sql.find('(', at + 1)) {
    if (!is_known_ahead(sql.substr(0, at))) {
      return false;
    }
  }
  return true;
}

bool is_select(std::string_view sql) noexcept {
  constexpr std::string_view kStatements[] = {"select", "with", "values"};
  return begins_with_one_of(from_first_word(sql), kStatements);
}

bool is_one_transaction(std::string_view sql) noexcept {
  constexpr std::string_view kStatements[] = {"insert",  "update", "delete",
                                              "replace", "select", "with"};
  return begins_with_one_of(from_first_word(sql), kStatements);
}

}  // namespace eider::db::mariadb
