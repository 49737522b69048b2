#include "eider/data/db/mariadb/target.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "eider/core/base/url.h"
#include "eider/io/runtime/address.h"

namespace eider::db::mariadb {
namespace {

bool take_front(std::string_view& text, std::string_view front) noexcept {
  const bool is_there = text.starts_with(front);
  text.remove_prefix(is_there ? front.size() : 0);
  return is_there;
}

/// "user:password@" off the front.
bool take_login(std::string_view& authority, Target& target) {
  const std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos) {
    return true;
  }
  const std::string_view login = authority.substr(0, at);
  authority.remove_prefix(at + 1);
  const std::size_t colon = std::min(login.find(':'), login.size());
  auto user = percent_decode(login.substr(0, colon), Plus::literal);
  auto password = percent_decode(login.substr(std::min(colon + 1, login.size())), Plus::literal);
  if (!user || !password) {
    return false;
  }
  target.user = std::move(*user);
  target.password = std::move(*password);
  return true;
}

bool take_port(std::string_view text, Host& host) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), host.port);
  return error == std::errc() && end == text.data() + text.size() && host.port != 0;
}

/// The colons of an IPv6 address stand within brackets.
bool add_host(std::string_view text, Target& target) {
  const std::size_t bracket = text.find(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  std::string_view name = text.substr(0, colon);
  if (name.starts_with('[') != name.ends_with(']')) {
    return false;
  }
  if (name.starts_with('[')) {
    name = name.substr(1, name.size() - 2);
  }
  Host host{.name = name.empty() ? "localhost" : std::string(name)};
  if (host.name.find_first_of("/ ?#") != std::string::npos ||
      (colon != std::string_view::npos && !take_port(text.substr(colon + 1), host))) {
    return false;
  }
  if (host.name != "localhost" && Address::parse(host.name, 0)) {
    host.address = host.name;
  } else if (host.name == "localhost" && colon == std::string_view::npos &&
             target.tls == TlsMode::off) {
    // Only the server's user makes files in there.
    target.hosts.push_back({.name = host.name, .address = "/run/mysqld/mysqld.sock"});
  }
  target.hosts.push_back(std::move(host));
  return true;
}

bool read_hosts(std::string_view authority, Target& target) {
  while (true) {
    const std::size_t comma = std::min(authority.find(','), authority.size());
    if (!add_host(authority.substr(0, comma), target)) {
      return false;
    }
    if (comma == authority.size()) {
      return true;
    }
    authority.remove_prefix(comma + 1);
  }
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
  if (!take_front(url, "mysql://") && !take_front(url, "mariadb://")) {
    return fail(std::string_view("a MariaDB URL begins with mysql:// or mariadb://"));
  }
  Target target;
  // A password may hold what its writer did not encode: what stands behind an '@' counts.
  const std::size_t question = url.find('?');
  std::string socket;
  QueryReader pairs(question == std::string_view::npos ? std::string_view()
                                                       : url.substr(question + 1));
  while (const auto pair = pairs.next()) {
    if (!read_option(*pair, target, socket)) {
      return fail(
          std::string_view("the options of a MariaDB URL are socket=, "
                           "tls=off|required|verify, tls-ca=, tls-cert= and tls-key="));
    }
  }
  url = url.substr(0, question);
  const std::size_t slash = std::min(url.find('/'), url.size());
  std::string_view authority = url.substr(0, slash);
  if (!take_login(authority, target)) {
    return fail(std::string_view("the login of a MariaDB URL is not percent-encoded"));
  }
  auto database = percent_decode(url.substr(std::min(slash + 1, url.size())), Plus::literal);
  if (!database || database->find_first_of("/@") != std::string::npos) {
    return fail(
        std::string_view("the database of a MariaDB URL is none: in a login write / as "
                         "%2F, and so on"));
  }
  target.database = std::move(*database);
  if (!socket.empty()) {
    if (!socket.starts_with('/') || target.tls != TlsMode::off) {
      return fail(std::string_view("a Unix socket has a whole path, and no TLS"));
    }
    target.hosts.push_back({.name = "localhost", .address = std::move(socket)});
  } else if (!read_hosts(authority, target)) {
    return fail(std::string_view("a host or a port of the MariaDB URL is none"));
  }
  if (target.tls == TlsMode::off && !target.tls_ca.empty()) {
    return fail(std::string_view("tls-ca= is for tls=verify"));
  }
  return target;
}

}  // namespace eider::db::mariadb
