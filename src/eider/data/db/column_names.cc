#include "eider/data/db/column_names.h"

#include <algorithm>
#include <array>

#include "eider/core/base/text.h"

namespace eider::db::detail {
namespace {

/// Keywords of C++ that are not reserved in SQL or are quoted there anyway, in their order.
constexpr auto kCppWords = std::to_array<std::string_view>(
    {"alignas",  "alignof",   "and",      "and_eq",       "asm",       "auto",      "bitand",
     "bitor",    "bool",      "break",    "case",         "catch",     "char",      "class",
     "compl",    "concept",   "const",    "const_cast",   "consteval", "constexpr", "constinit",
     "continue", "decltype",  "default",  "delete",       "do",        "double",    "dynamic_cast",
     "else",     "enum",      "explicit", "export",       "extern",    "false",     "float",
     "for",      "friend",    "goto",     "if",           "inline",    "int",       "long",
     "mutable",  "namespace", "new",      "noexcept",     "not",       "not_eq",    "nullptr",
     "operator", "or",        "or_eq",    "private",      "protected", "public",    "register",
     "requires", "return",    "short",    "signed",       "sizeof",    "static",    "struct",
     "switch",   "template",  "this",     "thread_local", "throw",     "true",      "try",
     "typedef",  "typeid",    "typename", "union",        "unsigned",  "using",     "virtual",
     "void",     "volatile",  "while",    "xor",          "xor_eq"});

/// Words that at least one of the databases does not accept as a name of a column or table, or that
/// mean something else there, such as `user` in PostgreSQL; in their order.
constexpr auto kSqlWords = std::to_array<std::string_view>(
    {"accessible", "add",          "all",          "alter",        "analyse",      "analyze",
     "and",        "any",          "array",        "as",           "asc",          "asymmetric",
     "before",     "between",      "both",         "by",           "call",         "cascade",
     "case",       "cast",         "change",       "check",        "collate",      "column",
     "commit",     "condition",    "constraint",   "continue",     "convert",      "create",
     "cross",      "cube",         "current_date", "current_role", "current_time", "current_user",
     "cursor",     "database",     "databases",    "default",      "deferrable",   "delayed",
     "delete",     "desc",         "describe",     "distinct",     "div",          "do",
     "double",     "drop",         "dual",         "each",         "else",         "elseif",
     "end",        "escape",       "except",       "exists",       "exit",         "explain",
     "false",      "fetch",        "float",        "for",          "force",        "foreign",
     "freeze",     "from",         "full",         "fulltext",     "function",     "general",
     "glob",       "grant",        "group",        "groups",       "having",       "if",
     "ignore",     "ilike",        "in",           "index",        "infile",       "initially",
     "inner",      "inout",        "insert",       "int",          "intersect",    "interval",
     "into",       "is",           "isnull",       "iterate",      "join",         "key",
     "keys",       "kill",         "lateral",      "leading",      "leave",        "left",
     "like",       "limit",        "linear",       "lines",        "load",         "localtime",
     "lock",       "long",         "loop",         "match",        "mod",          "natural",
     "not",        "notnull",      "null",         "numeric",      "of",           "offset",
     "on",         "only",         "optimize",     "option",       "or",           "order",
     "out",        "outer",        "over",         "overlaps",     "partition",    "placing",
     "precision",  "primary",      "procedure",    "purge",        "range",        "rank",
     "read",       "reads",        "real",         "recursive",    "references",   "regexp",
     "release",    "rename",       "repeat",       "replace",      "require",      "restrict",
     "return",     "returning",    "revoke",       "right",        "rlike",        "row",
     "row_number", "rows",         "schema",       "schemas",      "select",       "sensitive",
     "separator",  "session_user", "set",          "show",         "signal",       "similar",
     "some",       "spatial",      "specific",     "sql",          "ssl",          "starting",
     "symmetric",  "system",       "table",        "tablesample",  "terminated",   "then",
     "to",         "trailing",     "transaction",  "trigger",      "true",         "undo",
     "union",      "unique",       "unlock",       "unsigned",     "update",       "usage",
     "use",        "user",         "using",        "utc_date",     "utc_time",     "values",
     "variadic",   "varying",      "verbose",      "when",         "where",        "while",
     "window",     "with",         "write",        "xor",          "zerofill"});

static_assert(std::ranges::is_sorted(kCppWords) && std::ranges::is_sorted(kSqlWords));

/// Words are reserved in any case: Order is, too.
std::string quoted(std::string_view name) {
  std::string text(name);
  return std::ranges::binary_search(kSqlWords, in_lower_case(name)) ? '"' + text + '"' : text;
}

}  // namespace

/// class_ is the column class: a member cannot have that name.
std::string_view column_name(std::string_view member) noexcept {
  const std::string_view name = member.substr(0, member.size() - (member.ends_with('_') ? 1 : 0));
  return name.size() != member.size() && std::ranges::binary_search(kCppWords, name) ? name
                                                                                     : member;
}

std::string column_sql(std::string_view member) {
  return quoted(column_name(member));
}

std::string result_sql(std::string_view member) {
  const std::string_view name = column_name(member);
  return name.size() == member.size() ? quoted(name) : quoted(name).append(" as ").append(member);
}

std::string table_sql(std::string_view table) {
  const std::size_t dot = table.find('.');
  return dot == table.npos ? quoted(table)
                           : quoted(table.substr(0, dot)) + "." + quoted(table.substr(dot + 1));
}

std::string identifier_sql(std::string_view name) {
  std::string text = "\"";
  for (const char byte : name) {
    text.append(byte == '"' ? 2 : 1, byte);
  }
  return text + "\"";
}

}  // namespace eider::db::detail
