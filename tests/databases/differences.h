// The differences between the databases that the tests in this folder allow. All else is the same.
// Must not contain a difference that an application need not know.
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

/// The types of columns.
struct ColumnTypes {
  const char *boolean, *tiny, *small, *integer, *positive, *bigint, *single, *real, *text, *bytes,
      *date, *time, *instant, *local, *uuid, *decimal, *json;
};

struct Differences {
  const char* name;
  ColumnTypes types;
  /// The numbers from 1, as `n` of a table.
  SqlAround numbers;
  /// More numbers than a test reads.
  std::int64_t numbers_max;
  /// A text of so many letters.
  SqlAround letters;
  /// A statement that gives no row for a minute.
  const char* waits;
  /// A column of a table with so many rows fails in row 5,000. Empty: MariaDB has read all rows
  /// when a stream begins.
  const char* fails_amid;
  /// Statements that would change the table `streamed`, and what these need.
  const char* changing_needs;
  std::vector<const char*> changing;
  /// How many statements and transactions the server is busy with. SQLite has no server.
  const char* busy;
  /// The server has a process for each connection, by the number of that.
  bool has_processes;
  /// The connection that a statement is on, all others, and how one is ended. SQLite has no server.
  const char* connection;
  const char* other_connections;
  const char* ends_connection;
  /// A table that counts its keys itself, from 1; and one that counts from 100, around its columns.
  const char* papers;
  SqlAround key_from_100;
  /// Texts in the order of their bytes.
  const char* by_bytes;
  /// Makes the server find deadlocks soon.
  const char* quickens_deadlocks;
  /// Whether the server can watch for changes of what was read, and how it is made to.
  const char *can_watch, *watches;
  /// Deadlocks come, and several transactions may write at once. SQLite has one that writes.
  bool has_deadlocks;
  /// A transaction of the default level sees what others have changed since it began.
  bool sees_changes;
  /// A level that loses no change and is not `serializable`.
  bool keeps_counts_if_repeatable;
  /// A transaction may be refused when it is committed. MariaDB locks what it has read.
  bool refuses_commits;
  /// Foreign keys have names and columns in the errors that they cause.
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
