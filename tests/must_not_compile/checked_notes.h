// The output of `eider db check` for some statements, for the cases in this folder.
// Layering: must not be included except by eider/data/db/checked_sql.h.
#pragma once

namespace eider::db::checked {

inline constexpr Statement kStatements[] = {{hash_of("select title, stars from notes"), 0, 2},
                                            {hash_of("delete from notes"), 2, 0},
                                            {hash_of("select tags, span from notes"), 2, 2},
                                            {hash_of("select max(stars) from notes"), 4, 1},
                                            {hash_of("select max(stars) from notes"), 5, 1}};

inline constexpr Column kColumns[] = {
    {"title", ColumnKind::text, false}, {"stars", ColumnKind::integer, true},
    {"tags", ColumnKind::array, false}, {"span", ColumnKind::other, false},
    {"max", ColumnKind::integer, false}, {"max(stars)", ColumnKind::unknown, true}};

inline constexpr TableColumn kTableColumns[] = {
    {"sqlite", "notes", "stars", "int", true, "select title, stars from notes"}};

}  // namespace eider::db::checked
