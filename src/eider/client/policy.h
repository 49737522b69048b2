// Decides on redirects (RFC 9110, section 15.4) and retries.
// Layering: must not send requests: it decides whether to retry, and after which delay.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/client/client_options.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/method.h"

namespace eider::detail::client {

/// Returns true for 301, 302, 303, 307 and 308.
[[nodiscard]] bool is_redirect(int status) noexcept;

/// How to send the request to the new URL.
struct Redirected {
  Method method;
  bool keeps_content;
};

/// Pre: is_redirect(status).
/// source   RFC 9110, sections 15.4.2 to 15.4.9; 301 and 302 change POST to GET, like all clients
[[nodiscard]] Redirected redirected(int status, Method method) noexcept;

/// Returns true for 429, 502, 503 and 504: the same request may succeed a little later.
[[nodiscard]] bool is_passing(int status) noexcept;

/// Parses "Retry-After: 120" or a date.
///
/// returns  nothing if the value is neither; never negative
/// source   RFC 9110, section 10.2.3
[[nodiscard]] std::optional<Duration> read_retry_after(std::string_view value,
                                                       std::int64_t now_seconds) noexcept;

/// How often a request may move from a connection that did not process it to another one. A busy
/// server that closes each connection after some requests rejects a request repeatedly: with a
/// hundred concurrent requests and fifty per connection, one in ten thousand moves more than eight
/// times.
inline constexpr unsigned kMovesMax = 32;

/// Returns the pause before retry number `retry` (from 0): half of it is fixed, half is random.
[[nodiscard]] Duration backoff(Duration first, unsigned retry, double dice) noexcept;

/// Limits the retries of a client to a share of its requests, so that they do not add to an
/// overload.
class RetryBudget {
 public:
  explicit RetryBudget(double share) noexcept : share_(share) {}
  void note_request() noexcept;
  /// Returns whether one more retry is within the budget, and spends it.
  [[nodiscard]] bool try_spend() noexcept;

 private:
  static constexpr double kSavedMax = 10;
  double share_;
  double saved_ = kSavedMax;
};

}  // namespace eider::detail::client
