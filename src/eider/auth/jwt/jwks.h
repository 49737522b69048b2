// An issuer's keys, fetched from its URL and kept.
// Must not let those who send tokens decide how often the issuer is asked.
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
  /// "https://id.example/.well-known/jwks.json"; http:// of this machine alone (127.0.0.1, [::1],
  /// localhost).
  std::string url;
  /// Of keys that do not say their algorithm and are RSA.
  JwtAlgorithm rsa_default = JwtAlgorithm::rs256;
  /// Keys that are older are fetched again, while they serve on. Behind a break twice as long, in
  /// which nobody asked, tokens wait for the answer: their keys may have been withdrawn meanwhile.
  Duration refresh_after = std::chrono::minutes(15);
  /// Between two requests to the issuer, whoever sends tokens with whatever key's id.
  Duration pause_min = std::chrono::seconds(30);
  /// Keys that could not be fetched again for so long are no keys any more.
  Duration kept_for = std::chrono::hours(24);
  /// Of one request, from names to the last byte.
  Duration deadline = std::chrono::seconds(5);
  std::size_t bytes_max = std::size_t{256} * 1024;
  /// Tokens without a `kid` are tried by the first 8 of their algorithm (see check_jwt).
  std::size_t keys_max = 64;
  /// How it is asked: authorities, proxies. Deadlines, sizes, redirects and retries are those above
  /// and none.
  ClientOptions client = {};
};

namespace detail::jwt {

/// Throws a Failure that says what is wrong.
[[nodiscard]] JwksOptions checked_jwks(JwksOptions options);

/// One loop's.
class JwksCache {
 public:
  /// The body of a 200, or what prevented one, for the log.
  using Fetch = std::function<Task<Result<std::string>>()>;

  using Keys = std::shared_ptr<const std::vector<JwtKey>>;
  using Check = std::function<Result<JwtClaims, JwtError>(std::span<const JwtKey> keys)>;

  JwksCache(const JwksOptions& options, Fetch fetch);

  /// The keys for this token: at once where one has its id and they are not long unlooked at, else
  /// behind a fetch, if one is due.
  ///
  /// refuted  none of these has signed it: newer ones are wanted, since issuers may change a key
  ///          and leave its id, or have none
  /// errors   keys_unavailable: none were fetched, or too long ago
  [[nodiscard]] Task<Result<Keys, JwtError>> keys_for(std::string token, Keys refuted = nullptr);
  /// What `check` says by these keys; by newer ones where the signature is by none of the old.
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
  bool is_behind_a_break_ = false;  // the request under way, which all wait for
  Event answered_;
  Scope asking_;
};

}  // namespace detail::jwt

/// Of the process; each loop asks by itself, so that an issuer sees as many requests as there are
/// loops in `pause_min` at most.
class Jwks {
 public:
  /// Throws a Failure for a URL that is none, or http:// to another machine.
  explicit Jwks(JwksOptions options);

  /// Pre: on a loop.
  [[nodiscard]] detail::jwt::JwksCache& here() const { return caches_->here(); }

 private:
  std::shared_ptr<LoopLocal<detail::jwt::JwksCache>> caches_;
};

}  // namespace eider
