#include "eider/data/db/mariadb/mariadb_error.h"

#include <algorithm>
#include <array>

#include "eider/core/base/text.h"
#include "eider/data/db/bound_value.h"

namespace eider::db::mariadb {
namespace {

struct Meaning {
  unsigned number;
  FailureKind kind;
};

// Error numbers are more specific than SQLSTATE codes: 23000 is a duplicate key or a NULL.
constexpr std::array kMeanings = {
    Meaning{1020, FailureKind::serialization},  // a record has changed since it was read
    Meaning{1021, FailureKind::storage},        // disk full
    Meaning{1022, FailureKind::unique},
    Meaning{1028, FailureKind::expired},    // an interrupted sort
    Meaning{1040, FailureKind::busy},       // too many connections
    Meaning{1041, FailureKind::busy},       // out of memory
    Meaning{1047, FailureKind::statement},  // not supported by this server, which continues
    Meaning{1048, FailureKind::not_null},
    Meaning{1053, FailureKind::lost},  // the server shuts down
    Meaning{1062, FailureKind::unique},
    Meaning{1114, FailureKind::storage},  // the table is full
    Meaning{1139, FailureKind::values},   // an invalid regular expression
    Meaning{1153, FailureKind::values},   // larger than max_allowed_packet
    Meaning{1169, FailureKind::unique},
    Meaning{1203, FailureKind::busy},    // the user has too many connections
    Meaning{1205, FailureKind::busy},    // timeout of a lock
    Meaning{1206, FailureKind::busy},    // out of memory for locks
    Meaning{1210, FailureKind::values},  // such as for `escape`
    Meaning{1213, FailureKind::deadlock},
    Meaning{1216, FailureKind::foreign_key},
    Meaning{1217, FailureKind::foreign_key},
    Meaning{1226, FailureKind::busy},  // a user's quota
    Meaning{1263, FailureKind::not_null},
    Meaning{1264, FailureKind::values},  // out of range
    Meaning{1265, FailureKind::values},
    Meaning{1290, FailureKind::storage},  // read-only
    Meaning{1292, FailureKind::values},
    Meaning{1317, FailureKind::expired},  // killed
    Meaning{1364, FailureKind::not_null},
    Meaning{1365, FailureKind::values},  // divided by zero
    Meaning{1366, FailureKind::values},
    Meaning{1369, FailureKind::check},   // of a view
    Meaning{1406, FailureKind::values},  // too long
    Meaning{1411, FailureKind::values},
    Meaning{1451, FailureKind::foreign_key},
    Meaning{1452, FailureKind::foreign_key},
    Meaning{1461, FailureKind::busy},   // too many prepared statements
    Meaning{1526, FailureKind::check},  // no partition for the value
    Meaning{1557, FailureKind::foreign_key},
    Meaning{1586, FailureKind::unique},
    Meaning{1690, FailureKind::values},  // out of range
    Meaning{1748, FailureKind::check},   // not in the partition
    Meaning{1761, FailureKind::foreign_key},
    Meaning{1762, FailureKind::foreign_key},
    Meaning{1792, FailureKind::storage},  // a read-only transaction
    Meaning{1836, FailureKind::storage},
    Meaning{1927, FailureKind::lost},     // the connection was killed
    Meaning{1969, FailureKind::expired},  // max_statement_time
    Meaning{2057, FailureKind::row},
    Meaning{3024, FailureKind::expired},      // max_execution_time
    Meaning{3140, FailureKind::values},       // invalid JSON
    Meaning{3572, FailureKind::busy},         // nowait
    Meaning{3730, FailureKind::foreign_key},  // other tables refer to the table
    Meaning{3819, FailureKind::check},
    Meaning{4024, FailureKind::values},  // of ntile
    Meaning{4025, FailureKind::check},
    Meaning{4031, FailureKind::lost},    // idle for too long
    Meaning{4035, FailureKind::values},  // JSON: 4035 to 4042 are for the text or the path
    Meaning{4036, FailureKind::values},
    Meaning{4037, FailureKind::values},
    Meaning{4038, FailureKind::values},
    Meaning{4039, FailureKind::values},
    Meaning{4040, FailureKind::values},
    Meaning{4041, FailureKind::values},
    Meaning{4042, FailureKind::values},
    Meaning{4079, FailureKind::check},
};

constexpr unsigned kSyntaxError = 1064;

/// A full-text search in boolean mode cannot read its text: unlike that of a statement, the message
/// is never translated.
bool is_of_search(const ServerError& error) noexcept {
  return error.number == kSyntaxError && error.message.starts_with("syntax error, ");
}

/// Returns the first name in quotes, or an empty text. The type of quotes depends on the sql_mode
/// and on the message.
std::string_view first_name(std::string_view text) noexcept {
  const std::size_t begin = text.find_first_of("`\"'");
  const std::size_t end =
      begin == std::string_view::npos ? begin : text.find(text[begin], begin + 1);
  return end == std::string_view::npos ? std::string_view()
                                       : text.substr(begin + 1, end - begin - 1);
}

/// Returns the first name after the last `ahead`.
std::string_view name_behind(std::string_view text, std::string_view ahead) noexcept {
  const std::size_t at = text.rfind(ahead);
  return at == std::string_view::npos ? std::string_view() : first_name(text.substr(at));
}

/// Reads "Duplicate entry '…' for key 'email'", in MySQL 'users.email'. The value may contain such
/// text, but the key is at the end.
void read_duplicate(std::string_view message, RefusedBy& by) {
  if (!message.ends_with('\'')) {
    return;
  }
  message.remove_suffix(1);
  const std::size_t begin = message.rfind('\'');
  const std::string_view key =
      begin == std::string_view::npos ? std::string_view() : message.substr(begin + 1);
  const std::size_t dot = key.find('.');
  by.constraint = dot == std::string_view::npos ? key : key.substr(dot + 1);
  by.table = dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

/// Reads "… (`shop`.`items`, CONSTRAINT `items_of` FOREIGN KEY (`order_id`) REFERENCES …", which
/// contains no value.
void read_foreign_key(std::string_view message, RefusedBy& by) {
  const std::size_t column = message.find("FOREIGN KEY (");
  by.table = name_behind(message.substr(0, message.find(", CONSTRAINT ")), ".");
  by.constraint = name_behind(message.substr(0, column), "CONSTRAINT ");
  if (column != std::string_view::npos) {
    const std::string_view columns = message.substr(column, message.find(')', column) - column);
    by.column = columns.contains(',') ? std::string_view() : name_behind(columns, "(");
  }
}

/// The value before it may contain any text, so this searches from the end.
void read_column(std::string_view message, RefusedBy& by) {
  const std::size_t at = message.rfind(" for column ");
  if (at == std::string_view::npos) {
    return;
  }
  message = message.substr(at, message.rfind(" at row ") - at);
  const std::size_t dot = message.rfind('.');
  by.column = first_name(dot == std::string_view::npos ? message : message.substr(dot));
}

RefusedBy refused_by(const ServerError& error) {
  RefusedBy by;
  const std::string_view message = error.message;
  switch (error.number) {
    case 1062:
    case 1586:
      read_duplicate(message, by);
      break;
    case 1451:
    case 1452:
      read_foreign_key(message, by);
      break;
    case 1048:
    case 1263:
    case 1364:
      by.column = first_name(message);
      break;
    case 1264:  // "Out of range value for column 'year' at row 1"
    case 1265:  // "Data truncated for column …"
    case 1406:  // "Data too long for column …"
      by.column = name_behind(message, " column ");
      break;
    case 1292:  // "Incorrect datetime value: '…' for column …"
    case 1366:  // "Incorrect string value: '…' for column `shop`.`books`.`title` at row 1"
      read_column(message, by);
      break;
    case 4025:  // "CONSTRAINT `items.count` failed for `shop`.`items`"
      by.constraint = name_behind(message.substr(0, message.find(" failed for ")), "CONSTRAINT ");
      by.table = name_behind(message, ".");
      break;
    case 3819:
      by.constraint = name_behind(message, "constraint ");
      break;
    case 1064:  // "… near 'selct 1' at line 3", in any language
      by.line = parse_int64(message.substr(message.find_last_of(' ') + 1)).value_or(0);
      break;
    default:
      break;
  }
  return by;
}

/// Errors whose messages quote only names of the schema, no values: they are logged completely.
constexpr std::array kAboutNames = {
    1005U,                       // Can't create table
    1007U, 1008U,                // a database exists, or does not
    1048U,                       // a column cannot be null
    1050U, 1051U,                // a table exists, or does not
    1052U, 1054U,                // an ambiguous or unknown column
    1060U, 1061U,                // a duplicate name of a column or key
    1067U,                       // an invalid default value; quotes the column
    1072U, 1091U,                // no such column or key
    1109U, 1146U,                // no such table
    1170U, 1171U,                // a column that cannot be in a key
    1193U,                       // no such system variable
    1304U, 1305U,                // a procedure or function exists, or does not
    1364U,                       // a column without a default value
    1553U,                       // an index that a foreign key needs
    1822U, 1824U, 1825U, 1826U,  // the definition of a foreign key
    1832U, 1833U, 1834U,         // a column or table that a foreign key needs
};

/// The server repeats up to 80 characters of the statement, from the error on. They may contain a
/// password, so only the first word remains, as PostgreSQL does.
std::string with_first_word(std::string_view message) {
  constexpr std::string_view kNear = " near '";
  const std::size_t near = std::min(message.find(kNear), message.size());
  std::string_view rest = message.substr(near);
  rest.remove_prefix(std::min(kNear.size(), rest.size()));
  const auto is_of_word = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  const std::string_view word(rest.begin(), std::ranges::find_if_not(rest, is_of_word));
  std::string text(message.substr(0, near));
  return word.empty() ? text : text.append(kNear).append(word).append("'");
}

/// Returns the message up to the first quote that may contain a value. Other languages use other
/// quotes, but not in ASCII.
std::string without_values(const ServerError& error, const RefusedBy& by, std::string_view doing) {
  if (std::ranges::find(kAboutNames, error.number) != kAboutNames.end()) {
    return error.message;
  }
  if (error.number == kSyntaxError) {
    return with_first_word(error.message);
  }
  const FailureKind kind = kind_of(error);
  std::string_view message = error.message;
  const auto is_quote = [](char c) {
    return c == '\'' || c == '`' || c == '"' || static_cast<unsigned char>(c) >= 0x80;
  };
  const bool may_quote_values = kind == FailureKind::values || kind == FailureKind::unique ||
                                error.sqlstate == "45000" || error.number == 1105;
  const auto* at = std::ranges::find_if(message, is_quote);
  while (at != message.end() && static_cast<unsigned char>(*at) < 0x80) {
    const auto* end = std::find(at + 1, message.end(), *at);
    const std::string_view quoted(at + 1, end == message.end() ? at + 1 : end);
    const bool is_known = quoted == by.constraint || quoted == by.table || quoted == by.column ||
                          (!may_quote_values && doing.contains(quoted));
    if (end == message.end() || !is_known) {
      break;
    }
    at = std::find_if(end + 1, message.end(), is_quote);
  }
  std::string kept(message.begin(), at);
  const std::size_t end = kept.find_last_not_of(" :(");
  kept.erase(end == std::string::npos ? 0 : end + 1);
  return kept;
}

}  // namespace

bool ServerError::ends_connection() const noexcept {
  return kind_of(*this) == FailureKind::lost || number == 1153;
}

FailureKind kind_of(const ServerError& error) noexcept {
  if (error.is_of_client()) {
    return FailureKind::lost;
  }
  const auto* found = std::ranges::find(kMeanings, error.number, &Meaning::number);
  if (found != kMeanings.end()) {
    return found->kind;
  }
  // 1267, 1270: the character set of a column does not contain all characters of a bound text;
  // 1271 is the same for more than three operands, which it does not describe.
  if (error.sqlstate.starts_with("22") || is_of_search(error) || error.number == 1271 ||
      ((error.number == 1267 || error.number == 1270) && error.message.contains("COERCIBLE"))) {
    return FailureKind::values;
  }
  if (error.sqlstate.starts_with("08")) {
    return FailureKind::lost;
  }
  return error.sqlstate == "40001" ? FailureKind::deadlock : FailureKind::statement;
}

Failure failure_of(const ServerError& error, std::string_view doing) {
  RefusedBy by = refused_by(error);
  std::string cause = "MariaDB: " + without_values(error, by, doing);
  if (!by.constraint.empty()) {
    cause += " [" + by.constraint + "]";
  }
  cause += " (" + std::to_string(error.number) + ", " + error.sqlstate + "), in: ";
  cause += doing;
  return {kind_of(error), std::move(cause), std::move(by)};
}

Failure failure_of_bound(const ServerError& error, std::string_view doing,
                         std::span<const Value> values) {
  Failure failure = failure_of(error, doing);
  if (failure.kind() != FailureKind::values) {
    return failure;
  }
  constexpr unsigned kDividedByZero = 1365;  // not always because of a value
  const auto index = error.number == kDividedByZero
                         ? std::nullopt
                         : index_stored_in(doing, values, failure.by().column);
  return Failure::of_value(failure.what(), failure.by(), refused_at(values, index));
}

}  // namespace eider::db::mariadb
