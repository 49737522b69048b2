#include "eider/data/redis/target.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/data/servers/server_url.h"
#include "eider/io/runtime/address.h"

namespace eider::redis::detail {
namespace {

namespace servers = eider::detail::servers;

using ReadTarget = Result<Target, std::string_view>;

constexpr std::uint16_t kSentinelPort = 26379;

struct Scheme {
  std::string_view front;
  TargetKind kind;
  bool is_secure;
};

/// Removes "user:password@" from the front. A password alone comes after its colon.
bool take_login(std::string_view& authority, Target& target) {
  auto login = servers::take_login(authority);
  if (!login || (login->is_there && login->password.empty())) {
    return false;
  }
  target.user = std::move(login->user);
  target.password = std::move(login->password);
  return true;
}

/// Other characters could indicate another kind of address ("unix:"), or be misleading in the log.
bool is_name(std::string_view host) {
  return std::ranges::all_of(host, [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '.' || byte == '-' || byte == '_';
  });
}

/// Accepts a zone.
bool is_ipv6(std::string_view host) {
  const std::string_view address = host.substr(0, host.find('%'));
  return address.contains(':') &&
         address.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos &&
         (address == host || is_name(host.substr(address.size() + 1)));
}

/// Members without a part in the text keep their values.
bool read_place(std::string_view text, Place& place) {
  const auto read = servers::read_host(text);
  if (!read || !(read->is_in_brackets ? is_ipv6(read->host) : is_name(read->host))) {
    return false;
  }
  if (!read->host.empty()) {
    place.host = read->host;
  }
  place.port = read->port.value_or(place.port);
  return true;
}

/// Reads "host[:port]", or a list separated by commas.
bool take_hosts(std::string_view authority, Target& target) {
  Place place{.port = static_cast<std::uint16_t>(
                  target.kind == TargetKind::sentinel ? kSentinelPort : target.port)};
  if (target.kind == TargetKind::server) {
    const bool is_one = read_place(authority, place);
    target.host = std::move(place.host);
    target.port = place.port;
    return is_one;
  }
  const auto parts = servers::split_list(authority);
  for (const std::string_view part : parts) {
    target.others.push_back(place);
    if ((parts.size() > 1 && part.empty()) || !read_place(part, target.others.back())) {
      return false;
    }
  }
  return target.others.size() <= Target::kOthersMax;
}

/// Reads the part after the hosts: "master" for sentinels, up to the next slash.
bool take_master(std::string_view& path, Target& target) {
  const std::string_view master = take_until(path, "/");
  target.master = master;
  return !master.empty() && is_name(master);
}

ReadTarget read_tcp(std::string_view rest, Target target) {
  // A login with a slash that was not encoded makes the host invalid, and is rejected.
  const std::size_t slash = rest.find('/');
  std::string_view authority = rest.substr(0, slash);
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return fail(std::string_view("a Redis URL must not contain a query or a fragment"));
  }
  if (!take_login(authority, target)) {
    return fail(std::string_view(
        "the user info of a Redis URL must be \"user:password\" or \":password\""));
  }
  if (!take_hosts(authority, target)) {
    return fail(
        std::string_view("the Redis URL has an invalid host or port, or more than 16 hosts"));
  }
  std::string_view database =
      slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  if (target.kind == TargetKind::sentinel && !take_master(database, target)) {
    return fail(std::string_view(
        "the URL of sentinels must end with the name of the primary: \"/mymaster\""));
  }
  const auto number = parse_integer<unsigned>(database);
  if (!database.empty() && !number) {
    return fail(std::string_view("the database in a Redis URL must be a number"));
  }
  target.database = number.value_or(0);
  if (target.kind == TargetKind::cluster && target.database != 0) {
    return fail(std::string_view("a Redis cluster has only database 0"));
  }
  return target;
}

ReadTarget read_unix(std::string_view rest, Target target) {
  if (servers::take_front(rest, "//")) {
    const std::size_t slash = rest.find('/');
    std::string_view authority = rest.substr(0, slash);
    if (!take_login(authority, target) || !authority.empty()) {
      return fail(std::string_view(
          "the URL of a Unix socket must look like \"unix://user:password@/path\""));
    }
    rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash);
  }
  const std::size_t query = rest.find('?');
  target.host = "unix:" + std::string(rest.substr(0, query));
  if (!rest.starts_with('/') || !SocketAddress::parse(target.host, 0)) {
    return fail(std::string_view("the path of a Unix socket must start with a slash and be short"));
  }
  if (query != std::string_view::npos) {
    std::string_view asked = rest.substr(query + 1);
    const auto number =
        servers::take_front(asked, "db=") ? parse_integer<unsigned>(asked) : std::nullopt;
    if (!number) {
      return fail(
          std::string_view("the URL of a Unix socket may contain only the query \"?db=1\""));
    }
    target.database = *number;
  }
  return target;
}

}  // namespace

std::string Target::place() const {
  switch (kind) {
    case TargetKind::sentinel:
      return master + ", named by sentinels,";
    case TargetKind::cluster:
      return "a node of a cluster";
    case TargetKind::server:
      break;
  }
  return is_unix() ? host : host + ":" + std::to_string(port);
}

Target Target::at(const Place& place) const {
  Target one = *this;
  one.kind = TargetKind::server;
  one.host = place.host;
  one.port = place.port;
  one.others.clear();
  return one;
}

bool is_host(std::string_view host) {
  return !host.empty() && (is_name(host) || is_ipv6(host));
}

ReadTarget read_target(std::string_view url) {
  constexpr Scheme kSchemes[] = {{"redis://", {}, false},
                                 {"rediss://", {}, true},
                                 {"redis+sentinel://", TargetKind::sentinel, false},
                                 {"rediss+sentinel://", TargetKind::sentinel, true},
                                 {"redis+cluster://", TargetKind::cluster, false},
                                 {"rediss+cluster://", TargetKind::cluster, true}};
  for (const Scheme& scheme : kSchemes) {
    if (servers::take_front(url, scheme.front)) {
      return read_tcp(url, {.is_secure = scheme.is_secure, .kind = scheme.kind});
    }
  }
  if (servers::take_front(url, "unix:")) {
    return read_unix(url, {});
  }
  return fail(
      std::string_view("a Redis URL must start with redis://, rediss://, redis+sentinel://, "
                       "redis+cluster:// or unix:"));
}

}  // namespace eider::redis::detail
