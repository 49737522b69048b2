#include <libpq-fe.h>

#include <cstdlib>
#include <memory>

#include "cli/db/connect.h"
#include "eider/data/db/postgres/postgres.h"

namespace eider {

Result<Database, std::string> connect_postgres(const std::string& where) {
  PostgresOptions options;
  options.limits.statement_time_max = std::chrono::hours(24);
  options.limits.transaction_time_max = std::chrono::hours(24);
  return try_open_postgres(where, options);
}

Result<void, std::string> set_postgres_variables(const std::string& where) {
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(where.c_str(), nullptr), &PQconninfoFree);
  if (options == nullptr) {
    return fail(std::string("libpq cannot parse the address of the database"));
  }
  for (const PQconninfoOption* one = options.get(); one->keyword != nullptr; ++one) {
    if (one->val != nullptr && one->envvar != nullptr) {
      ::setenv(one->envvar, one->val, 1);
    }
  }
  return {};
}

}  // namespace eider
