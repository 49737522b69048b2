// The differences between databases that the tests in this folder allow.
// Layering: must not contain differences that Eider hides from applications.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eider {

/// SQL around an expression.
struct SqlAround {
  const char* before;
  const char* after;
  [[nodiscard]] std::string operator()(const std::string& inside) const {
    return before + inside + after;
  }
  [[nodiscard]] std::string operator()(std::int64_t inside) const {
    return (*this)(std::to_string(inside));
  }
};

/// The column types.
struct ColumnTypes {
  const char *boolean, *tiny, *small, *integer, *positive, *bigint, *single, *real, *text, *bytes,
      *date, *time, *instant, *local, *uuid, *decimal, *json;
};

struct Differences {
  const char* name;
  ColumnTypes types;
  /// A table expression with the numbers from 1 in its column `n`; inside: the last number.
  SqlAround numbers;
  /// A count of numbers that no test reads to the end.
  std::int64_t numbers_max;
  /// An expression for a text; inside: its number of letters.
  SqlAround letters;
  /// A statement that returns no row for a minute.
  const char* waits;
  /// An expression of `n` that fails for n = 5,000. Empty for MariaDB, which has read all rows
  /// when a stream begins.
  const char* fails_amid;
  /// Statements that would make changes if a stream executed them, and a script that they need.
  const char* changing_needs;
  std::vector<const char*> changing;
  /// A query for the number of running statements and transactions in the server. SQLite has no
  /// server.
  const char* busy;
  /// The server has a process for each connection, with the connection's number as its ID.
  bool has_processes;
  /// Queries for the number of the current connection and of all others, and the start of a
  /// statement that ends one. SQLite has no server.
  const char* connection;
  const char* other_connections;
  const char* ends_connection;
  /// A statement that creates a table whose generated keys start at 1, and the definition of a
  /// table whose keys start at 100 (inside: its other columns).
  const char* papers;
  SqlAround key_from_100;
  /// A collation that sorts texts by their bytes.
  const char* by_bytes;
  /// A statement that makes the server detect deadlocks quickly.
  const char* quickens_deadlocks;
  /// A query for whether the server can check for changes of rows that a transaction has read, and
  /// the start of a statement that switches this check on (1) or off (0).
  const char *can_watch, *watches;
  /// Deadlocks occur, because several transactions can write at once. SQLite allows one writer.
  bool has_deadlocks;
  /// A transaction of the default isolation level sees changes that others have committed since it
  /// began.
  bool sees_changes;
  /// `Isolation::repeatable_read` prevents lost updates.
  bool keeps_counts_if_repeatable;
  /// The commit of a serializable transaction can fail. MariaDB locks rows that it reads instead.
  bool refuses_commits;
  /// Errors of foreign keys contain the names of the key and its columns.
  bool names_foreign_keys;
};

inline const Differences kSqliteDiffers{
    .name = "sqlite",
    .types = {.boolean = "integer",
              .tiny = "integer",
              .small = "integer",
              .integer = "integer",
              .positive = "integer",
              .bigint = "integer",
              .single = "real",
              .real = "real",
              .text = "text",
              .bytes = "blob",
              .date = "text",
              .time = "text",
              .instant = "text",
              .local = "text",
              .uuid = "text",
              .decimal = "text",
              .json = "text"},
    .numbers = {"(with recursive c(n) as (select 1 union all select n + 1 from c where n < ",
                ") select n from c) as numbers"},
    .numbers_max = 1'000'000'000'000,
    .letters = {"printf('%.*c', ", ", 'x')"},
    .waits =
        "with recursive c(n) as (select 1 union all select n + 1 from c) select n from c "
        "where n < 0",
    .fails_amid = "case when n = 5000 then abs(-9223372036854775807 - 1) else n end",
    .changing_needs = "",
    .changing = {"insert into streamed values(1, 'a') returning n, words"},
    .busy = "select 0",
    .has_processes = false,
    .connection = "",
    .other_connections = "",
    .ends_connection = "",
    .papers =
        "create table papers(id integer primary key, title text not null unique, stars "
        "integer, mood text not null default 'calm', version integer not null default 0, "
        "gone text)",
    .key_from_100 = {"id integer primary key, ", ")"},
    .by_bytes = "",
    .quickens_deadlocks = "",
    .can_watch = "select 0",
    .watches = "",
    .has_deadlocks = false,
    .sees_changes = false,
    .keeps_counts_if_repeatable = true,
    .refuses_commits = false,
    .names_foreign_keys = false};

inline const Differences kPostgresDiffers{
    .name = "postgres",
    .types = {.boolean = "boolean",
              .tiny = "smallint",
              .small = "smallint",
              .integer = "integer",
              .positive = "bigint",
              .bigint = "bigint",
              .single = "real",
              .real = "double precision",
              .text = "text",
              .bytes = "bytea",
              .date = "date",
              .time = "time",
              .instant = "timestamptz",
              .local = "timestamp",
              .uuid = "uuid",
              .decimal = "numeric(12, 2)",
              .json = "jsonb"},
    .numbers = {"(select generate_series(1::bigint, ", ") as n) as numbers"},
    .numbers_max = 1'000'000'000,
    .letters = {"repeat('x', ", ")"},
    .waits = "select 1::bigint as n where pg_sleep(60) is null",
    .fails_amid = "n + 1 / (5000 - n)",
    .changing_needs = "drop sequence if exists streamed_numbers; create sequence streamed_numbers",
    .changing = {"insert into streamed values(1, 'a') returning n, words",
                 "select nextval('streamed_numbers') as n, 'a' as words"},
    .busy =
        "select count(*) from pg_stat_activity where pid <> pg_backend_pid() and backend_type "
        "= 'client backend' and state <> 'idle'",
    .has_processes = true,
    .connection = "select pg_backend_pid()",
    .other_connections =
        "select pid from pg_stat_activity where pid <> pg_backend_pid() and "
        "backend_type = 'client backend'",
    .ends_connection = "select pg_terminate_backend",
    .papers =
        "create table papers(id bigint generated by default as identity primary key, title "
        "text collate \"C\" not null, stars int, mood text not null default 'calm', version "
        "int not null default 0, gone timestamptz, constraint papers_title_key "
        "unique(title))",
    .key_from_100 = {"id bigint generated by default as identity (start with 100) primary key, ",
                     ")"},
    .by_bytes = "collate \"C\"",
    .quickens_deadlocks = "alter role tester set deadlock_timeout = '50ms'",
    .can_watch = "select 0",
    .watches = "",
    .has_deadlocks = true,
    .sees_changes = true,
    .keeps_counts_if_repeatable = true,
    .refuses_commits = true,
    .names_foreign_keys = true};

inline const Differences kMariadbDiffers{
    .name = "mariadb",
    .types = {.boolean = "boolean",
              .tiny = "tinyint",
              .small = "smallint",
              .integer = "int",
              .positive = "int unsigned",
              .bigint = "bigint",
              .single = "float",
              .real = "double",
              .text = "varchar(100) character set utf8mb4",
              .bytes = "varbinary(100)",
              .date = "date",
              .time = "time(6)",
              .instant = "timestamp(6)",
              .local = "datetime(6)",
              .uuid = "char(36)",
              .decimal = "decimal(12, 2)",
              .json = "json"},
    .numbers = {"(select seq as n from seq_1_to_", ") as numbers"},
    .numbers_max = 100'000,
    .letters = {"repeat('x', ", ")"},
    .waits = "select sleep(60) as n",
    .fails_amid = "",
    .changing_needs =
        "drop function if exists put; create function put() returns int modifies sql "
        "data begin insert into streamed values(1, 'a'); return 1; end",
    .changing = {"insert into streamed values(1, 'a') returning n, words",
                 "select put() as n, 'a' as words", "call put()", "select 1, 'a' into @n, @words"},
    .busy =
        "select (select count(*) from information_schema.processlist where user = 'tester' and "
        "command <> 'Sleep' and id <> connection_id()) + "
        "(select count(*) from information_schema.innodb_trx)",
    .has_processes = false,
    .connection = "select connection_id()",
    .other_connections =
        "select id from information_schema.processlist where id <> "
        "connection_id() and user = 'tester'",
    .ends_connection = "kill ",
    .papers =
        "create table papers(id bigint auto_increment primary key, title varchar(200) collate "
        "utf8mb4_bin not null, stars int, mood enum('calm', 'wild') not null default 'calm', "
        "version int not null default 0, gone timestamp(6) null, constraint "
        "papers_title_key unique(title))",
    .key_from_100 = {"id bigint auto_increment primary key, ", ") auto_increment 100"},
    .by_bytes = "collate utf8mb4_bin",
    .quickens_deadlocks = "do 0",
    .can_watch =
        "select count(*) from information_schema.system_variables where variable_name = "
        "'innodb_snapshot_isolation'",
    .watches = "set global innodb_snapshot_isolation = ",
    .has_deadlocks = true,
    .sees_changes = false,
    .keeps_counts_if_repeatable = false,
    .refuses_commits = false,
    .names_foreign_keys = true};

}  // namespace eider
