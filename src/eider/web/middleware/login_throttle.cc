#include "eider/web/middleware/login_throttle.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/base/per_process.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/ip_address.h"
#include "eider/protocols/http/status.h"
#include "eider/web/middleware/place_table.h"
#include "eider/web/middleware/rate_limit.h"

namespace eider {

namespace detail::middleware {

namespace {

constexpr unsigned kIpv6AddressBits = 128;

void check_delays(const LoginDelays& delays) {
  if (delays.first <= Duration::zero() || delays.max < delays.first) {
    throw Failure(Error::internal(
        "login_throttle: The delay must be greater than 0 and at most the maximum delay"));
  }
}

Duration delay_after(const LoginDelays& delays, std::uint32_t failures) noexcept {
  Duration delay = failures > delays.free ? delays.first : Duration::zero();
  for (std::uint32_t more = delays.free + 1; more < failures && delay < delays.max; ++more) {
    delay += delay < delays.max - delay ? delay : delays.max - delay;
  }
  return delay;
}

}  // namespace

/// One lock is enough, because each attempt also computes a slow password hash.
class LoginTable {
 public:
  explicit LoginTable(LoginLimits limits)
      : limits_(std::move(limits)),
        tried_(limits_.keys_max),
        accounts_(limits_.keys_max),
        known_(limits_.keys_max) {}

  [[nodiscard]] LoginKeys keys_of(std::string_view account, std::string_view network) const {
    // The length shows where a part ends, so that different pairs have different texts.
    const std::string both =
        std::to_string(network.size()).append(":").append(network).append(account);
    return {.both = tried_.hash_of("b" + both),
            .address = tried_.hash_of(std::string("n").append(network)),
            .account = accounts_.hash_of(account),
            .known = known_.hash_of(both)};
  }

  /// Returns the keys that count the attempt, or the time to wait.
  [[nodiscard]] Result<LoginKeys, Duration> begin(LoginKeys keys, Instant now) {
    const std::lock_guard lock(mutex_);
    const Known* known = known_.find(keys.known);
    if (known != nullptr && known->until > now) {
      keys.account = 0;  // attempts from other addresses do not delay a known address
    }
    const std::array counted{Counted{keys.both, &limits_.account_and_address, &tried_},
                             Counted{keys.address, &limits_.address, &tried_},
                             Counted{keys.account, &limits_.account, &accounts_}};
    Duration wait = Duration::zero();
    for (const Counted& each : counted) {
      const Tried* tried = each.hash == 0 ? nullptr : each.table->find(each.hash);
      wait = std::max(wait, tried == nullptr ? Duration::zero() : tried->open_at - now);
    }
    if (wait > Duration::zero()) {
      return fail(wait);
    }
    for (const Counted& each : counted) {
      if (each.hash != 0) {
        count(each, now);
      }
    }
    return keys;
  }

  void succeed(const LoginKeys& keys, Instant now) {
    const std::lock_guard lock(mutex_);
    take_back(keys, now);
    if (Tried* tried = tried_.find(keys.both)) {
      tried->failures = 0;
    }
    make_known(keys, now);
  }

  void know(const LoginKeys& keys, Instant now) {
    const std::lock_guard lock(mutex_);
    make_known(keys, now);
  }

  void undo(const LoginKeys& keys, Instant now) {
    const std::lock_guard lock(mutex_);
    take_back(keys, now);
  }

  [[nodiscard]] std::size_t bytes() const noexcept {
    return tried_.bytes() + accounts_.bytes() + known_.bytes();
  }

 private:
  struct Tried {
    std::uint64_t hash = 0;
    Instant open_at;
    std::uint32_t failures = 0;
  };
  struct Known {
    std::uint64_t hash = 0;
    Instant until;
  };
  struct Counted {
    std::uint64_t hash;  // 0: not counted
    const LoginDelays* delays;
    PlaceTable<Tried>* table;
  };

  [[nodiscard]] bool is_forgotten(const Tried& tried, Instant now) const noexcept {
    return now - tried.open_at > limits_.forget_after;
  }
  /// Ranked by failures and not by age: many names or addresses with one attempt each must not
  /// displace those with many attempts.
  void count(const Counted& by, Instant now) {
    const auto worth = [&](const Tried& place) {
      return std::pair(is_forgotten(place, now) ? 0 : place.failures, place.open_at);
    };
    Tried& tried = by.table->find_or_put({.hash = by.hash, .open_at = now}, worth);
    if (is_forgotten(tried, now)) {
      tried.failures = 0;
    }
    tried.failures = std::min(tried.failures + 1, kFailuresMax);
    tried.open_at = now + delay_after(*by.delays, tried.failures);
  }

  /// Removes only the client's own attempt: a login to one's own account must not reset the
  /// failures of others.
  void take_back(const LoginKeys& keys, Instant now) {
    for (Tried* tried :
         {tried_.find(keys.both), tried_.find(keys.address), accounts_.find(keys.account)}) {
      if (tried != nullptr && tried->failures > 0) {
        --tried->failures;
        tried->open_at = std::min(tried->open_at, now);
      }
    }
  }
  void make_known(const LoginKeys& keys, Instant now) {
    const auto worth = [](const Known& place) {
      return place.hash == 0 ? Instant::min() : place.until;
    };
    Known& known = known_.find_or_put({.hash = keys.known, .until = now}, worth);
    known.until = now + limits_.known_for;
  }

  static constexpr std::uint32_t kFailuresMax = 1U << 16U;

  const LoginLimits limits_;
  std::mutex mutex_;
  PlaceTable<Tried> tried_;     // by address, and by account and address
  PlaceTable<Tried> accounts_;  // separate, so that many addresses cannot displace accounts
  PlaceTable<Known> known_;
};

namespace {

Error too_many_attempts(Duration wait) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
  return Error(kTooManyRequests, "Too many attempts. Try again later.")
      .with_header("Retry-After", std::to_string(seconds));
}

}  // namespace
}  // namespace detail::middleware

void LoginAttempt::succeeded() {
  if (const auto table = std::exchange(table_, nullptr)) {
    table->succeed(keys_, detail::runtime::now_anywhere());
  }
}

void LoginAttempt::cancel() {
  if (const auto table = std::exchange(table_, nullptr)) {
    table->undo(keys_, detail::runtime::now_anywhere());
  }
}

LoginThrottle::LoginThrottle(LoginLimits limits) : ipv6_prefix_bits_(limits.ipv6_prefix_bits) {
  for (const LoginDelays& delays : {limits.account_and_address, limits.address, limits.account}) {
    detail::middleware::check_delays(delays);
  }
  if (ipv6_prefix_bits_ > detail::middleware::kIpv6AddressBits) {
    throw Failure(Error::internal("login_throttle: An IPv6 prefix must have at most 128 bits"));
  }
  table_ = std::make_shared<detail::middleware::LoginTable>(std::move(limits));
  detail::base::note_per_process("LoginThrottle");
}

detail::middleware::LoginKeys LoginThrottle::keys_of(std::string_view account,
                                                     const ClientInfo& client) const {
  return table_->keys_of(
      account, detail::middleware::network_of(IpAddress::parse(client.address), ipv6_prefix_bits_));
}

Result<LoginAttempt> LoginThrottle::begin(std::string_view account,
                                          const ClientInfo& client) const {
  const auto counted = table_->begin(keys_of(account, client), detail::runtime::now_anywhere());
  if (!counted) {
    return fail(detail::middleware::too_many_attempts(counted.error()));
  }
  return LoginAttempt(table_, *counted);
}

void LoginThrottle::make_known(std::string_view account, const ClientInfo& client) const {
  table_->know(keys_of(account, client), detail::runtime::now_anywhere());
}

std::size_t LoginThrottle::bytes() const noexcept {
  return table_->bytes();
}

}  // namespace eider
