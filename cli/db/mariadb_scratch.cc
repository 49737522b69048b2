#include <fmt/format.h>
#include <mysql.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <utility>

#include "cli/bench/on_loop.h"
#include "cli/db/connect.h"
#include "cli/db/nullability.h"
#include "cli/db/scratch.h"
#include "eider/data/db/mariadb/mariadb.h"
#include "eider/data/db/mariadb/session.h"
#include "eider/data/db/mariadb/statement_kinds.h"
#include "eider/data/db/mariadb/target.h"
#include "eider/data/db/migrations/migrate.h"
#include "eider/data/db/scratch/cleanup_process.h"
#include "eider/data/db/scratch/mariadb_cluster.h"

namespace eider {

using namespace detail::scratch;
namespace {

using db::mariadb::Host;
using db::mariadb::Target;
using db::mariadb::TlsMode;

struct EndMariadb {
  void operator()(MYSQL* connection) const noexcept { mysql_close(connection); }
  void operator()(MYSQL_STMT* statement) const noexcept { mysql_stmt_close(statement); }
  void operator()(MYSQL_RES* result) const noexcept { mysql_free_result(result); }
};
using MariadbConnection = std::unique_ptr<MYSQL, EndMariadb>;
using MariadbStatement = std::unique_ptr<MYSQL_STMT, EndMariadb>;
using MariadbResult = std::unique_ptr<MYSQL_RES, EndMariadb>;

constexpr unsigned kConnectSeconds = 5;
constexpr unsigned kBytesCharset = 63;
constexpr unsigned kNeverPrepared = 1295;  // the server runs the statement only as text

/// "MariaDB: Unknown column 'titel' in 'SELECT'"
std::string mariadb_complaint(const char* told) {
  return std::string("MariaDB: ") + told;
}

const char* or_none(const std::string& text) noexcept {
  return text.empty() ? nullptr : text.c_str();
}

Result<MariadbConnection, std::string> connect_to(const Target& target, const Host& host) {
  MariadbConnection made(mysql_init(nullptr));
  if (made == nullptr) {
    return fail(std::string("out of memory for a connection"));
  }
  MYSQL* const to = made.get();
  const unsigned no = 0;
  const my_bool yes = 1;
  const unsigned protocol = host.is_unix() ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP;
  mysql_options(to, MYSQL_OPT_PROTOCOL, &protocol);
  mysql_options(to, MYSQL_OPT_CONNECT_TIMEOUT, &kConnectSeconds);
  mysql_options(to, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  mysql_options(to, MYSQL_OPT_LOCAL_INFILE, &no);
  if (target.tls != TlsMode::off) {
    mysql_options(to, MYSQL_OPT_SSL_ENFORCE, &yes);
    mysql_ssl_set(to, or_none(target.tls_key), or_none(target.tls_certificate),
                  or_none(target.tls_ca), nullptr, nullptr);
  }
  if (target.tls == TlsMode::verify) {
    mysql_options(to, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
  }
  const std::string set_up = db::mariadb::set_up_sql({});
  if (mysql_real_connect(to, host.is_unix() ? nullptr : host.name.c_str(), target.user.c_str(),
                         target.password.c_str(), or_none(target.database), host.port,
                         host.is_unix() ? host.address.c_str() : nullptr, 0) == nullptr ||
      mysql_query(to, set_up.c_str()) != 0) {
    return fail(std::string(mysql_error(to)));
  }
  return made;
}

/// Connects to the first host that responds.
Result<MariadbConnection, std::string> connect_to(const std::string& where) {
  const auto target = db::mariadb::read_target(where);
  if (!target) {
    return fail(std::string(target.error()));
  }
  std::string faults;
  for (const Host& host : target->hosts) {
    auto made = connect_to(*target, host);
    if (made) {
      return made;
    }
    faults += (faults.empty() ? "" : "; ") + made.error();
  }
  return fail(std::move(faults));
}

/// Returns the address of the same server with another database.
std::string with_name(std::string_view server, std::string_view name) {
  const std::size_t question = std::min(server.find('?'), server.size());
  const std::size_t slash = std::min(server.find('/', server.find("://") + 3), question);
  return std::string(server.substr(0, slash))
      .append("/")
      .append(name)
      .append(server.substr(question));
}

/// A separate database on an existing server.
class DatabaseOfMariadb final : public TemporaryResource {
 public:
  explicit DatabaseOfMariadb(std::string server) : server_(std::move(server)) {
    std::random_device random;
    name_ = fmt::format("eider_check_{:08x}{:08x}", random(), random());
  }

  Result<std::string, std::string> make(const Parent& other) override {
    const auto connection = connect_to(server_);
    if (!connection) {
      return fail("cannot create a scratch database on the server of --server: " +
                  connection.error());
    }
    if (other.is_gone()) {
      return fail(std::string("the command was canceled"));
    }
    is_begun_ = true;
    if (mysql_query(connection->get(),
                    ("create database " + name_ + " character set utf8mb4").c_str()) != 0) {
      return fail("cannot create a scratch database on the server of --server: " +
                  mariadb_complaint(mysql_error(connection->get())));
    }
    return with_name(server_, name_);
  }
  Result<void, std::string> remove() override {
    if (!is_begun_) {
      return {};
    }
    const auto connection = connect_to(server_);
    if (!connection) {
      return fail(stays(connection.error()));
    }
    const std::string sql = "drop database if exists " + name_;
    return mysql_query(connection->get(), sql.c_str()) == 0
               ? Result<void, std::string>()
               : fail(stays(mariadb_complaint(mysql_error(connection->get()))));
  }

 private:
  [[nodiscard]] std::string stays(const std::string& why) const {
    return "the database " + name_ + " could not be dropped on the server of --server: " + why;
  }

  std::string server_;
  std::string name_;
  bool is_begun_ = false;
};

Result<CleanupProcess, std::string> keep_mariadb(const std::string& server) {
  if (!server.empty()) {
    DatabaseOfMariadb kept(with_plain_scheme(server));
    return CleanupProcess::start(kept);
  }
  auto programs = find_mariadb_programs();
  if (!programs) {
    return fail(std::move(programs.error()));
  }
  MariadbCluster kept(std::move(*programs));
  return CleanupProcess::start(kept);
}

/// Returns the kind as the driver reads it (db/mariadb/result_rows.h): decimals, dates, enums and
/// UUIDs are text.
std::string kind_of_field(const MYSQL_FIELD& field) {
  MARIADB_CONST_STRING format{};
  const bool has_format = mariadb_field_attr(&format, &field, MARIADB_FIELD_ATTR_FORMAT_NAME) == 0;
  if (has_format && std::string_view(format.str, format.length) == "json") {
    return "json";
  }
  switch (field.type) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_YEAR:
    case MYSQL_TYPE_BIT:
      return "integer";
    case MYSQL_TYPE_FLOAT:
    case MYSQL_TYPE_DOUBLE:
      return "real";
    case MYSQL_TYPE_NULL:
      return "unknown";
    case MYSQL_TYPE_STRING:
    case MYSQL_TYPE_VAR_STRING:
    case MYSQL_TYPE_VARCHAR:
    case MYSQL_TYPE_TINY_BLOB:
    case MYSQL_TYPE_MEDIUM_BLOB:
    case MYSQL_TYPE_LONG_BLOB:
    case MYSQL_TYPE_BLOB:
    case MYSQL_TYPE_GEOMETRY:
      return field.charsetnr == kBytesCharset ? "blob" : "text";
    default:
      return "text";
  }
}

/// Returns whether the server's NOT NULL is reliable. The server marks the columns of an outer join
/// as nullable. It does not do so for super-aggregate rows (rollup), and it only guesses for
/// columns without a table.
bool is_sure_of(const MYSQL_FIELD& field) noexcept {
  return (field.flags & NOT_NULL_FLAG) != 0 && field.org_table_length != 0;
}

class MariadbScratch final : public ScratchDatabase {
 public:
  MariadbScratch(CleanupProcess keeper, MariadbConnection connection, std::string where)
      : keeper_(std::move(keeper)), connection_(std::move(connection)), where_(std::move(where)) {}

  Result<LockedStatement, std::string> describe(const std::string& sql) override {
    const auto statement = prepared(sql);
    if (!statement) {
      return fail(statement.error());
    }
    LockedStatement locked{sql, {}, {}};
    std::size_t values = 0;
    for (const std::size_t value : db::mariadb::translate(sql).order) {
      values = std::max(values, value + 1);
    }
    locked.parameters.assign(values, "any");
    const std::string returned = select_of_returning(sql);
    if (returned.empty()) {
      add_columns(statement->get(), locked);
      return locked;
    }
    const auto select = prepared(returned);
    if (!select) {
      return fail(select.error());
    }
    add_columns(select->get(), locked);
    return locked;
  }
  std::string where() const override { return where_; }

 private:
  /// Prepares the statement. Null if the server runs it only as text: it returns no rows.
  Result<MariadbStatement, std::string> prepared(const std::string& sql) {
    const db::mariadb::Translated translated = db::mariadb::translate(sql);
    MariadbStatement statement(mysql_stmt_init(connection_.get()));
    if (statement == nullptr) {
      return fail(std::string("out of memory for a statement"));
    }
    if (mysql_stmt_prepare(statement.get(), translated.sql.data(), translated.sql.size()) == 0) {
      return statement;
    }
    return mysql_stmt_errno(statement.get()) == kNeverPrepared
               ? Result<MariadbStatement, std::string>(MariadbStatement())
               : fail(mariadb_complaint(mysql_stmt_error(statement.get())));
  }

  static void add_columns(MYSQL_STMT* statement, LockedStatement& locked) {
    const MariadbResult told(statement == nullptr ? nullptr
                                                  : mysql_stmt_result_metadata(statement));
    if (told == nullptr) {
      return;
    }
    const std::span<const MYSQL_FIELD> fields(mysql_fetch_fields(told.get()),
                                              mysql_num_fields(told.get()));
    const std::vector<bool> certain = items_that_are_never_null(locked.sql, fields.size());
    const bool are_doubtful = has_any_word(locked.sql, {"rollup"});
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const bool is_sure = certain[i] || (is_sure_of(fields[i]) && !are_doubtful);
      locked.columns.push_back({std::string(fields[i].name, fields[i].name_length),
                                kind_of_field(fields[i]),
                                {},
                                !is_sure});
    }
  }

  CleanupProcess keeper_;  // destroyed last
  MariadbConnection connection_;
  std::string where_;
};

Result<void, std::string> apply_to_mariadb(const std::string& where, const Migrations& migrations) {
  const auto database = connect_mariadb(where);
  if (!database) {
    return fail(database.error());
  }
  Result<std::size_t, std::string> done = 0;
  bench::run_on_loop(Backend::epoll,
                     [&]() -> Task<> { done = co_await migrate(*database, migrations); });
  return done ? Result<void, std::string>() : fail(std::move(done.error()));
}

/// Creates a database if the server is the temporary one, which has none yet.
Result<std::string, std::string> made_database(const std::string& where, bool is_of_server) {
  if (is_of_server) {
    return where;
  }
  const auto connection = connect_to(where);
  if (!connection) {
    return fail(connection.error());
  }
  return mysql_query(connection->get(), "create database eider_check") == 0
             ? Result<std::string, std::string>(with_name(where, "eider_check"))
             : fail(mariadb_complaint(mysql_error(connection->get())));
}

}  // namespace

Scratch make_mariadb_scratch(const Migrations& migrations, const std::string& server) {
  auto keeper = keep_mariadb(server);
  if (!keeper) {
    return fail(std::move(keeper.error()));
  }
  const auto where = made_database(keeper->where(), !server.empty());
  if (!where) {
    return fail(where.error());
  }
  if (auto applied = apply_to_mariadb(*where, migrations); !applied) {
    return fail(std::move(applied.error()));
  }
  auto connection = connect_to(*where);
  if (!connection) {
    return fail(std::move(connection.error()));
  }
  return std::make_unique<MariadbScratch>(std::move(*keeper), std::move(*connection), *where);
}

}  // namespace eider
