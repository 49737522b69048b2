// A session store in a table of a database.
#include <utility>

#include "eider/auth/session/session_store.h"
#include "eider/data/db/create_tables.h"

namespace eider {

namespace {

/// Maximum number of rows per statement, so that a large table is not locked for a long time.
constexpr std::int64_t kSweptAtOnce = 1000;

class SqlStore final : public SessionStore {
 public:
  explicit SqlStore(Database database) noexcept : database_(std::move(database)) {}

  [[nodiscard]] Task<> start() override {
    if (is_on_mariadb()) {
      co_await db::create_tables(
          database_,
          "create table if not exists eider_sessions ("
          "name varchar(64) primary key, owner text not null, began bigint not null, "
          "seen bigint not null, version bigint not null, data longtext not null, "
          "flashes longtext not null, authenticated bigint not null default 0, "
          "index eider_sessions_owner (owner(100)), index eider_sessions_seen (seen)) "
          "engine = InnoDB character set utf8mb4 collate utf8mb4_bin");
      co_return;
    }
    co_await db::create_tables(
        database_,
        "create table if not exists eider_sessions ("
        "name text primary key, owner text not null, began bigint not null, "
        "seen bigint not null, version bigint not null, data text not null, "
        "flashes text not null, authenticated bigint not null default 0);"
        "create index if not exists eider_sessions_owner on eider_sessions(owner);"
        "create index if not exists eider_sessions_seen on eider_sessions(seen);");
    co_await db::add_column_if_missing(database_, "eider_sessions", "authenticated",
                                       "bigint not null default 0");
  }

  [[nodiscard]] Task<std::unique_ptr<SessionRecord>> find(std::string name) override {
    auto found = co_await database_.one<SessionRecord>(
        "select owner as user, began, seen, version, data, flashes, authenticated from "
        "eider_sessions "
        "where name = $1",
        name);
    co_return found ? std::make_unique<SessionRecord>(std::move(*found)) : nullptr;
  }

  [[nodiscard]] Task<> insert(std::string name, SessionRecord record) override {
    co_await database_.exec(
        "insert into eider_sessions(name, owner, began, seen, version, data, flashes, "
        "authenticated) "
        "values($1, $2, $3, $4, $5, $6, $7, $8)",
        name, record.user, record.began, record.seen, record.version, record.data, record.flashes,
        record.authenticated);
  }

  [[nodiscard]] Task<bool> replace(std::string name, SessionRecord record) override {
    const auto changed = co_await database_.exec(
        "update eider_sessions set seen = $1, version = $2, data = $3, flashes = $4, authenticated "
        "= $5 "
        "where name = $6 and version = $7",
        record.seen, record.version, record.data, record.flashes, record.authenticated, name,
        record.version - 1);
    co_return changed.rows == 1;
  }

  [[nodiscard]] Task<bool> rename(std::string name, std::string new_name) override {
    const auto changed = co_await database_.exec(
        "update eider_sessions set name = $1 where name = $2", new_name, name);
    co_return changed.rows == 1;
  }

  [[nodiscard]] Task<> erase(std::string name) override {
    co_await database_.exec("delete from eider_sessions where name = $1", name);
  }

  [[nodiscard]] Task<std::size_t> erase_of(std::string user, std::string but_for) override {
    const db::RuntimeSql sql{"delete from eider_sessions where " + owned() + " and name <> $2"};
    const auto changed = co_await database_.exec(sql, user, but_for);
    co_return static_cast<std::size_t>(changed.rows);
  }

  [[nodiscard]] Task<std::vector<KnownSession>> list(std::string user) override {
    const db::RuntimeSql sql{"select name, began, seen from eider_sessions where " + owned() +
                             " order by began, name"};
    auto all = co_await database_.all<KnownSession>(sql, user);
    co_return all;
  }

  [[nodiscard]] Task<> sweep(std::int64_t seen_until) override {
    std::int64_t count = kSweptAtOnce;
    while (count == kSweptAtOnce) {
      // MariaDB accepts a limit only in a subquery of a subquery.
      const auto changed = co_await database_.exec(
          "delete from eider_sessions where name in (select name from "
          "(select name from eider_sessions where seen <= $1 limit $2) as old)",
          seen_until, kSweptAtOnce);
      count = static_cast<std::int64_t>(changed.rows);
    }
  }

 private:
  [[nodiscard]] bool is_on_mariadb() const noexcept {
    return database_.dialect() == db::Dialect::mariadb;
  }
  /// MariaDB compares texts without the blanks at their ends, also by the index.
  [[nodiscard]] std::string owned() const {
    return is_on_mariadb() ? "owner = $1 and cast(owner as binary) = $1" : "owner = $1";
  }

  const Database database_;
};

}  // namespace

std::shared_ptr<SessionStore> sql_sessions(Database database) {
  return std::make_shared<SqlStore>(std::move(database));
}

}  // namespace eider
