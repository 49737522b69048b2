#include "eider/data/db/postgres/target.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "eider/core/base/reached.h"
#include "eider/data/db/postgres/handles.h"

namespace eider::db::postgres {
namespace {

namespace servers = eider::detail::servers;

constexpr std::uint16_t kPort = 5432;
// From the service file; applies to all hosts or to none.
constexpr std::uint16_t kPortOfService = 0;

/// Returns the value in the text, or otherwise in the environment.
std::string value_of(const PQconninfoOption* said, const PQconninfoOption* unsaid,
                     std::string_view key) {
  for (const PQconninfoOption* list : {said, unsaid}) {
    for (const PQconninfoOption* one = list; one != nullptr && one->keyword != nullptr; ++one) {
      if (one->keyword == key && one->val != nullptr && *one->val != '\0') {
        return one->val;
      }
    }
  }
  return {};
}

/// A list with one element applies to all hosts.
std::string_view nth(const std::vector<std::string_view>& list, std::size_t index) {
  return list.size() == 1 ? list.front() : list[index];
}

/// Files that libpq reads for each connection.
void allow_files(auto&& value) {
  for (const char* key : {"sslrootcert", "sslcert", "sslkey", "sslcrl", "sslcrldir", "passfile"}) {
    eider::detail::base::allow_in_sandbox(value(key));
  }
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home == '/') {
    const std::string at(home);
    eider::detail::base::will_read_alone(at + "/.pgpass");
    // The directory only if it exists, because a missing one would be replaced by the home
    // directory.
    eider::detail::base::will_read_alone(at + "/.postgresql");
  }
}

Result<std::vector<Host>, std::string> read_hosts(const std::string& names,
                                                  const std::string& addresses,
                                                  const std::string& ports,
                                                  std::uint16_t port_unsaid) {
  const auto all = servers::split_list(names);
  const auto known = servers::split_list(addresses);
  const auto doors = servers::split_list(ports);
  const std::size_t count = std::max(all.size(), known.size());
  const auto fits = [count](const auto& list) { return list.size() == 1 || list.size() == count; };
  if (!fits(all) || !fits(known) || !fits(doors)) {
    return fail(std::string("the numbers of hosts, ports and addresses differ"));
  }
  std::vector<Host> hosts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view door = nth(doors, i);
    const auto port = door.empty() ? port_unsaid : servers::read_port(door);
    // A password with an unescaped slash looks like an invalid port.
    if (!port) {
      return fail(
          std::string("the port of the PostgreSQL database must be a number from 1 to 65535; in a "
                      "URL, write / in a password as %2F"));
    }
    Host host{.name = std::string(nth(all, i)),
              .address = std::string(known.size() == count ? known[i] : ""),
              .port = *port};
    if (host.address.empty() && servers::is_number(host.name)) {
      host.address = host.name;
    }
    hosts.push_back(std::move(host));
  }
  return hosts;
}

/// Session settings that are sent with the login, without a separate statement.
std::string session_settings(const PostgresOptions& options) {
  const auto time =
      std::chrono::duration_cast<std::chrono::milliseconds>(options.limits.statement_time_max);
  return "-c statement_timeout=" + std::to_string(time.count()) +
         " -c timezone=UTC -c datestyle=ISO -c bytea_output=hex ";
}

bool is_of_hosts(std::string_view key) noexcept {
  return key == "host" || key == "hostaddr" || key == "port" || key == "options";
}

bool is_loopback(const std::string& address) noexcept {
  return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

/// Returns whether there may be other machines on the way. A name may have any address.
bool is_remote(const Host& host) noexcept {
  return host.address.empty() ? !host.is_unix() && host.name != "localhost"
                              : !is_loopback(host.address);
}

bool knows(const PQconninfoOption* all, std::string_view key) {
  for (; all != nullptr && all->keyword != nullptr; ++all) {
    if (all->keyword == key) {
      return true;
    }
  }
  return false;
}

/// Returns whether the application or the environment sets a keyword, ignoring libpq's defaults.
bool is_set(const PQconninfoOption* said, const char* key) {
  if (!value_of(said, nullptr, key).empty()) {
    return true;
  }
  for (const PQconninfoOption* one = said; one->keyword != nullptr; ++one) {
    if (std::string_view(one->keyword) == key) {
      const char* const value = one->envvar == nullptr ? nullptr : std::getenv(one->envvar);
      return value != nullptr && *value != '\0';
    }
  }
  return true;  // libpq does not know it, for example `require_auth` before version 16
}

/// libpq 15 does not support `require_auth`. If it only allows methods that libpq 15 would accept,
/// it is removed from `where`, and LoginGuard allows them; libpq rejects other values.
///
/// returns  "md5,password"; empty without such a keyword
std::string take_weak_auth(std::string& where) {
  constexpr std::string_view kKey = "require_auth=";
  const bool is_url = where.starts_with("postgres://") || where.starts_with("postgresql://");
  const std::size_t begin = is_url ? where.rfind('?') : 0;
  const std::size_t at = begin == std::string::npos ? begin : where.find(kKey, begin);
  const OptionsHandle known(PQconndefaults());
  if (at == std::string::npos ||
      std::count(where.begin(), where.begin() + static_cast<std::ptrdiff_t>(at), '\'') % 2 != 0 ||
      (at != 0 && !std::string_view("?& ").contains(where[at - 1])) ||
      knows(known.get(), "require_auth")) {
    return {};
  }
  const std::size_t end = std::min(where.find_first_of(is_url ? "&" : " ", at), where.size());
  std::string auth = where.substr(at + kKey.size(), end - at - kKey.size());
  for (const std::string_view one : servers::split_list(auth)) {
    if (one != "md5" && one != "password") {
      return {};
    }
  }
  where.erase(at, std::min(end + 1, where.size()) - at);
  return auth;
}

/// The defaults for a database on another machine, unless the application or a service sets them.
///
/// said  as parsed from the application's text
void secure_remote(Target& target, const PQconninfoOption* said, const auto& value) {
  const auto remote = std::ranges::find_if(target.hosts, is_remote);
  if (remote == target.hosts.end() || !value("service").empty()) {
    return;
  }
  if (!is_set(said, "sslmode") && value("sslrootcert") != "system") {
    target.others.emplace_back("sslmode", "require");
    target.needs_tls = true;
  }
  if (!is_set(said, "require_auth") && !is_set(said, "sslcert")) {
    target.others.emplace_back("require_auth", "scram-sha-256");
  }
  if (!target.needs_tls) {
    target.warning =
        "The PostgreSQL database at " + remote->name +
        " is on another machine and may be used without TLS (sslmode=" + value("sslmode") +
        "): attackers could read and change the data. Set " + "sslmode=verify-full.";
  }
}

bool has_socket(const std::string& directory, std::uint16_t port) {
  return ::access((directory + "/.s.PGSQL." + std::to_string(port)).c_str(), W_OK) == 0;
}

/// A number may be a forwarded port of another machine, and so may a name with an address.
bool is_this_machine(const Host& host) noexcept {
  return host.name == "localhost" && host.address.empty();
}

/// A service file may require it, too, but only libpq reads that file.
template <class ValueOf>
bool is_tls_needed(const ValueOf& value) {
  const std::string mode = value("sslmode");
  return mode == "require" || mode.starts_with("verify-") || value("sslrootcert") == "system" ||
         !value("service").empty();
}

/// Returns whether this is neither a URL of PostgreSQL nor a list of key=value pairs.
///
/// complaint  of libpq
bool has_unknown_form(std::string_view text, std::string_view complaint) noexcept {
  const bool is_url = text.find("://") < text.find('=');
  return !text.starts_with("postgres://") && !text.starts_with("postgresql://") &&
         (is_url || complaint.starts_with("missing \"=\""));
}

/// Returns libpq's error text up to the first quoted part, which may be the password.
std::string without_quoted(std::string_view complaint) {
  const auto is_said = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' || c == '-';
  };
  std::string kept(complaint.begin(), std::ranges::find_if_not(complaint, is_said));
  kept.erase(kept.find_last_not_of(' ') + 1);
  return kept;
}

}  // namespace

void Target::read_only() {
  const auto settings = std::ranges::find(
      others, "options", [](const auto& one) { return std::string_view(one.first); });
  if (settings != others.end()) {
    settings->second += " -c default_transaction_read_only=on";
  }
}

std::vector<Host> Target::unix_first(const std::string& directory) const {
  std::vector<Host> all;
  for (const Host& host : hosts) {
    if (!needs_tls && is_this_machine(host) && has_socket(directory, host.port)) {
      all.push_back({.name = directory, .port = host.port});
    }
    all.push_back(host);
  }
  return all;
}

Result<Target, std::string> read_target(std::string_view where, const PostgresOptions& options) {
  char* complaint = nullptr;
  std::string text(where);
  const std::string auth = take_weak_auth(text);
  const OptionsHandle said(PQconninfoParse(text.c_str(), &complaint));
  const TextHandle why(complaint);
  if (said == nullptr) {
    const std::string reason = why == nullptr ? "out of memory"
                               : has_unknown_form(text, why.get())
                                   ? "it must start with postgres:// or postgresql://, or contain "
                                     "only key=value pairs"
                                   : without_quoted(why.get());
    return fail("invalid PostgreSQL connection string: " + reason);
  }
  const OptionsHandle unsaid(PQconndefaults());
  const auto value = [&](std::string_view key) { return value_of(said.get(), unsaid.get(), key); };
  allow_files(value);
  // The service file has priority over the environment and libpq's defaults, and only libpq reads
  // it: settings that are not in the text are omitted.
  const auto is_said = [&](const char* key) { return !value_of(said.get(), nullptr, key).empty(); };
  const bool has_service = is_said("service");
  const auto of_host = [&](const char* key) {
    return value_of(said.get(), has_service ? nullptr : unsaid.get(), key);
  };
  const std::string ports = of_host("port");
  const bool has_port = ports.find_first_not_of(',') != std::string::npos;
  auto hosts = read_hosts(of_host("host"), of_host("hostaddr"), ports,
                          has_service && !has_port ? kPortOfService : kPort);
  if (!hosts) {
    return fail(std::move(hosts.error()));
  }
  Target target{.hosts = std::move(*hosts),
                .others = {},
                .needs_tls = is_tls_needed(value),
                .auth = auth.empty() ? value("require_auth") : auth,
                .warning = {}};
  for (const PQconninfoOption* one = said.get(); one->keyword != nullptr; ++one) {
    if (one->val != nullptr && !is_of_hosts(one->keyword)) {
      target.others.emplace_back(one->keyword, one->val);
    }
  }
  secure_remote(target, said.get(), value);
  // The options of the user come last, so they have priority.
  const std::string session = value("options");
  if (options.statements_max != 0 || !session.empty()) {
    target.others.emplace_back(
        "options", (options.statements_max != 0 ? session_settings(options) : "") + session);
  }
  if (!is_said("client_encoding")) {
    target.others.emplace_back("client_encoding", "UTF8");
  }
  // Kerberos would look for tickets, and query name servers, which blocks the event loop.
  if (!is_said("gssencmode")) {
    target.others.emplace_back("gssencmode", "disable");
  }
  target.others.emplace_back("fallback_application_name", "eider");
  return target;
}

Keywords::Keywords(const Target& target, const std::vector<Host>& hosts) {
  for (const Host& host : hosts) {
    const char* comma = &host == hosts.data() ? "" : ",";
    hosts_ += comma + host.name;
    addresses_ += comma + host.address;
    ports_ += host.port == kPortOfService ? "" : comma + std::to_string(host.port);
  }
  for (const auto& [key, value] : target.others) {
    add(key.c_str(), value.c_str());
  }
  add("host", hosts_.c_str());
  add("hostaddr", addresses_.c_str());
  add("port", ports_.c_str());
  keys_.push_back(nullptr);
  values_.push_back(nullptr);
}

void Keywords::add(const char* key, const char* value) {
  keys_.push_back(key);
  values_.push_back(value);
}

std::string text_of(const Target& target) {
  std::string text = target.hosts.empty() ? std::string() : target.hosts.front().name;
  const auto database =
      std::ranges::find(target.others, "dbname", &std::pair<std::string, std::string>::first);
  return text.append("/").append(database == target.others.end() ? "" : database->second);
}

}  // namespace eider::db::postgres
