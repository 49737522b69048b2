#include "eider/server/listening.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "eider/runtime/descriptor.h"
#include "eider/runtime/listener.h"
#include "eider/server/worker.h"

namespace eider::detail::server {

namespace {

constexpr std::string_view kSystemd = "systemd";
/// Where systemd puts them (sd_listen_fds(3)).
constexpr int kFirstPassedOn = 3;

bool is_path(const ListenAt& place) noexcept {
  return place.host.starts_with("unix:");
}

/// Of a path the kernel says "no such file" where its directory is meant.
std::string_view why(const ListenAt& place, NetError error) noexcept {
  return is_path(place) && error == NetError::refused ? "its directory is not there" : text(error);
}

std::string_view mend_of_path(NetError error) noexcept {
  switch (error) {
    case NetError::address_in_use:
      return "Stop the program that listens there, or choose another path: what is no socket is "
             "left as it is.";
    case NetError::not_permitted:
      return "Choose a directory that lets this process write, or let this process write there.";
    case NetError::refused:
      return "Make its directory first, or choose another path.";
    default:
      return {};
  }
}

std::string_view mend(NetError error) noexcept {
  switch (error) {
    case NetError::address_in_use:
      return "Stop the program that listens there, or choose another port (0 takes any free one).";
    case NetError::not_permitted:
      return "Ports below 1024 are root's: choose a higher one, or grant CAP_NET_BIND_SERVICE.";
    case NetError::address_unavailable:
      return "Choose an address of this machine: 127.0.0.1, ::1, or 0.0.0.0 for all of them.";
    case NetError::bad_address:
      return "Give an address such as 127.0.0.1, 0.0.0.0 or ::1, localhost, or unix:/path.";
    case NetError::too_many_open:
      return "Raise the limit of open descriptors (ulimit -n).";
    default:
      return {};
  }
}

Error cannot_listen(const ListenAt& place, NetError error) {
  std::string detail("Cannot listen on ");
  detail.append(place.host);
  if (!is_path(place) && place.host != kSystemd) {
    detail.append(" port ").append(std::to_string(place.port));
  }
  detail.append(": ").append(why(place, error)).append(".");
  const std::string_view how =
      is_path(place) && error != NetError::bad_address ? mend_of_path(error) : mend(error);
  if (!how.empty()) {
    detail.append(" ").append(how);
  }
  return Error::unavailable(std::move(detail));
}

/// A shared port would be bound beside that of another process without an error, and the kernel
/// would spread connections over both. Without sharing, binding says so.
Result<void, NetError> ensure_free(const Address& at) {
  const Descriptor fd(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (fd.is_open() && ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
      ::bind(fd.get(), at.data(), at.size()) == 0) {
    return {};
  }
  return fail(net_error(errno));
}

Preface preface_of(const ListenAt& place, const ServerOptions& options) noexcept {
  return {.has_proxy_protocol = place.expects_proxy_protocol,
          .seals = place.is_secure ? options.seals.get() : nullptr};
}

Result<Address, NetError> listen_shared(std::span<Worker* const> workers, Address at,
                                        ListenOptions options, Preface preface) {
  options.sharing = PortSharing::shared;
  for (Worker* worker : workers) {
    auto bound = worker->listen(at, options, preface);
    if (!bound) {
      return bound;
    }
    at = *bound;
  }
  return at;
}

/// The sockets that were passed to this process and none else.
int passed_on() noexcept {
  const char* process = std::getenv("LISTEN_PID");
  const char* count = std::getenv("LISTEN_FDS");
  if (process == nullptr || count == nullptr || std::atoi(process) != ::getpid()) {
    return 0;
  }
  return std::atoi(count);
}

Result<std::vector<BoundPlace>> adopt_passed_on(std::span<Worker* const> workers,
                                                const ListenAt& place,
                                                const ServerOptions& options) {
  std::vector<BoundPlace> bound;
  const int count = passed_on();
  if (count <= 0) {
    return fail(Error::unavailable(
        "Cannot listen on systemd: it has passed on no socket to this process. Start the service "
        "by a .socket unit of its name, or try it with systemd-socket-activate -l PORT."));
  }
  for (int fd = kFirstPassedOn; fd < kFirstPassedOn + count; ++fd) {
    auto adopted = workers.front()->adopt(Descriptor(fd), preface_of(place, options));
    if (!adopted) {
      return fail(cannot_listen(place, adopted.error()));
    }
    bound.push_back({*adopted, place.is_secure});
  }
  return bound;
}

Result<Address, NetError> listen_at(std::span<Worker* const> workers, const ListenAt& place,
                                    const ServerOptions& options) {
  const ListenOptions listening{.backlog = options.backlog, .when = AcceptWhen::readable};
  const auto at = Address::parse(place.host, place.port);
  if (!at) {
    return fail(at.error());
  }
  const bool is_alone = (workers.size() == 1 && !options.shares_port) || at->is_unix();
  if (is_alone) {
    return workers.front()->listen(*at, listening, preface_of(place, options));
  }
  if (!options.shares_port) {
    if (auto is_free = ensure_free(*at); !is_free) {
      return fail(is_free.error());
    }
  }
  return listen_shared(workers, *at, listening, preface_of(place, options));
}

}  // namespace

Result<std::vector<BoundPlace>> listen(std::span<Worker* const> workers,
                                       const ServerOptions& options) {
  std::vector<ListenAt> places{{.host = options.host,
                                .port = options.port,
                                .expects_proxy_protocol = options.expects_proxy_protocol,
                                .is_secure = options.is_secure}};
  places.insert(places.end(), options.also.begin(), options.also.end());
  std::vector<BoundPlace> bound;
  // The first place opens last: a client that sees it open, as a health check does, finds all
  // others open, too.
  for (const ListenAt& place : std::views::reverse(places)) {
    if (place.host == kSystemd) {
      const auto adopted = adopt_passed_on(workers, place, options);
      if (!adopted) {
        return fail(adopted.error());
      }
      bound.insert(bound.begin(), adopted->begin(), adopted->end());
      continue;
    }
    const auto address = listen_at(workers, place, options);
    if (!address) {
      return fail(cannot_listen(place, address.error()));
    }
    bound.insert(bound.begin(), {*address, place.is_secure});
  }
  return bound;
}

}  // namespace eider::detail::server
