#include "cli/db/connect.h"

#include <algorithm>
#include <exception>

#include "cli/bench/on_loop.h"
#include "eider/core/base/text.h"
#include "eider/data/servers/server_url.h"

namespace eider {

namespace {

bool has_scheme(std::string_view where, std::string_view scheme) noexcept {
  return equals_ignoring_case(where.substr(0, scheme.size()), scheme);
}

}  // namespace

bool is_mariadb_address(std::string_view where) noexcept {
  return has_scheme(where, "mysql://") || has_scheme(where, "mariadb://");
}

bool is_sqlite_file(std::string_view where) noexcept {
  return !is_postgres_address(where) && !is_mariadb_address(where);
}

bool is_postgres_address(std::string_view where) noexcept {
  if (has_scheme(where, "postgres://") || has_scheme(where, "postgresql://")) {
    return true;
  }
  // "user=… password=…" is not a file name: an error message with it would show the password.
  const auto* const end = std::ranges::find_if_not(
      where, [](char byte) { return is_letter(byte) || is_digit(byte) || byte == '_'; });
  return end != where.begin() && trim(std::string_view(end, where.end())).starts_with('=');
}

bool is_loopback(std::string_view host) {
  // A host name may also begin with 127: 127.0.0.1.example.com.
  return equals_ignoring_case(host, "localhost") || host == "::1" || host == "[::1]" ||
         (host.starts_with("127.") && detail::servers::is_number(std::string(host)));
}

bool is_on_this_machine(const std::string& where) {
  return is_mariadb_address(where)    ? is_local_mariadb(where)
         : is_postgres_address(where) ? is_local_postgres(where)
                                      : true;
}

std::string sqlite_file_of(std::string_view where) {
  constexpr std::string_view kScheme = "sqlite:";
  return std::string(where.starts_with(kScheme) ? where.substr(kScheme.size()) : where);
}

std::string with_plain_scheme(std::string where) {
  const std::size_t end = std::min(where.find("://"), where.size());
  if (end < where.size()) {
    std::transform(where.begin(), where.begin() + static_cast<std::ptrdiff_t>(end), where.begin(),
                   to_lower);
  }
  return where;
}

Result<Database, std::string> open_door(const std::string& where, Access access) {
  if (is_mariadb_address(where)) {
    return connect_mariadb(with_plain_scheme(where));
  }
  return is_postgres_address(where) ? connect_postgres(with_plain_scheme(where))
                                    : connect_sqlite(where, access);
}

Result<void, std::string> on_database(const std::string& where, Access access,
                                      const std::function<Task<>(const Database&)>& run) {
  const auto database = open_door(where, access);
  if (!database) {
    return fail(database.error());
  }
  try {
    bench::run_on_loop(Backend::epoll, [&]() -> Task<> {
      const db::Impatient impatient(database->pool());
      co_await run(*database);
    });
  } catch (const std::exception& failure) {
    return fail(std::string(failure.what()));
  }
  return {};
}

}  // namespace eider
