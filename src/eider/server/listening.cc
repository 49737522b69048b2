#include "eider/server/listening.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/startup_code.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/listener.h"
#include "eider/server/process/descriptor_store.h"
#include "eider/server/process/predecessor.h"
#include "eider/server/worker.h"

namespace eider::detail::server {

namespace {

constexpr std::string_view kSystemd = "systemd";

bool is_path(const ListenAt& place) noexcept {
  return place.host.starts_with("unix:");
}

/// Binding a Unix path fails with "no such file" if its directory does not exist.
std::string_view why(const ListenAt& place, NetError error) noexcept {
  return is_path(place) && error == NetError::refused ? "the directory does not exist"
                                                      : text(error);
}

std::string_view mend_of_path(NetError error) noexcept {
  switch (error) {
    case NetError::address_in_use:
      return "Stop the program that listens there, or choose another path. A file that is not a "
             "socket is not replaced.";
    case NetError::not_permitted:
      return "Choose a directory that this process may write to, or let this process write there.";
    case NetError::refused:
      return "Create the directory first, or choose another path.";
    case NetError::bad_address:
      return "Use a path of at most 107 bytes, such as unix:/run/app.sock. Abstract sockets "
             "(unix:@name) are not supported; for a file with that name, write unix:./@name.";
    default:
      return {};
  }
}

std::string_view mend(NetError error) noexcept {
  switch (error) {
    case NetError::address_in_use:
      return "Stop the program that listens there, or choose another port (0 selects a free port).";
    case NetError::not_permitted:
      return "Ports below 1024 need root: choose a higher port, or grant CAP_NET_BIND_SERVICE.";
    case NetError::address_unavailable:
      return "Choose an address of this machine: 127.0.0.1, ::1, or 0.0.0.0 for all addresses.";
    case NetError::bad_address:
      return "Use an address such as 127.0.0.1, 0.0.0.0 or ::1, localhost, or unix:/path.";
    case NetError::too_many_open:
      return "Raise the limit of open files (ulimit -n).";
    default:
      return {};
  }
}

base::CodeName code_of(NetError error) noexcept {
  switch (error) {
    case NetError::address_in_use:
      return "port-in-use";
    case NetError::not_permitted:
      return "permission-denied";
    case NetError::address_unavailable:
      return "address-unavailable";
    case NetError::bad_address:
      return "invalid-address";
    default:
      return "listen-failed";
  }
}

std::string name_of(const ListenAt& place) {
  const bool has_port = !is_path(place) && place.host != kSystemd;
  return has_port ? place.host + ":" + std::to_string(place.port) : place.host;
}

Error cannot_listen(const ListenAt& place, NetError error) {
  std::string detail("Cannot listen on ");
  detail.append(place.host);
  if (!is_path(place) && place.host != kSystemd) {
    detail.append(" port ").append(std::to_string(place.port));
  }
  detail.append(": ").append(why(place, error)).append(".");
  const std::string_view how = is_path(place) ? mend_of_path(error) : mend(error);
  if (!how.empty()) {
    detail.append(" ").append(how);
  }
  return Error::unavailable(base::with_code(code_of(error), detail));
}

/// The error for an address whose socket the supervisor did not pass. A worker that bound it itself
/// would exclude the other workers, and the process that replaces the supervisor.
Error not_handed(const ListenAt& place) {
  return Error::unavailable(base::with_code(
      "listen-failed", "Cannot listen on " + name_of(place) +
                           ": the listen addresses have changed since the supervisor started. "
                           "Send SIGUSR2 to the supervisor to use the new addresses."));
}

/// Checks that no other process listens at the address. With SO_REUSEPORT, binding would succeed in
/// addition to the other process, and the kernel would distribute connections over both. Binding
/// without it reports the conflict.
Result<void, NetError> ensure_free(const SocketAddress& at) {
  const Descriptor fd(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (fd.is_open() && ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
      ::bind(fd.get(), at.data(), at.size()) == 0) {
    return {};
  }
  return fail(net_error(errno));
}

Preface preface_of(const ListenAt& place, const ServerOptions& options) noexcept {
  SealMaker* const seals = place.seals == nullptr ? options.seals.get() : place.seals.get();
  return {.has_proxy_protocol = place.expects_proxy_protocol,
          .seals = place.is_secure ? seals : nullptr,
          .versions = place.versions};
}

/// Adds the socket to the bound address, or creates that with its first socket.
Result<void, NetError> add(std::optional<BoundPlace>& bound, Result<Listening, NetError> listening,
                           const ListenAt& place) {
  if (!listening) {
    return fail(listening.error());
  }
  if (!bound) {
    bound.emplace(listening->address, place.is_secure, name_of(place));
  }
  bound->sockets.push_back(listening->socket);
  return {};
}

Result<BoundPlace, NetError> listen_shared(std::span<ListeningHost* const> hosts, SocketAddress at,
                                           ListenOptions options, const ListenAt& place,
                                           Preface preface) {
  options.sharing = PortSharing::shared;
  std::optional<BoundPlace> bound;
  for (ListeningHost* host : hosts) {
    if (auto added = add(bound, host->listen(at, options, preface), place); !added) {
      return fail(added.error());
    }
    at = bound->address;
  }
  return std::move(*bound);
}

/// sockets  not empty; there may be more or fewer than hosts
Result<BoundPlace, NetError> adopt_all(std::span<ListeningHost* const> hosts,
                                       std::vector<Descriptor> sockets, const ListenAt& place,
                                       const ServerOptions& options) {
  std::optional<BoundPlace> bound;
  for (std::size_t index = 0; index < sockets.size(); ++index) {
    ListeningHost& host = *hosts[index % hosts.size()];
    auto adopted = host.adopt(std::move(sockets[index]), preface_of(place, options));
    if (auto added = add(bound, std::move(adopted), place); !added) {
      return fail(added.error());
    }
  }
  bound->is_own = place.host != kSystemd;
  return std::move(*bound);
}

/// Returns one BoundPlace per socket, since each has its own address.
Result<std::vector<BoundPlace>> adopt_passed_on(std::span<ListeningHost* const> hosts,
                                                std::vector<Descriptor> sockets,
                                                const ListenAt& place,
                                                const ServerOptions& options) {
  std::vector<BoundPlace> bound;
  if (sockets.empty()) {
    return fail(Error::unavailable(base::with_code(
        "listen-failed",
        "Cannot listen on systemd: systemd did not pass a socket to this process. Start the "
        "service with a .socket unit of the same name, or try systemd-socket-activate -l PORT.")));
  }
  for (Descriptor& socket : sockets) {
    std::vector<Descriptor> one;
    one.push_back(std::move(socket));
    auto adopted = adopt_all(hosts, std::move(one), place, options);
    if (!adopted) {
      return fail(cannot_listen(place, adopted.error()));
    }
    bound.push_back(std::move(*adopted));
  }
  return bound;
}

ListenOptions listening_of(const ServerOptions& options) noexcept {
  return {.backlog = options.backlog, .when = AcceptWhen::readable};
}

Result<BoundPlace, NetError> listen_at(std::span<ListeningHost* const> hosts, const ListenAt& place,
                                       const ServerOptions& options) {
  const auto at = SocketAddress::parse(place.host, place.port);
  if (!at) {
    return fail(at.error());
  }
  const bool is_alone = (hosts.size() == 1 && !options.shares_port) || at->is_unix();
  if (is_alone) {
    std::optional<BoundPlace> bound;
    auto listening = hosts.front()->listen(*at, listening_of(options), preface_of(place, options));
    if (auto added = add(bound, std::move(listening), place); !added) {
      return fail(added.error());
    }
    return std::move(*bound);
  }
  if (!options.shares_port) {
    if (auto is_free = ensure_free(*at); !is_free) {
      return fail(is_free.error());
    }
  }
  return listen_shared(hosts, *at, listening_of(options), place, preface_of(place, options));
}

std::vector<ListenAt> places_of(const ServerOptions& options) {
  std::vector<ListenAt> places{{.host = options.host,
                                .port = options.port,
                                .expects_proxy_protocol = options.expects_proxy_protocol,
                                .is_secure = options.is_secure,
                                .versions = options.versions}};
  places.insert(places.end(), options.additional_addresses.begin(),
                options.additional_addresses.end());
  std::erase_if(places, [](const ListenAt& place) { return place.host == kNoAddress; });
  return places;
}

bool is_shareable(int socket) noexcept {
  int is_on = 0;
  socklen_t length = sizeof(is_on);
  return ::getsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &is_on, &length) == 0 && is_on != 0;
}

/// Returns a further socket at an address on which this process already listens.
Descriptor listen_beside(const SocketAddress& at, int backlog) noexcept {
  Descriptor fd(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  const int seconds = 1;
  const bool is_set =
      fd.is_open() && ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
      ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) == 0 &&
      ::setsockopt(fd.get(), IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof(seconds)) == 0 &&
      ::bind(fd.get(), at.data(), at.size()) == 0 && ::listen(fd.get(), backlog) == 0;
  return is_set ? std::move(fd) : Descriptor();
}

}  // namespace

std::string serving_text(std::span<const std::string> urls) {
  std::string line(urls.empty() ? "Eider runs without an HTTP address" : "Eider serves on ");
  std::string_view between;
  for (const std::string& url : urls) {
    line.append(between).append(url);
    between = ", ";
  }
  return line;
}

std::string url_of(const BoundPlace& place) {
  const std::string_view scheme = place.is_secure ? "https://" : "http://";
  return std::string(place.address.is_unix() ? std::string_view() : scheme)
      .append(place.address.to_text());
}

Result<std::vector<BoundPlace>> listen(std::span<ListeningHost* const> hosts,
                                       const ServerOptions& options, Predecessor& predecessor) {
  const std::vector<ListenAt> places = places_of(options);
  std::vector<BoundPlace> bound;
  // The first address opens last: when a client, such as a health check, can connect to it, all
  // others are open too.
  for (const ListenAt& place : std::views::reverse(places)) {
    std::vector<Descriptor> taken = predecessor.take(name_of(place));
    if (place.host == kSystemd) {
      auto adopted = adopt_passed_on(hosts, taken.empty() ? take_passed_on() : std::move(taken),
                                     place, options);
      if (!adopted) {
        return fail(std::move(adopted.error()));
      }
      bound.insert(bound.begin(), adopted->begin(), adopted->end());
      continue;
    }
    if (taken.empty() && options.worker) {
      return fail(not_handed(place));
    }
    auto one = taken.empty() ? listen_at(hosts, place, options)
                             : adopt_all(hosts, std::move(taken), place, options);
    if (!one) {
      return fail(cannot_listen(place, one.error()));
    }
    bound.insert(bound.begin(), std::move(*one));
  }
  return bound;
}

void listen_on_all(std::span<Worker* const> workers, std::span<Loop* const> loops,
                   const ServerOptions& options, BoundPlace& place) {
  const std::vector<ListenAt> places = places_of(options);
  const auto found = std::ranges::find(places, place.name, name_of);
  if (!place.is_own || place.address.is_unix() || !is_shareable(place.sockets.front())) {
    return;  // one loop accepts there, and hands connections over
  }
  for (std::size_t index = place.sockets.size(); index < workers.size(); ++index) {
    Descriptor fd = listen_beside(place.address, options.backlog);
    if (!fd.is_open()) {
      return;
    }
    const int number = fd.get();
    place.sockets.push_back(number);
    loops[index]->post([worker = workers[index], preface = preface_of(*found, options), number,
                        given = std::move(fd)]() mutable {
      if (worker->adopt(std::move(given), preface)) {
        worker->set_ownership(std::span(&number, 1), SocketOwnership::own);
      }
    });
  }
}

}  // namespace eider::detail::server
