// Generates the C++ header with the structs of tables, and compares two such headers.
// Layering: must not read files or databases.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/db/structs/schema.h"
#include "eider/core/base/result.h"

namespace eider::structs {

/// By "table" or "table.column":
///
///     // eider: notes -> Note              the name of the struct
///     // eider: notes.email -> Email       the C++ type of a column
///     // eider: notes.secret -> skip       no member; of a table: no struct
///     // eider: notes + std::optional<std::vector<Comment>> comments = {};
struct Changes {
  std::map<std::string, std::string, std::less<>> names{};
  std::map<std::string, std::string, std::less<>> types{};
  std::set<std::string, std::less<>> skipped{};
  std::map<std::string, std::vector<std::string>, std::less<>> members{};
};

/// errors   "tables_user.h:7: there is no table audit", one line each
[[nodiscard]] Result<Changes, std::string> read_changes(std::string_view text,
                                                        std::string_view file,
                                                        const std::vector<Table>& tables);

/// The first contents of the file.
[[nodiscard]] std::string new_changes_file(std::string_view header);

/// origin     "the migrations in migrations (SQLite)"
/// command    generates the file again
/// name_space of the structs
/// user_file  name of the file with the user's changes, included by the header
struct HeaderOptions {
  db::Dialect dialect = db::Dialect::sqlite;
  std::string origin{};
  std::string command{};
  std::string name_space = "tables";
  std::string user_file{};
};

/// text   equal for equal tables, changes and options
/// notes  a line for each table or column that has no struct or member: "notes.a b: …"
struct GeneratedHeader {
  std::string text;
  std::vector<std::string> notes;
};
[[nodiscard]] GeneratedHeader generate_header(const std::vector<Table>& tables,
                                              const Changes& changes, const HeaderOptions& options);

/// Compares the columns of two headers, by their comments: "notes.stars: changed from … to …".
/// Empty if the columns are equal; other text may differ.
[[nodiscard]] std::vector<std::string> differences_of(std::string_view before,
                                                      std::string_view after);

/// "order_items" → "OrderItem".
[[nodiscard]] std::string struct_name_of(std::string_view table);

}  // namespace eider::structs
