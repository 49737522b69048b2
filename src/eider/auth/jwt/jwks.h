// The public keys of an issuer, fetched from its URL and cached.
// Layering: must not let senders of tokens decide how often the issuer is requested.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/auth/jwt/algorithm.h"
#include "eider/auth/jwt/claims.h"
#include "eider/auth/jwt/jwt_key.h"
#include "eider/client/client_options.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

struct JwksOptions {
  /// "https://id.example/.well-known/jwks.json"; http:// only for this machine (127.0.0.1, [::1],
  /// localhost).
  std::string url;
  /// Algorithm of RSA keys that do not name one.
  JwtAlgorithm rsa_default = JwtAlgorithm::rs256;
  /// Older keys are fetched again while they are still used. After a period twice as long without
  /// requests, tokens wait for the fetch, because keys may have been revoked.
  Duration refresh_after = std::chrono::minutes(15);
  /// Minimum time between two requests to the issuer, whatever key ids the tokens have.
  Duration pause_min = std::chrono::seconds(30);
  /// Keys that could not be fetched again for this long are no longer accepted.
  Duration stale_if_error = std::chrono::hours(24);
  /// Time limit for one request, from the DNS lookup to the last byte.
  Duration deadline = std::chrono::seconds(5);
  std::size_t bytes_max = std::size_t{256} * 1024;
  /// Maximum number of keys. Tokens without a `kid` are checked with at most 8 keys (see
  /// check_jwt).
  std::size_t keys_max = 64;
  /// Client options: certificate authorities, proxies. `total`, sizes, redirects and retries are
  /// set above.
  ClientOptions client = {};
};

namespace detail::jwt {

/// Throws a Failure that describes an invalid option.
[[nodiscard]] JwksOptions checked_jwks(JwksOptions options);

/// The cache of one event loop.
class JwksCache {
 public:
  /// Returns the body of a 200, or the error for the log.
  using Fetch = std::function<Task<Result<std::string>>()>;

  using Keys = std::shared_ptr<const std::vector<JwtKey>>;
  using Check = std::function<Result<JwtClaims, JwtError>(std::span<const JwtKey> keys)>;

  JwksCache(const JwksOptions& options, Fetch fetch);

  /// Returns the keys for this token: immediately if one has its id and the keys are recent,
  /// otherwise after a fetch, if one is due.
  ///
  /// refuted  keys none of which has signed the token: newer keys are fetched, because an issuer
  ///          may replace a key without a new id
  /// errors   keys_unavailable: no keys were fetched, or too long ago
  [[nodiscard]] Task<Result<Keys, JwtError>> keys_for(std::string token, Keys refuted = nullptr);
  /// Returns the result of `check` for these keys, or for newer ones if none of the old keys has
  /// signed the token.
  [[nodiscard]] Task<Result<JwtClaims, JwtError>> check(std::string token, Check check);

 private:
  [[nodiscard]] bool is_due() const;
  [[nodiscard]] bool are_usable() const;
  void begin_fetch();
  Task<> fetch_once();

  const JwksOptions options_;
  const Fetch fetch_;
  Keys keys_;
  Instant fetched_at_;
  Instant asked_at_;
  bool was_asked_ = false;
  bool is_asking_ = false;
  bool is_behind_a_break_ = false;  // of the current fetch: all requests wait for it
  AsyncEvent answered_;
  Scope asking_;
};

}  // namespace detail::jwt

/// The keys of an issuer, for the process; each event loop fetches separately, so that an issuer
/// gets at most one request per event loop within `pause_min`.
class Jwks {
 public:
  /// Throws a Failure for an invalid URL, for http:// to another machine, and for a `pause_min` or
  /// `deadline` that is not positive.
  explicit Jwks(JwksOptions options);

  /// Pre: on an event loop.
  [[nodiscard]] detail::jwt::JwksCache& here() const { return caches_->here(); }

 private:
  std::shared_ptr<LoopLocal<detail::jwt::JwksCache>> caches_;
};

}  // namespace eider
