// The user's changes to generated structs: lines `// eider: …` in a file that is never overwritten.
// Layering: must not know a database.
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

}  // namespace eider::structs
