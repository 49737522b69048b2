#include "eider/db/postgres/statement_kinds.h"

#include <algorithm>
#include <cstddef>

#include "eider/base/text.h"

namespace eider::db::postgres {
namespace {

constexpr std::string_view kSpaces = " \t\r\n\f\v";

bool is_of_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Removes a comment or spaces from the front, and says whether there were any.
bool drop_blank(std::string_view& sql) noexcept {
  const bool is_block = sql.starts_with("/*");
  if (!is_block && !sql.starts_with("--")) {
    const std::size_t spaces = std::min(sql.find_first_not_of(kSpaces), sql.size());
    sql.remove_prefix(spaces);
    return spaces != 0;
  }
  const std::string_view end = is_block ? "*/" : "\n";
  const std::size_t at = sql.find(end);
  sql.remove_prefix(at == std::string_view::npos ? sql.size() : at + end.size());
  return true;
}

/// The word at the front of `sql`, which loses it; empty when something else is there.
std::string_view take_word(std::string_view& sql) noexcept {
  while (drop_blank(sql)) {
  }
  const auto* end = std::ranges::find_if_not(sql, is_of_word);
  const std::string_view word = sql.substr(0, static_cast<std::size_t>(end - sql.begin()));
  sql.remove_prefix(word.size());
  return word;
}

/// As "pg_advisory_lock" does.
bool contains_lock(std::string_view word) noexcept {
  constexpr std::string_view kLock = "lock";
  const auto is_same = [](char a, char b) { return to_lower(a) == b; };
  return !std::ranges::search(word, kLock, is_same).empty();
}

}  // namespace

bool is_copy(std::string_view sql) noexcept {
  return equals_ignoring_case(take_word(sql), "copy");
}

bool is_fetch(std::string_view sql) noexcept {
  return equals_ignoring_case(take_word(sql), "fetch");
}

bool is_plain_read(std::string_view sql) noexcept {
  if (!equals_ignoring_case(take_word(sql), "select")) {
    return false;
  }
  while (!sql.empty()) {
    const std::string_view word = take_word(sql);
    if (equals_ignoring_case(word, "for") || contains_lock(word)) {
      return false;
    }
    sql.remove_prefix(word.empty() ? 1 : 0);
  }
  return true;
}

std::string_view tag_of(const PGresult& result) noexcept {
  return PQcmdStatus(const_cast<PGresult*>(&result));
}

bool changes_session(std::string_view tag, std::string_view sql) noexcept {
  if (tag != "SET") {
    return tag == "LISTEN";
  }
  const bool is_set = equals_ignoring_case(take_word(sql), "set");
  const std::string_view next = take_word(sql);
  const bool is_local =
      equals_ignoring_case(next, "local") || equals_ignoring_case(next, "transaction");
  return !is_set || !is_local || sql.find(';') != std::string_view::npos;
}

}  // namespace eider::db::postgres
