#include "eider/data/db/mariadb/target.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/url.h"

namespace eider::db::mariadb {
namespace {

namespace servers = eider::detail::servers;

constexpr std::uint16_t kPort = 3306;

bool add_host(std::string_view text, Target& target) {
  const auto read = servers::read_host(text);
  if (!read || read->host.find_first_of("/ ?#") != std::string::npos) {
    return false;
  }
  Host host{.name = read->host.empty() ? "localhost" : std::string(read->host),
            .port = read->port.value_or(kPort)};
  if (servers::is_number(host.name)) {
    host.address = host.name;
  } else if (host.name == "localhost" && !read->port && target.tls == TlsMode::off) {
    // Only the server's user creates files in this directory.
    target.hosts.push_back(
        {.name = host.name, .address = "/run/mysqld/mysqld.sock", .port = kPort});
  }
  target.hosts.push_back(std::move(host));
  return true;
}

bool read_option(const QueryPair& pair, Target& target, std::string& socket) {
  auto value = percent_decode(pair.value, Plus::literal);
  if (!value || value->empty()) {
    return false;
  }
  const std::pair<std::string_view, std::string*> texts[] = {{"socket", &socket},
                                                             {"tls-ca", &target.tls_ca},
                                                             {"tls-cert", &target.tls_certificate},
                                                             {"tls-key", &target.tls_key}};
  for (const auto& [name, text] : texts) {
    if (pair.name == name) {
      *text = std::move(*value);
      return true;
    }
  }
  const std::pair<std::string_view, TlsMode> modes[] = {
      {"off", TlsMode::off}, {"required", TlsMode::required}, {"verify", TlsMode::verify}};
  for (const auto& [name, mode] : modes) {
    if (pair.name == "tls" && *value == name) {
      target.tls = mode;
      return true;
    }
  }
  return false;
}

}  // namespace

Result<Target, std::string_view> read_target(std::string_view url) {
  if (!servers::take_front(url, "mysql://") && !servers::take_front(url, "mariadb://")) {
    return fail(std::string_view("a MariaDB URL must start with mysql:// or mariadb://"));
  }
  Target target;
  // A password may contain characters that are not encoded: the host begins after the last '@'.
  const std::size_t question = url.find('?');
  std::string socket;
  QueryReader pairs(question == std::string_view::npos ? std::string_view()
                                                       : url.substr(question + 1));
  while (const auto pair = pairs.next()) {
    if (!read_option(*pair, target, socket)) {
      return fail(
          std::string_view("the options of a MariaDB URL are socket=, tls=off|required|verify, "
                           "tls-ca=, tls-cert= and tls-key="));
    }
  }
  url = url.substr(0, question);
  const std::size_t slash = std::min(url.find('/'), url.size());
  std::string_view authority = url.substr(0, slash);
  auto login = servers::take_login(authority);
  if (!login) {
    return fail(
        std::string_view("the user name and password in a MariaDB URL must be percent-encoded"));
  }
  target.user = std::move(login->user);
  target.password = std::move(login->password);
  auto database = percent_decode(url.substr(std::min(slash + 1, url.size())), Plus::literal);
  if (!database || database->find_first_of("/@") != std::string::npos) {
    return fail(
        std::string_view("the MariaDB URL has an invalid database name: in a user name or "
                         "password, write / as %2F"));
  }
  target.database = std::move(*database);
  if (!socket.empty()) {
    if (!socket.starts_with('/') || target.tls != TlsMode::off) {
      return fail(std::string_view("a Unix socket needs an absolute path and no TLS"));
    }
    target.hosts.push_back({.name = "localhost", .address = std::move(socket), .port = kPort});
  } else if (!std::ranges::all_of(servers::split_list(authority), [&target](std::string_view host) {
               return add_host(host, target);
             })) {
    return fail(std::string_view("the MariaDB URL has an invalid host or port"));
  }
  if (target.tls == TlsMode::off && !target.tls_ca.empty()) {
    return fail(std::string_view("tls-ca= requires tls=verify"));
  }
  return target;
}

}  // namespace eider::db::mariadb
