// Connects sockets over TCP: resolves the name and races its addresses.
// Layering: must not send anything over the connections, nor store them.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/net/dns.h"
#include "eider/io/net/error.h"
#include "eider/io/net/options.h"
#include "eider/io/net/route.h"
#include "eider/io/runtime/address.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/net_error.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider::net {

/// "Connection Attempt Delay … recommended to be 250 milliseconds" (RFC 8305, section 5).
inline constexpr Duration kAttemptDelay = std::chrono::milliseconds(250);
/// The maximum number of a name's addresses that are tried.
inline constexpr std::size_t kAddressesMax = 16;

/// Alternates the families, IPv6 first (RFC 8305, section 4); returns at most kAddressesMax.
[[nodiscard]] std::vector<std::string> interleaved(const std::vector<std::string>& v6,
                                                   const std::vector<std::string>& v4);

/// Connects to the first address, and starts with each further one when `delay` has passed or an
/// attempt has failed. When one is connected, the other attempts are cancelled.
///
/// errors   timed_out at `due`; else the error of the last attempt
[[nodiscard]] Task<Result<Descriptor, NetError>> race(std::vector<SocketAddress> addresses,
                                                      Instant due, Duration delay = kAttemptDelay);

class Dialler {
 public:
  virtual ~Dialler() = default;
  /// Connects a socket to the route's host, or to its proxy if it has one.
  ///
  /// route    must outlive the task
  /// due      the task then returns an error
  [[nodiscard]] virtual Task<Result<Descriptor, ConnectError>> dial(const Route& route,
                                                                    Instant due) = 0;
};

class TcpDialler final : public Dialler {
 public:
  /// The destination of the connection: the host, or its proxy.
  struct Place {
    std::string host;
    std::uint16_t port;
    bool is_proxy;
  };

  explicit TcpDialler(DnsOptions options = {}, AllowAddress allow = nullptr)
      : options_(std::move(options)), allow_(std::move(allow)) {}

  [[nodiscard]] Task<Result<Descriptor, ConnectError>> dial(const Route& route,
                                                            Instant due) override;

 private:
  using Found = Result<std::vector<std::string>, DnsFault>;
  using Addresses = Result<std::vector<SocketAddress>, ConnectError>;

  /// Whether the addresses of one family are enough if the others do not arrive soon.
  enum class Patience : std::uint8_t { brief, full };

  [[nodiscard]] Task<Result<Descriptor, NetError>> race_late_ones(const Place& place, Instant due,
                                                                  std::vector<SocketAddress> tried,
                                                                  NetError error);
  [[nodiscard]] Task<Addresses> addresses_of(const Place& place, Instant due, Patience patience);
  [[nodiscard]] Task<Addresses> allowed_addresses_of(const Place& place, Instant due,
                                                     Patience patience);
  [[nodiscard]] Task<Found> look_up(std::string name, Patience patience);
  [[nodiscard]] Dns& dns();

  DnsOptions options_;
  AllowAddress allow_;
  std::unique_ptr<Dns> dns_;  // created for the first name, on its loop
};

}  // namespace eider::net
