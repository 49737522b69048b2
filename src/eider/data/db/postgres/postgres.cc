#include "eider/data/db/postgres/postgres.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

#include "eider/data/db/postgres/postgres_pool.h"

namespace eider {
namespace {

/// Returns the invalid option, or null.
const char* fault_of(const PostgresOptions& options) noexcept {
  if (options.connections_max == 0) {
    return "PostgreSQL needs connections_max of at least 1";
  }
  // The server uses 31 bits for milliseconds, and 0 means no limit.
  const Duration time = options.limits.statement_time_max;
  if (time < std::chrono::milliseconds(1) ||
      time > std::chrono::milliseconds(std::numeric_limits<std::int32_t>::max())) {
    return "statement_time_max of PostgreSQL must be between 1 ms and 24 days";
  }
  return nullptr;
}

void warn(const db::postgres::Target& target, const PostgresOptions& options) {
  if (target.warning.empty()) {
    return;
  }
  if (options.on_warning) {
    options.on_warning(target.warning);
  } else {
    std::fprintf(stderr, "%s\n", target.warning.c_str());
  }
}

}  // namespace

Result<Database, std::string> try_open_postgres(std::string_view where,
                                                const PostgresOptions& options) {
  if (const char* fault = fault_of(options)) {
    return fail(std::string(fault));
  }
  auto target = db::postgres::read_target(where, options);
  if (!target) {
    return fail(std::move(target.error()));
  }
  warn(*target, options);
  db::postgres::LoopReplicas::All replicas;
  for (const std::string& one : options.replicas) {
    auto found = db::postgres::read_target(one, options);
    if (!found) {
      return fail("replica: " + found.error());
    }
    warn(*found, options);
    found->read_only();
    replicas.push_back(std::make_shared<const db::postgres::Settings>(
        db::postgres::Settings{std::move(*found), options, true}));
  }
  return Database(std::make_shared<db::postgres::PostgresPool>(
      std::make_shared<const db::postgres::Settings>(
          db::postgres::Settings{std::move(*target), options}),
      std::move(replicas)));
}

Database open_postgres(std::string_view where, const PostgresOptions& options) {
  auto opened = try_open_postgres(where, options);
  if (!opened) {
    throw db::Failure(db::FailureKind::open, std::move(opened.error()));
  }
  return std::move(*opened);
}

}  // namespace eider
