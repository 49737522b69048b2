// The output of `eider db check` for a statement that reads all kinds of columns, for PostgreSQL,
// MariaDB and SQLite.
// Layering: must not be included except by eider/data/db/checked_sql.h.
#pragma once

namespace eider::db::checked {

inline constexpr Statement kStatements[] = {
    {hash_of(
         "select id, starts, price, code, day, at, local, lasts, name, body, stars from things"),
     0, 11},
    {hash_of(
         "select id, starts, price, code, day, at, local, lasts, name, body, stars from things"),
     11, 11},
    {hash_of("select id, starts from things"), 0, 2},
    {hash_of("select starts from things"), 1, 1},
    {hash_of("select id, starts from things\nwhere id = $1"), 0, 2}};

inline constexpr Column kColumns[] = {{"id", ColumnKind::integer, false},
                                      {"starts", ColumnKind::text, false},
                                      {"price", ColumnKind::text, false},
                                      {"code", ColumnKind::text, false},
                                      {"day", ColumnKind::text, false},
                                      {"at", ColumnKind::text, false},
                                      {"local", ColumnKind::text, false},
                                      {"lasts", ColumnKind::other, false},
                                      {"name", ColumnKind::text, false},
                                      {"body", ColumnKind::blob, false},
                                      {"stars", ColumnKind::real, false},
                                      // SQLite, where expressions have no type.
                                      {"id", ColumnKind::integer, false},
                                      {"starts", ColumnKind::text, false},
                                      {"price", ColumnKind::unknown, false},
                                      {"code", ColumnKind::unknown, false},
                                      {"day", ColumnKind::text, false},
                                      {"at", ColumnKind::text, false},
                                      {"local", ColumnKind::unknown, false},
                                      {"lasts", ColumnKind::text, false},
                                      {"name", ColumnKind::text, false},
                                      {"body", ColumnKind::blob, false},
                                      {"stars", ColumnKind::integer, false}};

inline constexpr TableColumn kTableColumns[] = {
    {"sqlite", "things", "id", "int", false, "select id, starts from things"}};

}  // namespace eider::db::checked
