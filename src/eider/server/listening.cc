#include "eider/server/detail/listening.h"

#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <utility>

#include "eider/runtime/descriptor.h"
#include "eider/runtime/listener.h"
#include "eider/server/detail/worker.h"

namespace eider::detail {

namespace {

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

Error cannot_listen(const ServerOptions& options, NetError error) {
  std::string detail("Cannot listen on ");
  detail.append(options.host);
  if (!options.host.starts_with("unix:")) {
    detail.append(" port ").append(std::to_string(options.port));
  }
  detail.append(": ").append(text(error)).append(".");
  if (!mend(error).empty()) {
    detail.append(" ").append(mend(error));
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

Result<Address, NetError> listen_shared(std::span<Worker* const> workers, Address at,
                                        ListenOptions options) {
  options.sharing = PortSharing::shared;
  for (Worker* worker : workers) {
    if (auto bound = worker->listen(at, options); !bound) {
      return fail(bound.error());
    }
    if (at.port() == 0) {
      auto chosen = worker->address();
      if (!chosen) {
        return fail(chosen.error());
      }
      at = *chosen;
    }
  }
  return at;
}

Result<Address, NetError> listen_alone(Worker& worker, const Address& at, ListenOptions options) {
  if (auto bound = worker.listen(at, options); !bound) {
    return fail(bound.error());
  }
  return worker.address();
}

}  // namespace

Result<Address> listen(std::span<Worker* const> workers, const ServerOptions& options) {
  const ListenOptions listening{.backlog = options.backlog, .when = AcceptWhen::readable};
  const auto at = Address::parse(options.host, options.port);
  if (!at) {
    return fail(cannot_listen(options, at.error()));
  }
  const bool is_alone = (workers.size() == 1 && !options.shares_port) || at->is_unix();
  if (!is_alone && !options.shares_port) {
    if (auto is_free = ensure_free(*at); !is_free) {
      return fail(cannot_listen(options, is_free.error()));
    }
  }
  const auto bound = is_alone ? listen_alone(*workers.front(), *at, listening)
                              : listen_shared(workers, *at, listening);
  if (!bound) {
    return fail(cannot_listen(options, bound.error()));
  }
  return *bound;
}

}  // namespace eider::detail
