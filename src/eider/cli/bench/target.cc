#include "eider/cli/bench/target.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "eider/cli/bench/on_loop.h"
#include "eider/client/detail/http_url.h"
#include "eider/client/detail/race.h"
#include "eider/client/detail/ws_url.h"

namespace eider::bench {

namespace {

struct Forgetting {
  void operator()(addrinfo* list) const noexcept { ::freeaddrinfo(list); }
};

std::optional<Address> address_of(const addrinfo& entry, std::uint16_t port) {
  std::array<char, NI_MAXHOST> text{};
  const int failed = ::getnameinfo(entry.ai_addr, entry.ai_addrlen, text.data(), text.size(),
                                   nullptr, 0, NI_NUMERICHOST);
  const auto address = failed == 0 ? Address::parse(text.data(), port) : fail(NetError::other);
  return address ? std::optional(*address) : std::nullopt;
}

/// Blocks: there is no load yet.
Result<std::vector<Address>, std::string> look_up(const std::string& host, std::uint16_t port) {
  if (const auto literal = Address::parse(host, port)) {
    return std::vector<Address>{*literal};
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  if (const int failed = ::getaddrinfo(host.c_str(), nullptr, &hints, &raw); failed != 0) {
    return fail(fmt::format("There is no address for the name {} ({}): is it spelled right?", host,
                            ::gai_strerror(failed)));
  }
  const std::unique_ptr<addrinfo, Forgetting> list(raw);
  std::vector<Address> addresses;
  for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
    if (const auto address = address_of(*entry, port)) {
      addresses.push_back(*address);
    }
  }
  return addresses;
}

/// The first one that takes a connection, which is closed again.
Result<Address, NetError> first_that_answers(const std::vector<Address>& addresses,
                                             const Options& options) {
  Result<Address, NetError> found = fail(NetError::unreachable);
  run_on_loop(options.backend, [&]() -> Task<> {
    const Instant due = Loop::current().now() + options.timeout;
    auto racing = detail::race(addresses, due);
    auto fd = co_await std::move(racing);
    if (fd) {
      found = Address::of_peer(fd->get());
    } else {
      found = fail(fd.error());
    }
  });
  return found;
}

Result<detail::HttpUrl, std::string> read_url(const Options& options) {
  if (options.version != Version::websocket) {
    auto url = detail::read_http_url(options.url);
    return url ? Result<detail::HttpUrl, std::string>(std::move(*url))
               : fail(std::string(url.error()));
  }
  auto url = detail::read_ws_url(options.url);
  if (!url) {
    return fail(std::move(url.error().text));
  }
  return detail::HttpUrl{url->is_secure, url->port, std::move(url->host), std::move(url->authority),
                         std::move(url->target)};
}

Result<std::shared_ptr<TlsClientContext>, std::string> make_tls(const Options& options) {
  TlsClientOptions tls;
  tls.verify = options.certificates == Certificates::any ? TlsVerify::nothing : TlsVerify::peer;
  tls.authorities = options.authorities_file;
  auto context = TlsClientContext::make(tls);
  if (!context) {
    return fail(context.error().detail());
  }
  return std::move(*context);
}

}  // namespace

std::string connect_words(const Address& at, NetError error) {
  if (error == NetError::refused) {
    return fmt::format("Nobody listens at {}: is the service running?", at.to_text());
  }
  if (error == NetError::timed_out) {
    return fmt::format("{} does not answer in time (--timeout): is a firewall in between?",
                       at.to_text());
  }
  if (error == NetError::too_many_open) {
    return "There are more connections than this process may have descriptors (ulimit -n).";
  }
  return fmt::format("No connection to {}: {}.", at.to_text(), text(error));
}

Result<Target, std::string> find_target(const Options& options) {
  auto url = read_url(options);
  if (!url) {
    return fail(fmt::format("{} is no URL to ask: {}", options.url, url.error()));
  }
  auto addresses = look_up(url->host, url->port);
  if (!addresses) {
    return fail(std::move(addresses.error()));
  }
  const auto address = first_that_answers(*addresses, options);
  if (!address) {
    return fail(connect_words(addresses->front(), address.error()));
  }
  std::shared_ptr<TlsClientContext> tls;
  if (url->is_secure) {
    auto made = make_tls(options);
    if (!made) {
      return fail(std::move(made.error()));
    }
    tls = std::move(*made);
  }
  return Target{*address,       std::move(url->host),   url->port,
                url->authority, std::move(url->target), std::move(tls)};
}

}  // namespace eider::bench
