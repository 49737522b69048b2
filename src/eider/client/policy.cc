#include "eider/client/policy.h"

#include <algorithm>
#include <chrono>

#include "eider/core/base/text.h"
#include "eider/protocols/http/date.h"

namespace eider::detail::client {

namespace {

/// A week: longer is the same as never.
constexpr std::uint64_t kSecondsMax = std::uint64_t{7} * 24 * 3600;

/// After this many retries, the pause does not double any more.
constexpr unsigned kDoublingsMax = 10;

Duration seconds(std::uint64_t count) noexcept {
  return std::chrono::seconds(std::min(count, kSecondsMax));
}

}  // namespace

bool is_redirect(int status) noexcept {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Redirected redirected(int status, Method method) noexcept {
  const bool becomes_get = status == 303 ? method != Method::get && method != Method::head
                                         : status < 303 && method == Method::post;
  return becomes_get ? Redirected{Method::get, false} : Redirected{method, status != 303};
}

bool is_passing(int status) noexcept {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

std::optional<Duration> read_retry_after(std::string_view value,
                                         std::int64_t now_seconds) noexcept {
  if (const auto count = parse_uint64(value)) {
    return seconds(*count);
  }
  const auto date = parse_date(value, now_seconds);
  if (!date) {
    return std::nullopt;
  }
  return seconds(static_cast<std::uint64_t>(std::max<std::int64_t>(*date - now_seconds, 0)));
}

Duration backoff(Duration first, unsigned retry, double dice) noexcept {
  const auto whole = static_cast<double>((first * (1U << std::min(retry, kDoublingsMax))).count());
  return Duration(static_cast<Duration::rep>(whole / 2 + whole / 2 * dice));
}

void RetryBudget::note_request() noexcept {
  saved_ = std::min(saved_ + share_, kSavedMax);
}

bool RetryBudget::try_spend() noexcept {
  if (saved_ < 1) {
    return false;
  }
  saved_ -= 1;
  return true;
}

}  // namespace eider::detail::client
