#include "eider/io/net/dialler.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "eider/io/runtime/connect.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sync.h"

namespace eider::net {

namespace {

struct Attempts {
  AsyncEvent news;
  Result<Descriptor, NetError> result = fail(NetError::timed_out);
  std::size_t running = 0;
};

Task<> attempt(Attempts& all, SocketAddress address, Instant due) {
  // Count the attempt before the wait, so that `race` knows that it is running.
  ++all.running;
  auto fd = co_await connect(address, due - Loop::current().now());
  // The attempt has ended before its result is used.
  --all.running;
  // The first connected socket wins; a later failure must not replace it.
  if (!all.result) {
    all.result = std::move(fd);
  }
  all.news.set();
}

}  // namespace

std::vector<std::string> interleaved(const std::vector<std::string>& v6,
                                     const std::vector<std::string>& v4) {
  std::vector<std::string> all;
  for (std::size_t index = 0; index < std::max(v6.size(), v4.size()); ++index) {
    if (index < v6.size()) {
      all.push_back(v6[index]);
    }
    if (index < v4.size()) {
      all.push_back(v4[index]);
    }
  }
  all.resize(std::min(all.size(), kAddressesMax));
  return all;
}

Task<Result<Descriptor, NetError>> race(std::vector<SocketAddress> addresses, Instant due,
                                        Duration delay) {
  Attempts all;
  Scope scope;  // destroyed first, because running attempts refer to `all`
  const Loop& loop = Loop::current();
  for (std::size_t next = 0; next < addresses.size() || all.running != 0;) {
    const bool has_next = next < addresses.size();
    if (has_next) {
      scope.start(attempt(all, addresses[next++], due));
    }
    // The scope destroys the other attempts as soon as one is connected.
    if (all.result || loop.now() >= due) {
      break;
    }
    // The event may have been set while the attempt was started.
    if (!all.news.is_set()) {
      const Duration left = due - loop.now();
      co_await with_deadline(all.news, next < addresses.size() ? std::min(delay, left) : left);
    }
    // Reset the event after the wait, so that attempts that end from now on set it again.
    all.news.reset();
  }
  co_return std::move(all.result);
}

namespace {

/// "Resolution Delay … recommended to be 50 milliseconds" (RFC 8305, section 3).
constexpr Duration kResolutionDelay = std::chrono::milliseconds(50);

/// The results of both families, and the events for them.
struct Answers {
  AsyncEvent one;
  AsyncEvent both;
  std::optional<DnsAnswer> v4;
  std::optional<DnsAnswer> v6;

  void note() noexcept {
    one.set();
    if (v4 && v6) {
      both.set();
    }
  }
  /// Returns whether an address to connect to was found.
  [[nodiscard]] bool has_address() const noexcept {
    return (v4 && v4->has_value()) || (v6 && v6->has_value());
  }
};

Task<> ask(Dns& dns, std::string name, DnsFamily family, Answers& answers) {
  auto answer = co_await dns.find(std::move(name), family);
  (family == DnsFamily::v4 ? answers.v4 : answers.v6) = std::move(answer);
  answers.note();
}

std::vector<std::string> texts_of(const std::optional<DnsAnswer>& answer) {
  return answer && *answer ? **answer : std::vector<std::string>();
}

DnsFault fault_of(const Answers& answers) noexcept {
  const auto is_absent = [](const std::optional<DnsAnswer>& answer) {
    return answer && !*answer && answer->error() == DnsFault::no_such_name;
  };
  const bool are_absent = is_absent(answers.v4) && is_absent(answers.v6);
  return are_absent ? DnsFault::no_such_name : DnsFault::no_answer;
}

std::vector<SocketAddress> to_addresses(const std::vector<std::string>& texts, std::uint16_t port) {
  std::vector<SocketAddress> addresses;
  for (const std::string& text : texts) {
    if (const auto address = SocketAddress::parse(text, port)) {
      addresses.push_back(*address);
    }
  }
  return addresses;
}

ConnectError lookup_error(const std::string& host, DnsFault fault) {
  if (fault == DnsFault::no_such_name) {
    return {ConnectFault::name_not_found, "There is no address for the host name " + host + "."};
  }
  return {ConnectFault::lookup_failed,
          "The name servers did not resolve the host name " + host + "."};
}

ConnectError connect_error(const TcpDialler::Place& place, NetError error) {
  const bool is_late = error == NetError::timed_out;
  return {is_late ? ConnectFault::timed_out : ConnectFault::not_connected,
          "Cannot connect to " + place.host + ", port " + std::to_string(place.port) + ": " +
              std::string(text(error)) + "."};
}

/// The rules for addresses do not apply to a proxy, because the options name it.
TcpDialler::Place first_place(const Route& route) {
  return route.proxy == nullptr ? TcpDialler::Place{route.host, route.port, false}
                                : TcpDialler::Place{route.proxy->host, route.proxy->port, true};
}

}  // namespace

Task<Result<Descriptor, ConnectError>> TcpDialler::dial(const Route& route, Instant due) {
  const Place place = first_place(route);
  auto addresses = co_await allowed_addresses_of(place, due, Patience::brief);
  if (!addresses) {
    co_return fail(std::move(addresses.error()));
  }
  auto fd = co_await race(*addresses, due);
  // All addresses that were found in time have failed: try those that were found late.
  if (!fd) {
    fd = co_await race_late_ones(place, due, std::move(*addresses), fd.error());
  }
  if (!fd) {
    co_return fail(connect_error(place, fd.error()));
  }
  co_return std::move(*fd);
}

/// Tries the addresses of the family whose resolution was slow.
Task<Result<Descriptor, NetError>> TcpDialler::race_late_ones(const Place& place, Instant due,
                                                              std::vector<SocketAddress> tried,
                                                              NetError error) {
  auto addresses = co_await allowed_addresses_of(place, due, Patience::full);
  if (!addresses) {
    co_return fail(error);
  }
  // Do not try an address twice.
  std::erase_if(*addresses, [&](const SocketAddress& one) {
    return std::ranges::any_of(
        tried, [&](const SocketAddress& other) { return one.host() == other.host(); });
  });
  if (addresses->empty()) {
    co_return fail(error);
  }
  co_return co_await race(std::move(*addresses), due);
}

// Checked after the resolution: a name with a public address now may have another address next
// time.
Task<TcpDialler::Addresses> TcpDialler::allowed_addresses_of(const Place& place, Instant due,
                                                             Patience patience) {
  auto addresses = co_await addresses_of(place, due, patience);
  if (!addresses || place.is_proxy) {
    co_return addresses;
  }
  std::erase_if(*addresses,
                [this](const SocketAddress& one) { return !is_allowed(allow_, one.host()); });
  if (addresses->empty()) {
    co_return fail(forbidden(place.host));
  }
  co_return addresses;
}

Task<TcpDialler::Addresses> TcpDialler::addresses_of(const Place& place, Instant due,
                                                     Patience patience) {
  // RFC 6761, section 6.3: localhost is this machine, even if a name server differs.
  if (place.host == "localhost" || place.host.ends_with(".localhost")) {
    co_return to_addresses({"127.0.0.1", "::1"}, place.port);
  }
  if (const auto literal = SocketAddress::parse(place.host, place.port)) {
    co_return std::vector<SocketAddress>{*literal};
  }
  auto found = co_await with_deadline(look_up(place.host, patience), due - Loop::current().now());
  if (!found || !*found) {
    co_return fail(lookup_error(place.host, found ? found->error() : DnsFault::no_answer));
  }
  co_return to_addresses(**found, place.port);
}

Task<TcpDialler::Found> TcpDialler::look_up(std::string name, Patience patience) {
  Answers answers;
  Scope scope;  // destroyed first
  // IPv6 is queried first (RFC 8305, 3), and both queries run concurrently.
  scope.start(ask(dns(), name, DnsFamily::v6, answers));
  scope.start(ask(dns(), name, DnsFamily::v4, answers));
  // The first result may be empty, so check it before giving up the other.
  co_await answers.one.wait();
  if (answers.has_address() && patience == Patience::brief) {
    co_await with_deadline(answers.both, kResolutionDelay);
  } else {
    co_await answers.both.wait();
  }
  if (!answers.has_address()) {
    co_return fail(fault_of(answers));
  }
  co_return interleaved(texts_of(answers.v6), texts_of(answers.v4));
}

Dns& TcpDialler::dns() {
  if (dns_ == nullptr) {
    dns_ = std::make_unique<Dns>(Loop::current(), options_);
  }
  return *dns_;
}

}  // namespace eider::net
