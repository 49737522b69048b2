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

/// 301, 302, 303, 307 and 308.
[[nodiscard]] bool is_redirect(int status) noexcept;

/// How the request is repeated at the place that it was sent to.
struct Redirected {
  Method method;
  bool keeps_content;
};

/// Pre: is_redirect(status).
/// source   RFC 9110, sections 15.4.2 to 15.4.9; what 301 and 302 do to POST is as everybody does
/// it
[[nodiscard]] Redirected redirected(int status, Method method) noexcept;

/// 429, 502, 503 and 504: the same request may well be answered a little later.
[[nodiscard]] bool is_passing(int status) noexcept;

/// "Retry-After: 120" or a date.
///
/// returns  nothing when the value is neither; nothing below zero
/// source   RFC 9110, section 10.2.3
[[nodiscard]] std::optional<Duration> read_retry_after(std::string_view value,
                                                       std::int64_t now_seconds) noexcept;

/// So often a request may move from a connection that has not looked at it to another one. A busy
/// server that ends each connection after some requests turns one away again and again: of a
/// hundred at once, with fifty to a connection, one in ten thousand more than eight times.
inline constexpr unsigned kMovesMax = 32;

/// The pause before retry number `retry` (from 0): half of it is fixed, half is by dice.
[[nodiscard]] Duration backoff(Duration first, unsigned retry, double dice) noexcept;

/// All retries of a client: a share of its requests, so that it does not add to an overload.
class RetryBudget {
 public:
  explicit RetryBudget(double share) noexcept : share_(share) {}
  void note_request() noexcept;
  /// Whether one more retry is within the budget; it is then spent.
  [[nodiscard]] bool try_spend() noexcept;

 private:
  static constexpr double kSavedMax = 10;
  double share_;
  double saved_ = kSavedMax;
};

}  // namespace eider::detail::client
