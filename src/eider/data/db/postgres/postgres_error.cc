#include "eider/data/db/postgres/postgres_error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/core/reflect/constraints.h"
#include "eider/data/db/bound_value.h"
#include "eider/data/db/sql_lexer.h"

namespace eider::db::postgres {
namespace {

struct Meaning {
  std::string_view prefix;
  FailureKind kind;
};

// The longest matching prefix comes first.
constexpr std::array kMeanings = {
    Meaning{"23502", FailureKind::not_null},
    Meaning{"23503", FailureKind::foreign_key},
    Meaning{"23001", FailureKind::foreign_key},  // restrict
    Meaning{"23505", FailureKind::unique},
    Meaning{"23P01", FailureKind::unique},  // an exclusion constraint: an existing row overlaps
    Meaning{"23", FailureKind::check},
    Meaning{"44000", FailureKind::check},  // a view's check option
    Meaning{"40001", FailureKind::serialization},
    Meaning{"40P01", FailureKind::deadlock},
    Meaning{"55P03", FailureKind::busy},     // lock_not_available
    Meaning{"57014", FailureKind::expired},  // query_canceled
    Meaning{"57P", FailureKind::lost},       // the server shuts down or crashed
    Meaning{"25P03", FailureKind::lost},     // idle for too long in a transaction
    Meaning{"25P04", FailureKind::lost},     // transaction_timeout
    // Read-only, for example a former primary that is a standby now.
    Meaning{"25006", FailureKind::storage},
    Meaning{"40003", FailureKind::lost},  // statement_completion_unknown
    Meaning{"53100", FailureKind::storage},
    Meaning{"53", FailureKind::busy},  // out of memory, too many connections
    Meaning{"08", FailureKind::lost},
    Meaning{"22", FailureKind::values},
    Meaning{"58", FailureKind::storage},
    Meaning{"XX", FailureKind::storage},
};

/// The DETAIL of these errors begins with the columns of the key: "Key (email)=(a@b) …". The DETAIL
/// of other errors contains rows, and possibly data of a client.
bool has_key_in_detail(std::string_view code) noexcept {
  return code == "23505" || code == "23503" || code == "23001";
}

/// Invalid values, and errors that functions raise.
bool may_quote_values(std::string_view code) noexcept {
  return code.starts_with("22") || code == "P0001";
}

/// Truncates a message before an unknown quoted text: it may be a value, which any message can
/// contain, for example with `$1::regclass`. Other languages use other quotes, but not in ASCII.
template <class IsKnown>
void cut_at_quote(std::string& message, const IsKnown& is_known) {
  const auto is_quote = [](char c) { return c == '"' || static_cast<unsigned char>(c) >= 0x80; };
  auto at = std::ranges::find_if(message, is_quote);
  while (at != message.end() && *at == '"') {
    const auto end = std::find(at + 1, message.end(), '"');
    if (end == message.end() || !is_known(std::string_view(at + 1, end))) {
      break;
    }
    at = std::find_if(end + 1, message.end(), is_quote);
  }
  if (at != message.end()) {
    message.erase(at, message.end());
    message.erase(message.find_last_not_of(" :(") + 1);
  }
}

/// Reads "COPY book, line 3, column year: …". It is translated, but in this order, and quotes the
/// client's value after the column.
void note_place_in_copy(std::string_view context, RefusedBy& by) {
  const std::size_t table_end = context.find(", ");
  if (!context.starts_with("COPY ") || table_end == std::string_view::npos) {
    return;
  }
  context.remove_prefix(table_end);
  context.remove_prefix(std::min(context.find_first_of("0123456789"), context.size()));
  const auto read = std::from_chars(context.data(), context.data() + context.size(), by.line);
  context.remove_prefix(static_cast<std::size_t>(read.ptr - context.data()));
  const std::string_view place = context.substr(0, context.find_first_of(":\n"));
  if (place.starts_with(", ") && by.column.empty()) {
    by.column = place.substr(place.rfind(' ') + 1);
  }
}

/// Returns the index in "unnamed portal parameter $1", which the server adds to errors of a bound
/// value.
std::optional<std::size_t> parameter_of(std::string_view context) noexcept {
  const std::size_t at = context.find(" parameter $");
  std::size_t number = 0;
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  context.remove_prefix(context.find('$', at) + 1);
  std::from_chars(context.data(), context.data() + context.size(), number);
  return number == 0 ? std::nullopt : std::optional(number - 1);
}

/// Returns whether a statement has failed because of its values.
///
/// A syntax error without a position is in a text that the statement reads, such as the query of a
/// full-text search. Errors of a bound value's own type (a jsonpath, a tsquery, a regclass) have
/// any code, and the context contains the parameter. 54000 is a value that is too large, such as
/// for an index. A number with another type may have no function for that type.
bool is_of_values(const Refusal& refusal, bool is_widened) noexcept {
  return refusal.code.starts_with("22") || refusal.code == "54000" ||
         parameter_of(refusal.context) ||
         (refusal.code == "42601" && refusal.position.empty() && refusal.context.empty()) ||
         (is_widened && refusal.code.starts_with("42"));
}

/// Returns the only text with more characters than "value too long for type character varying(5)"
/// allows: the message is translated, but its number is not.
std::optional<std::size_t> too_long_of(std::string_view message, std::span<const Value> values) {
  const std::size_t open = message.rfind('(');
  const auto length = open == std::string_view::npos
                          ? std::nullopt
                          : parse_int64(message.substr(open + 1, message.rfind(')') - open - 1));
  std::optional<std::size_t> found;
  for (std::size_t i = 0; length && i < values.size(); ++i) {
    const std::string* const text = values[i].text();
    if (text != nullptr && static_cast<std::int64_t>(reflect::code_points(*text)) > *length) {
      if (found) {
        return std::nullopt;
      }
      found = i;
    }
  }
  return found;
}

/// position  from 1, in characters of UTF-8; empty if unknown
///
/// returns   from 1; 0 if unknown
std::int64_t line_of(std::string_view position, std::string_view script) noexcept {
  std::size_t left = 0;
  std::from_chars(position.data(), position.data() + position.size(), left);
  if (left == 0) {
    return 0;
  }
  std::int64_t line = 1;
  for (const char byte : script) {
    const bool begins_character = (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    if (begins_character && --left == 0) {
      break;
    }
    line += byte == '\n' ? 1 : 0;
  }
  return line;
}

std::int64_t lines_before(const char* at, std::string_view script) noexcept {
  return std::count(script.data(), at, '\n');
}

/// Returns the code of the only `do` statement of the script, with its quotes; empty if there is
/// none, or if there are several.
std::string_view block_in(std::string_view script) {
  std::string_view code;
  int blocks = 0;
  bool is_first = true;
  bool is_do = false;
  for (const db::detail::SqlToken& token :
       db::detail::tokens_of(script, db::detail::kPostgresSql)) {
    is_do = is_first ? token.is("do") : is_do;
    blocks += is_first && is_do ? 1 : 0;
    is_first = token.is(";");
    // The name of the language, which may be quoted, is shorter.
    if (is_do && token.kind == db::detail::SqlTokenKind::quoted &&
        token.text.size() > code.size()) {
      code = token.text;
    }
  }
  return blocks == 1 ? code : std::string_view();
}

/// Returns the line, from 1, of an error in a `do` block. The server reports it only in the
/// context, "PL/pgSQL function inline_code_block line 3 at RAISE", which is translated and begins
/// with inner functions. Line 1 is that of the opening quote.
///
/// returns  0 if it is unknown
std::int64_t line_in_block(const Refusal& refusal, std::string_view script) {
  constexpr std::string_view kBlock = "inline_code_block";
  const std::size_t at = refusal.context.rfind(kBlock);
  if (at == std::string_view::npos) {
    return 0;
  }
  std::string_view rest = refusal.context.substr(at + kBlock.size());
  rest.remove_prefix(std::min(rest.find_first_of("0123456789"), rest.size()));
  std::int64_t line = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), line);
  const std::string_view block = block_in(script);
  // A larger number is from a text that the context quotes.
  if (line == 0 || block.empty() || line > 1 + std::ranges::count(block, '\n')) {
    return 0;
  }
  line += lines_before(block.data(), script);
  // If the statement is written out in the block, its own position is more precise.
  const std::int64_t inner = line_of(refusal.inner_position, refusal.inner_statement);
  const bool is_of_block = !refusal.context.substr(0, at).contains('\n');
  std::string_view from_line = script;
  for (std::int64_t skipped = 1; skipped < line; ++skipped) {
    (void)take_until(from_line, "\n");
  }
  const std::size_t begin = from_line.find(refusal.inner_statement);
  return inner == 0 || !is_of_block || begin == std::string_view::npos
             ? line
             : line + lines_before(from_line.data() + begin, from_line) + inner - 1;
}

/// Removes the code from "FATAL:  28P01: password …", whose severity is translated, and returns it.
std::string take_sqlstate(std::string& line) {
  constexpr std::size_t kLetters = 5;
  const std::size_t at = line.find(":  ");
  if (at == std::string::npos || line.size() < at + 3 + kLetters) {
    return {};
  }
  std::string code = line.substr(at + 3, kLetters);
  const bool is_code = std::ranges::all_of(
      code, [](char letter) { return is_digit(letter) || (letter >= 'A' && letter <= 'Z'); });
  if (!is_code || line.compare(at + 3 + kLetters, 2, ": ") != 0) {
    return {};
  }
  line.erase(at + 3, kLetters + 2);
  return code;
}

/// Invalid password, invalid authorization, and no such database.
bool is_of_login(std::string_view code) noexcept {
  return code == "28P01" || code == "28000" || code == "3D000";
}

}  // namespace

FailureKind kind_of_sqlstate(std::string_view code) noexcept {
  const auto* found = std::ranges::find_if(
      kMeanings, [code](const Meaning& meaning) { return code.starts_with(meaning.prefix); });
  return found == kMeanings.end() ? FailureKind::statement : found->kind;
}

// The text around the column is translated, but has the same structure. Before the column, there is
// no data of a row.
std::string column_of_detail(std::string_view detail) {
  const std::size_t begin = detail.find('(');
  const std::size_t end = detail.find(")=(");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    return {};
  }
  const std::string_view columns = detail.substr(begin + 1, end - begin - 1);
  const bool is_one = columns.find_first_of(", (") == std::string_view::npos;
  return is_one ? std::string(columns) : std::string();
}

Staleness staleness_of(const Refusal& refusal) noexcept {
  if (refusal.code == "26000") {
    return Staleness::gone;
  }
  // Other errors have 0A000, too; this function reports outdated plans.
  if (refusal.code == "0A000" && refusal.function == "RevalidateCachedQuery") {
    return Staleness::plan;
  }
  // Types that cannot be converted, or have no function or operator.
  constexpr std::array<std::string_view, 6> kTypes = {"42804", "42846", "42883",
                                                      "42725", "42P08", "42P18"};
  return std::ranges::find(kTypes, refusal.code) != kTypes.end() ? Staleness::types
                                                                 : Staleness::none;
}

bool is_of_statement(const Refusal& refusal) noexcept {
  return refusal.context.empty();
}

Failure failure_of(const Refusal& refusal, std::string_view doing) {
  const std::string_view code = refusal.code;
  const FailureKind kind = code.empty() ? FailureKind::lost : kind_of_sqlstate(code);
  RefusedBy by{.constraint = std::string(refusal.constraint),
               .table = std::string(refusal.table),
               .column = std::string(refusal.column)};
  if (by.column.empty() && has_key_in_detail(code)) {
    by.column = column_of_detail(refusal.detail);
  }
  note_place_in_copy(refusal.context, by);
  std::string message(refusal.message);
  cut_at_quote(message, [&](std::string_view quoted) {
    const bool is_of_schema = quoted == by.constraint || quoted == by.table || quoted == by.column;
    return !may_quote_values(code) && (is_of_schema || doing.contains(quoted));
  });
  if (message.empty() && code.empty()) {
    message = one_line(refusal.whole);
  }
  std::string cause = "PostgreSQL: ";
  cause += message;
  cause += message.empty() ? "" : " ";
  cause += code.empty() ? "" : "(" + std::string(code) + ")";
  cause += by.line == 0 ? "" : " at line " + std::to_string(by.line);
  cause += ", in: ";
  cause += doing;
  // A line of a COPY comes from data that the application forwards, such as an upload.
  return kind == FailureKind::values && by.line != 0
             ? Failure::of_value(std::move(cause), std::move(by))
             : Failure(kind, std::move(cause), std::move(by));
}

Failure failure_of(const Refusal& refusal, std::string_view doing, std::span<const Value> values,
                   std::optional<std::int64_t> widened) {
  Failure failure = failure_of(refusal, doing);
  if (!is_of_values(refusal, widened.has_value()) || values.empty()) {
    return failure;
  }
  if (widened) {
    return Failure::of_value(
        failure.what(), failure.by(),
        RefusedValue{.text = std::to_string(*widened), .detail = "is out of range"});
  }
  constexpr std::string_view kTooLong = "22001";
  constexpr std::string_view kDividedByZero = "22012";  // not always because of a value
  std::optional<std::size_t> index = parameter_of(refusal.context);
  if (!index && refusal.code == kTooLong) {
    index = too_long_of(refusal.message, values);
  }
  if (!index && refusal.code != kDividedByZero) {
    index = index_stored_in(doing, values, failure.by().column);
  }
  return Failure::of_value(failure.what(), failure.by(), refused_at(values, index));
}

Failure failure_of_script(const Refusal& refusal, std::string_view script) {
  const Failure failure = failure_of(refusal, script);
  RefusedBy by = failure.by();
  by.line = line_of(refusal.position, script);
  by.line = by.line == 0 ? line_in_block(refusal, script) : by.line;
  return {failure.kind(), failure.what(), std::move(by)};
}

std::exception_ptr failure_of_loss(const std::string& why, std::string_view sql) {
  return failure(FailureKind::lost, "the connection to PostgreSQL was lost (" + why +
                                        "), so the outcome is unknown: " + std::string(sql));
}

std::exception_ptr failure_of_size(std::string_view sql) {
  return failure(
      FailureKind::row,
      "the result is larger than result_bytes_max: select fewer rows, in: " + std::string(sql));
}

std::exception_ptr failure_of_copy(std::string_view sql) {
  return failure(FailureKind::lost,
                 "COPY is not allowed in a script, so the outcome is unknown: " + std::string(sql));
}

std::string one_line(std::string_view message) {
  while (!message.empty() && message.back() == '\n') {
    message.remove_suffix(1);
  }
  std::string line(message);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

LoginError read_login_error(std::string_view message) {
  LoginError error;
  while (!message.empty()) {
    std::string line(take_until(message, "\n"));
    if (line.starts_with("LOCATION:")) {  // in the server's source
      continue;
    }
    error.is_rejected |= is_of_login(take_sqlstate(line));
    error.text += (error.text.empty() ? "" : " ") + line;
  }
  return error;
}

}  // namespace eider::db::postgres
