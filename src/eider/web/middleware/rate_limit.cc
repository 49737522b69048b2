#include "eider/web/middleware/rate_limit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <string_view>

#include "eider/app/handlers/client_address.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/digits.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/per_process.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/status.h"
#include "eider/web/middleware/rate_table.h"

namespace eider {

namespace detail::middleware {

namespace {

constexpr unsigned kIpv6Bits = 128;
constexpr std::size_t kNumbersBytes = 48;  // two numbers, ";t=" and a line break

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
    refuse("requests and per must be greater than 0");
  }
  if (!is_policy_name(limit.name)) {
    refuse("the name may contain only letters, digits, '-' and '_'");
  }
  if (limit.ipv6_prefix_bits > kIpv6Bits) {
    refuse("an IPv6 prefix must have at most 128 bits");
  }
}

}  // namespace

std::string network_of(const std::optional<IpAddress>& address, unsigned ipv6_prefix_bits) {
  if (!address) {
    return "unknown";
  }
  std::string network;
  unsigned left = address->is_v4() ? 32 : ipv6_prefix_bits;
  for (const std::uint8_t byte : address->bytes()) {
    const unsigned kept = left < 8 ? left : 8;
    network.push_back(static_cast<char>(byte & (0xFF00U >> kept)));
    left -= kept;
  }
  return network;
}

class RateLimiter {
 public:
  explicit RateLimiter(RateLimit limit)
      : limit_((check_limit(limit), std::move(limit))),
        table_(terms(), limit_.keys_max),
        policy_("\"" + limit_.name + "\";q=" + std::to_string(limit_.requests) +
                ";w=" + std::to_string(seconds_up(limit_.per))),
        state_begin_("\"" + limit_.name + "\";r="),
        lines_begin_("RateLimit-Policy: " + policy_ + "\r\nRateLimit: " + state_begin_),
        shared_begin_(shared_begin_of(limit_)) {}

  [[nodiscard]] std::string key_of(const Request& request, const ProxyTrust& trust) const {
    if (limit_.key) {
      return limit_.key(request);
    }
    std::string key(limit_.by == RateLimitBy::route
                        ? "-"
                        : network_of(client_address_of(request, trust), limit_.ipv6_prefix_bits));
    if (limit_.by != RateLimitBy::address) {
      // The address of the pattern identifies a route: each host has its own, and HEAD has that of
      // GET.
      key.append(std::bit_cast<std::array<char, sizeof(char*)>>(request.route().data()).data(),
                 sizeof(char*));
    }
    return key;
  }
  [[nodiscard]] RateDecision take(std::string_view key) {
    return table_.take(key, Loop::current().now());
  }
  /// Returns a key that is the same in all processes; empty: the request is not limited.
  [[nodiscard]] std::string shared_key_of(const Request& request, const ProxyTrust& trust) const {
    std::string key = limit_.key ? limit_.key(request)
                      : limit_.by == RateLimitBy::route
                          ? "-"
                          : network_of(client_address_of(request, trust), limit_.ipv6_prefix_bits);
    if (!limit_.key && limit_.by != RateLimitBy::address) {
      const Method method = request.method() == Method::head ? Method::get : request.method();
      key.append(" ").append(to_text(method)).append(" ").append(request.route());
    }
    return key.empty() ? key : shared_begin_ + key;
  }
  [[nodiscard]] RateTerms terms() const noexcept {
    return {limit_.algorithm, limit_.requests, limit_.per};
  }
  [[nodiscard]] const std::string& policy() const noexcept { return policy_; }
  /// The name is checked once, and the rest are digits, so the lines are valid.
  [[nodiscard]] std::string field_lines(const RateDecision& decision) const {
    return told(lines_begin_, decision).append("\r\n");
  }
  /// Returns "default";r=99;t=0.
  [[nodiscard]] std::string state(const RateDecision& decision) const {
    return told(state_begin_, decision);
  }
  [[nodiscard]] std::string name() const {
    return "rate_limit " + std::to_string(limit_.requests) + "/" + format_duration(limit_.per);
  }

 private:
  /// Limits with different settings do not share counters, even if they have the same name.
  static std::string shared_begin_of(const RateLimit& limit) {
    const bool is_bucket = limit.algorithm == RateAlgorithm::token_bucket;
    return limit.name + (is_bucket ? " bucket " : " window ") + std::to_string(limit.requests) +
           "/" + std::to_string(limit.per.count()) + "ns ";
  }
  static std::string told(std::string_view begin, const RateDecision& decision) {
    std::string text;
    text.reserve(begin.size() + kNumbersBytes);
    text.append(begin).append(Digits(decision.remaining).view());
    return text.append(";t=").append(
        Digits(static_cast<std::uint64_t>(seconds_up(decision.wait))).view());
  }

  RateLimit limit_;
  RateTable table_;
  std::string policy_;
  std::string state_begin_;
  std::string lines_begin_;
  std::string shared_begin_;
};

namespace {

Error too_many(const RateDecision& decision) {
  return Error(kTooManyRequests, "Too many requests. Try again later.")
      .with_header("Retry-After",
                   std::to_string(std::max<std::int64_t>(seconds_up(decision.wait), 1)));
}

bool limit_request(RateLimiter& limiter, const std::string& key, Response& response) {
  if (key.empty()) {
    return true;
  }
  const RateDecision decision = limiter.take(key);
  response.append_field_lines(limiter.field_lines(decision));
  if (!decision.is_admitted) {
    render_error(response, too_many(decision));
  }
  return decision.is_admitted;
}

}  // namespace

std::shared_ptr<RateLimiter> make_rate_limiter(RateLimit limit) {
  return std::make_shared<RateLimiter>(std::move(limit));
}

Result<void> take_of(RateLimiter& limiter, const std::string& key) {
  const RateDecision decision = key.empty() ? RateDecision{true, 0, {}} : limiter.take(key);
  if (decision.is_admitted) {
    return {};
  }
  return fail(too_many(decision)
                  .with_header("RateLimit-Policy", limiter.policy())
                  .with_header("RateLimit", limiter.state(decision)));
}

constexpr std::string_view kStateFields[] = {"RateLimit", "RateLimit-Policy"};

void describe_refusal(Operation& operation) {
  Operation::Response& refusal = operation.add_problem(
      kTooManyRequests, "Too many requests. Wait for the time given in Retry-After.");
  refusal.add_header("Retry-After");
  for (const std::string_view field : kStateFields) {
    refusal.add_header(field);
  }
}

std::string name_of(const RateLimiter& limiter) {
  return limiter.name();
}

}  // namespace detail::middleware

namespace {

/// Describes the headers that all responses have.
void describe_limit(Operation& operation) {
  detail::middleware::describe_refusal(operation);
  for (Operation::Response& response : operation.responses) {
    for (const std::string_view field : detail::middleware::kStateFields) {
      response.add_header(field);
    }
  }
}

}  // namespace

namespace {

/// limiter  counts if the store is not available
Task<Response> limit_together(std::shared_ptr<detail::middleware::RateLimiter> limiter,
                              std::shared_ptr<RateStore> store, std::string key, Next next) {
  std::optional<RateDecision> decision = co_await store->take(key, limiter->terms());
  if (!decision) {
    decision = limiter->take(key);
  }
  Response response;
  if (decision->is_admitted) {
    response = co_await next();
  } else {
    render_error(response, detail::middleware::too_many(*decision));
  }
  response.append_field_lines(limiter->field_lines(*decision));
  co_return response;
}

}  // namespace

ClientMiddleware rate_limit(RateLimit limit, std::shared_ptr<RateStore> store) {
  auto limiter = detail::middleware::make_rate_limiter(std::move(limit));
  return {[limiter, store](const ProxyTrust& trust) {
    return Middleware(
        [limiter, store, &trust](Request& request, Next next) {
          std::string key = limiter->shared_key_of(request, trust);
          return key.empty() ? next() : limit_together(limiter, store, std::move(key), next);
        },
        limiter->name(), describe_limit);
  }};
}

ClientHook rate_limit(RateLimit limit) {
  detail::base::note_per_process("rate_limit() without a store");
  auto limiter = detail::middleware::make_rate_limiter(std::move(limit));
  return {[limiter](const ProxyTrust& trust) {
    return Hook{.on_request =
                    [limiter, &trust](Request& request, Response& response) {
                      return detail::middleware::limit_request(
                          *limiter, limiter->key_of(request, trust), response);
                    },
                .name = limiter->name(),
                .describe = describe_limit};
  }};
}

}  // namespace eider
