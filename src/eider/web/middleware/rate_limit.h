// Limits the request rate of each client.
// Layering: must not be the only protection from floods; the server limits connections (Limits).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/middleware.h"
#include "eider/app/handlers/operation.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/ip_address.h"
#include "eider/web/middleware/rate_store.h"

namespace eider {

enum class RateLimitBy : std::uint8_t {
  /// The client's address (after trusted proxies the one that they send), for IPv6 its network. All
  /// clients with an unknown address count as one.
  address,
  /// Like `address`, but separately for each route: HEAD counts as GET, the same pattern on two
  /// hosts is two routes, and all requests without a route count as one.
  address_and_route,
  /// Limit for all clients together, separately for each route.
  route,
};

struct RateLimit {
  std::uint32_t requests = 100;
  Duration per = std::chrono::minutes(1);
  RateAlgorithm algorithm = RateAlgorithm::token_bucket;
  RateLimitBy by = RateLimitBy::address;
  /// Replaces `by`; a request with an empty key is not limited.
  std::function<std::string(const Request&)> key = {};
  /// An IPv6 client has at least a /64 (RFC 6177), and can use all addresses in it.
  unsigned ipv6_prefix_bits = 64;
  /// Maximum number of keys, at 24 bytes each. Above it, the keys with the fewest requests are
  /// forgotten.
  std::size_t keys_max = std::size_t{1} << 15U;
  /// Name in RateLimit-Policy: letters, digits, '-' and '_'.
  std::string name = "default";
};

/// Rejects requests above the limit with 429 and Retry-After. All responses report the current
/// state in RateLimit and RateLimit-Policy. The limit applies before guards run and the body is
/// read; on the app, it also counts 404s.
///
///     app.use(rate_limit({.requests = 300, .per = 1min}));
///     app.post("/login", log_in).use(rate_limit({.requests = 5, .per = 1min, .name = "login"}));
///
/// All event loops of the process count together; several processes count separately. Throws a
/// Failure if requests or per is 0, the name is invalid, or a prefix is longer than 128 bits.
///
/// source  draft-ietf-httpapi-ratelimit-headers-10; RFC 6585, section 4
[[nodiscard]] ClientHook rate_limit(RateLimit limit = {});

/// As above, but together with all processes that use this store. A store is asynchronous, so the
/// limit applies after guards run and the body is read, before the handler. If the store is not
/// available, for example while Redis is down, each process counts separately: requests do not wait
/// for it, and none passes uncounted.
///
///     app.use(rate_limit({.requests = 300, .per = 1min}, redis_rates(redis)));
///
/// name  distinguishes limits in one store; limits by route are also distinguished by pattern and
///       method, so equal routes on two hosts count as one
[[nodiscard]] ClientMiddleware rate_limit(RateLimit limit, std::shared_ptr<RateStore> store);

namespace detail::middleware {

/// Returns the bytes of an IPv4 address, or of the first `ipv6_prefix_bits` of an IPv6 address,
/// which count as one client; "unknown" without an address. Pre: ipv6_prefix_bits <= 128.
[[nodiscard]] std::string network_of(const std::optional<IpAddress>& address,
                                     unsigned ipv6_prefix_bits);

class RateLimiter;
[[nodiscard]] std::shared_ptr<RateLimiter> make_rate_limiter(RateLimit limit);
[[nodiscard]] Result<void> take_of(RateLimiter& limiter, const std::string& key);
[[nodiscard]] std::string name_of(const RateLimiter& limiter);
/// Describes the 429 response.
void describe_refusal(Operation& operation);

}  // namespace detail::middleware

/// As above, with a key from a value of a guard, such as a user: a guard after the one that
/// provides the T.
///
///     api.guard(bearer_auth({…}));
///     api.guard(RateLimitOf<Identity>({.requests = 1000, .per = 1h},
///                                     [](const Identity& caller) { return caller.name; }));
///
/// `by`, `key` and `ipv6_prefix_bits` are ignored here.
template <class T>
class RateLimitOf {
 public:
  RateLimitOf(RateLimit limit, std::function<std::string(const T&)> key)
      : limiter_(detail::middleware::make_rate_limiter(std::move(limit))), key_(std::move(key)) {}

  Result<void> operator()(Extension<T> who) const {
    return detail::middleware::take_of(*limiter_, key_(*who));
  }
  void describe(Operation& operation) const { detail::middleware::describe_refusal(operation); }
  [[nodiscard]] std::string name() const { return detail::middleware::name_of(*limiter_); }

 private:
  std::shared_ptr<detail::middleware::RateLimiter> limiter_;
  std::function<std::string(const T&)> key_;
};

}  // namespace eider
