#include "eider/data/redis/target.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <ranges>
#include <system_error>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/io/runtime/address.h"

namespace eider::redis::detail {
namespace {

using ReadTarget = Result<Target, std::string_view>;

constexpr std::uint16_t kSentinelPort = 26379;

struct Scheme {
  std::string_view front;
  TargetKind kind;
  bool is_secure;
};

template <class Number>
std::optional<Number> number_of(std::string_view text) noexcept {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

bool take_front(std::string_view& text, std::string_view front) noexcept {
  const bool is_there = text.starts_with(front);
  text.remove_prefix(is_there ? front.size() : 0);
  return is_there;
}

/// Takes "user:password@" off the front. A password alone stands behind its colon.
bool take_login(std::string_view& authority, Target& target) {
  const std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos) {
    return true;
  }
  const std::string_view login = authority.substr(0, at);
  authority.remove_prefix(at + 1);
  const std::size_t colon = login.find(':');
  if (colon == std::string_view::npos) {
    return false;
  }
  auto user = percent_decode(login.substr(0, colon), Plus::literal);
  auto password = percent_decode(login.substr(colon + 1), Plus::literal);
  if (!user || !password || password->empty()) {
    return false;
  }
  target.user = std::move(*user);
  target.password = std::move(*password);
  return true;
}

/// What else would be taken for another kind of address ("unix:"), or stand in the log.
bool is_name(std::string_view host) {
  return std::ranges::all_of(host, [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '.' || byte == '-' || byte == '_';
  });
}

/// With its zone, if it has one.
bool is_ipv6(std::string_view host) {
  const std::string_view address = host.substr(0, host.find('%'));
  return address.contains(':') &&
         address.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos &&
         (address == host || is_name(host.substr(address.size() + 1)));
}

/// Leaves what is not said as it is.
bool read_place(std::string_view authority, Place& place) {
  // The colons of an IPv6 address stand within brackets.
  const std::size_t bracket = authority.find(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  std::string_view host = authority.substr(0, colon);
  if (host.starts_with('[') != host.ends_with(']')) {
    return false;
  }
  const bool is_in_brackets = host.starts_with('[');
  if (is_in_brackets) {
    host = host.substr(1, host.size() - 2);
  }
  if (!(is_in_brackets ? is_ipv6(host) : is_name(host))) {
    return false;
  }
  if (!host.empty()) {
    place.host = host;
  }
  if (colon == std::string_view::npos) {
    return true;
  }
  const auto port = number_of<std::uint16_t>(authority.substr(colon + 1));
  place.port = port.value_or(0);
  return place.port != 0;
}

/// "host[:port]", or several with commas between.
bool take_hosts(std::string_view authority, Target& target) {
  Place place{.port = static_cast<std::uint16_t>(
                  target.kind == TargetKind::sentinel ? kSentinelPort : target.port)};
  if (target.kind == TargetKind::server) {
    const bool is_one = read_place(authority, place);
    target.host = std::move(place.host);
    target.port = place.port;
    return is_one;
  }
  const bool is_list = authority.contains(',');
  for (const auto part : std::views::split(authority, ',')) {
    const std::string_view one(part);
    target.others.push_back(place);
    if ((is_list && one.empty()) || !read_place(one, target.others.back())) {
      return false;
    }
  }
  if (target.others.empty()) {
    target.others.push_back(std::move(place));
  }
  return target.others.size() <= Target::kOthersMax;
}

/// What stands behind the hosts: "master" of sentinels, which ends at the next slash.
bool take_master(std::string_view& path, Target& target) {
  const std::size_t slash = path.find('/');
  const std::string_view master = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  target.master = master;
  return !master.empty() && is_name(master);
}

ReadTarget read_tcp(std::string_view rest, Target target) {
  // A login may hold a slash that its writer did not encode: it is then no host, and refused.
  const std::size_t slash = rest.find('/');
  std::string_view authority = rest.substr(0, slash);
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return fail(std::string_view("a Redis URL has no query and no fragment"));
  }
  if (!take_login(authority, target)) {
    return fail(std::string_view("the login of a Redis URL is \"user:password\" or \":password\""));
  }
  if (!take_hosts(authority, target)) {
    return fail(std::string_view("a host or a port of the Redis URL is none, or they are over 16"));
  }
  std::string_view database =
      slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  if (target.kind == TargetKind::sentinel && !take_master(database, target)) {
    return fail(
        std::string_view("the URL of sentinels ends with the master's name: \"/mymaster\""));
  }
  const auto number = number_of<unsigned>(database);
  if (!database.empty() && !number) {
    return fail(std::string_view("the database of a Redis URL is a number"));
  }
  target.database = number.value_or(0);
  if (target.kind == TargetKind::cluster && target.database != 0) {
    return fail(std::string_view("a Redis cluster has no databases but 0"));
  }
  return target;
}

ReadTarget read_unix(std::string_view rest, Target target) {
  if (take_front(rest, "//")) {
    const std::size_t slash = rest.find('/');
    std::string_view authority = rest.substr(0, slash);
    if (!take_login(authority, target) || !authority.empty()) {
      return fail(std::string_view("a Unix socket's URL is \"unix://user:password@/path\""));
    }
    rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash);
  }
  const std::size_t query = rest.find('?');
  target.host = "unix:" + std::string(rest.substr(0, query));
  if (!rest.starts_with('/') || !Address::parse(target.host, 0)) {
    return fail(std::string_view("the path of a Unix socket begins with a slash and is short"));
  }
  if (query != std::string_view::npos) {
    std::string_view asked = rest.substr(query + 1);
    const auto number = take_front(asked, "db=") ? number_of<unsigned>(asked) : std::nullopt;
    if (!number) {
      return fail(std::string_view("a Unix socket's URL has no query but \"?db=1\""));
    }
    target.database = *number;
  }
  return target;
}

}  // namespace

std::string Target::place() const {
  switch (kind) {
    case TargetKind::sentinel:
      return master + ", which sentinels tell of,";
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
    if (take_front(url, scheme.front)) {
      return read_tcp(url, {.is_secure = scheme.is_secure, .kind = scheme.kind});
    }
  }
  if (take_front(url, "unix:")) {
    return read_unix(url, {});
  }
  return fail(
      std::string_view("a Redis URL begins with redis://, rediss://, redis+sentinel://, "
                       "redis+cluster:// or unix:"));
}

}  // namespace eider::redis::detail
