// How often one client may ask, and what it is told when that was too often.
// Must not be all there is against floods: what comes ahead of a request is the server's (Limits).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/middleware.h"
#include "eider/app/handlers/operation.h"
#include "eider/io/runtime/time.h"
#include "eider/web/middleware/rate_store.h"

namespace eider {

enum class RateLimitBy : std::uint8_t {
  /// The client's address (behind trusted proxies the one that they name), IPv6 by its network. All
  /// whose address nobody knows count as one.
  address,
  /// The same, for each route by itself: a HEAD is its GET, the same pattern on two hosts is two
  /// routes, and all requests that no route takes are one.
  address_and_route,
  /// All clients together, for each route by itself.
  route,
};

struct RateLimit {
  std::uint32_t requests = 100;
  Duration per = std::chrono::minutes(1);
  RateAlgorithm algorithm = RateAlgorithm::token_bucket;
  RateLimitBy by = RateLimitBy::address;
  /// In place of `by`; a request with an empty key is not limited.
  std::function<std::string(const Request&)> key = {};
  /// An IPv6 client has a /64 at least (RFC 6177), and all addresses in it.
  unsigned ipv6_prefix_bits = 64;
  /// How many keys are told apart, at 24 bytes each, whoever asks. Of more than these, those that
  /// have asked least are forgotten.
  std::size_t keys_max = std::size_t{1} << 15U;
  /// What RateLimit-Policy calls it: letters, digits, '-' and '_'.
  std::string name = "default";
};

/// A request too many is a 429 with Retry-After; all are told how things stand by RateLimit and
/// RateLimit-Policy. Ahead of guards and content, of 404s too where it is the app's.
///
///     app.use(rate_limit({.requests = 300, .per = 1min}));
///     app.post("/login", log_in).use(rate_limit({.requests = 5, .per = 1min, .name = "login"}));
///
/// All loops of the process count together, several processes each by itself. Throws a Failure for
/// no requests, no time, a name that is none or a prefix over 128 bits.
///
/// source  draft-ietf-httpapi-ratelimit-headers-10; RFC 6585, section 4
[[nodiscard]] ClientHook rate_limit(RateLimit limit = {});

/// The same with all processes that have this store. Asking it waits, so it stands behind guards
/// and content, around the handler. Where the store does not know, as Redis does not while it is
/// away, each process counts for itself: no request waits for it, and none passes uncounted.
///
///     app.use(rate_limit({.requests = 300, .per = 1min}, redis_rates(redis)));
///
/// name  tells limits of one store apart that count alike, as the pattern and the method do where
///       `by` says route: routes of two hosts that have these alike count as one
[[nodiscard]] ClientAround rate_limit(RateLimit limit, std::shared_ptr<RateStore> store);

namespace detail::middleware {

class RateLimiter;
[[nodiscard]] std::shared_ptr<RateLimiter> make_rate_limiter(RateLimit limit);
[[nodiscard]] Result<void> take_of(RateLimiter& limiter, const std::string& key);
[[nodiscard]] std::string name_of(const RateLimiter& limiter);
/// The 429, and what it says.
void describe_refusal(Operation& operation);

}  // namespace detail::middleware

/// The same by what guards know of who asks, such as a user: a guard behind the one that puts the
/// T.
///
///     api.guard(bearer_auth({…}));
///     api.guard(RateLimitOf<Identity>({.requests = 1000, .per = 1h},
///                                     [](const Identity& caller) { return caller.name; }));
///
/// `by`, `key` and `ipv6_prefix_bits` say nothing here.
template <class T>
class RateLimitOf {
 public:
  RateLimitOf(RateLimit limit, std::function<std::string(const T&)> key)
      : limiter_(detail::middleware::make_rate_limiter(std::move(limit))), key_(std::move(key)) {}

  Result<void> operator()(Slot<T> who) const {
    return detail::middleware::take_of(*limiter_, key_(*who));
  }
  void describe(Operation& operation) const { detail::middleware::describe_refusal(operation); }
  [[nodiscard]] std::string name() const { return detail::middleware::name_of(*limiter_); }

 private:
  std::shared_ptr<detail::middleware::RateLimiter> limiter_;
  std::function<std::string(const T&)> key_;
};

}  // namespace eider
