#include "eider/middleware/rate_limit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <string_view>

#include "eider/app/client_address.h"
#include "eider/app/respond.h"
#include "eider/base/failure.h"
#include "eider/base/text.h"
#include "eider/middleware/client_network.h"
#include "eider/middleware/rate_table.h"
#include "eider/runtime/loop.h"

namespace eider {

namespace detail::middleware {

namespace {

constexpr int kTooManyRequests = 429;
constexpr unsigned kIpv6Bits = 128;
constexpr std::size_t kLinesBytes = 80;

std::int64_t seconds_up(Duration time) {
  return std::chrono::ceil<std::chrono::seconds>(std::max(time, Duration::zero())).count();
}

bool is_policy_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '-' || byte == '_';
  });
}

void check_limit(const RateLimit& limit) {
  const auto refuse = [](std::string_view why) {
    throw Failure(Error::internal("rate_limit: " + std::string(why)));
  };
  if (limit.requests == 0 || limit.per < Duration(limit.requests)) {
    refuse("requests and per are more than nothing");
  }
  if (!is_policy_name(limit.name)) {
    refuse("a name has letters, digits, '-' and '_'");
  }
  if (limit.ipv6_prefix_bits > kIpv6Bits) {
    refuse("an IPv6 prefix has up to 128 bits");
  }
}

RateRule rule_of(RateAlgorithm algorithm) {
  return algorithm == RateAlgorithm::token_bucket ? RateRule::token_bucket
                                                  : RateRule::sliding_window;
}

}  // namespace

class RateLimiter {
 public:
  explicit RateLimiter(RateLimit limit)
      : limit_((check_limit(limit), std::move(limit))),
        table_(rule_of(limit_.algorithm), limit_.requests, limit_.per, limit_.keys_max),
        policy_("\"" + limit_.name + "\";q=" + std::to_string(limit_.requests) +
                ";w=" + std::to_string(seconds_up(limit_.per))) {}

  [[nodiscard]] std::string key_of(const Request& request, const ProxyTrust& trust) const {
    if (limit_.key) {
      return limit_.key(request);
    }
    std::string key(limit_.by == RateLimitBy::route
                        ? "-"
                        : network_of(client_address_of(request, trust), limit_.ipv6_prefix_bits));
    if (limit_.by != RateLimitBy::address) {
      // A route is known by where its pattern lies: each host has its own, and HEAD is its GET's.
      key.append(std::bit_cast<std::array<char, sizeof(char*)>>(request.route().data()).data(),
                 sizeof(char*));
    }
    return key;
  }
  [[nodiscard]] RateAnswer take(std::string_view key) {
    return table_.take(key, Loop::current().now());
  }
  [[nodiscard]] const std::string& policy() const noexcept { return policy_; }
  /// Checked once: a name has no bytes that a field may not have, and the rest are digits.
  [[nodiscard]] std::string field_lines(const RateAnswer& answer) const {
    std::string lines;
    lines.reserve(kLinesBytes + policy_.size() + limit_.name.size());
    lines.append("RateLimit-Policy: ").append(policy_).append("\r\nRateLimit: ");
    return lines.append(state(answer)).append("\r\n");
  }
  /// "default";r=99;t=0
  [[nodiscard]] std::string state(const RateAnswer& answer) const {
    return "\"" + limit_.name + "\";r=" + std::to_string(answer.remaining) +
           ";t=" + std::to_string(seconds_up(answer.wait));
  }
  [[nodiscard]] std::string name() const {
    return "rate_limit " + std::to_string(limit_.requests) + "/" + format_duration(limit_.per);
  }

 private:
  RateLimit limit_;
  RateTable table_;
  std::string policy_;
};

namespace {

Error too_many(const RateAnswer& answer) {
  return Error(kTooManyRequests, "Too many requests.")
      .with_header("Retry-After",
                   std::to_string(std::max<std::int64_t>(seconds_up(answer.wait), 1)));
}

bool limit_request(RateLimiter& limiter, const std::string& key, Response& response) {
  if (key.empty()) {
    return true;
  }
  const RateAnswer answer = limiter.take(key);
  response.append_field_lines(limiter.field_lines(answer));
  if (!answer.is_admitted) {
    render_error(response, too_many(answer));
  }
  return answer.is_admitted;
}

}  // namespace

std::shared_ptr<RateLimiter> make_rate_limiter(RateLimit limit) {
  return std::make_shared<RateLimiter>(std::move(limit));
}

Result<void> take_of(RateLimiter& limiter, const std::string& key) {
  const RateAnswer answer = key.empty() ? RateAnswer{true, 0, {}} : limiter.take(key);
  if (answer.is_admitted) {
    return {};
  }
  return fail(too_many(answer)
                  .with_header("RateLimit-Policy", limiter.policy())
                  .with_header("RateLimit", limiter.state(answer)));
}

std::string name_of(const RateLimiter& limiter) {
  return limiter.name();
}

}  // namespace detail::middleware

ClientHook rate_limit(RateLimit limit) {
  auto limiter = detail::middleware::make_rate_limiter(std::move(limit));
  return {[limiter](const ProxyTrust& trust) {
    return Hook{.before =
                    [limiter, &trust](Request& request, Response& response) {
                      return detail::middleware::limit_request(
                          *limiter, limiter->key_of(request, trust), response);
                    },
                .name = limiter->name()};
  }};
}

}  // namespace eider
