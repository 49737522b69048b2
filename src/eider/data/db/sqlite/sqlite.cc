#include "eider/data/db/sqlite/sqlite.h"

#include <vector>

#include "eider/core/base/describes_only.h"
#include "eider/data/db/loop_pool.h"
#include "eider/data/db/sqlite/sqlite_connection.h"
#include "eider/data/db/threaded_pool.h"

namespace eider {

using db::SqliteConnection;

Database open_sqlite(std::string_view path, const SqliteOptions& options) {
  constexpr std::string_view kScheme = "sqlite:";
  const std::string file(path.starts_with(kScheme) ? path.substr(kScheme.size()) : path);
  // Each connection to an in-memory database would have its own database.
  const bool is_in_memory =
      file.empty() || file == db::kInMemory || ::eider::detail::base::DescribesOnly::is_on();
  std::unique_ptr<db::Connection> writer = std::make_unique<SqliteConnection>(
      is_in_memory ? db::kInMemory : file, SqliteConnection::Role::writes, options);
  if (options.sandbox) {
    writer = std::make_unique<db::RolledBackConnection>(std::move(writer));
  }
  if (options.runs_on == SqliteOptions::RunsOn::loop) {
    return Database(std::make_shared<db::LoopPool>(std::move(writer)));
  }
  const bool is_alone = is_in_memory || options.sandbox;
  const auto open_to_read = [&](unsigned count) {
    db::ThreadedPool::Connections connections;
    for (unsigned i = 0; i < count && !is_alone; ++i) {
      connections.push_back(
          std::make_unique<SqliteConnection>(file, SqliteConnection::Role::reads, options));
    }
    return connections;
  };
  return Database(std::make_shared<db::ThreadedPool>(
      std::move(writer), open_to_read(options.readers), options.limits,
      open_to_read(options.streams_max), is_in_memory ? ":memory:" : file));
}

Result<Database, std::string> try_open_sqlite(std::string_view path, const SqliteOptions& options) {
  try {
    return open_sqlite(path, options);
  } catch (const db::Failure& failure) {
    return fail(std::string(failure.what()));
  }
}

}  // namespace eider
