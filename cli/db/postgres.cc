#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "cli/db/connect.h"
#include "eider/data/db/postgres/postgres.h"
#include "eider/data/db/postgres/target.h"

namespace eider {

Result<Database, std::string> connect_postgres(const std::string& where) {
  PostgresOptions options;
  options.limits.statement_time_max = std::chrono::hours(24);
  options.limits.transaction_time_max = std::chrono::hours(24);
  return try_open_postgres(where, options);
}

bool is_local_postgres(const std::string& where) {
  const auto target = db::postgres::read_target(with_plain_scheme(where), {});
  if (!target) {
    return false;
  }
  const char* const service = std::getenv("PGSERVICE");
  // Only a numeric address overrides the one in the service file.
  const bool has_service =
      (service != nullptr && *service != '\0') ||
      std::ranges::any_of(target->others, [](const auto& one) { return one.first == "service"; });
  return std::ranges::all_of(target->hosts, [has_service](const auto& host) {
    return has_service
               ? is_loopback(host.address)
               : host.is_unix() || is_loopback(host.address.empty() ? host.name : host.address);
  });
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
