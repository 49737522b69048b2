#include "eider/auth/jwt/jwks.h"

#include <utility>

#include "eider/auth/jwt/jwt.h"
#include "eider/client/client.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/http_url.h"

namespace eider {

namespace {

ClientOptions client_options(const JwksOptions& options) {
  ClientOptions own = options.client;
  own.total = options.deadline;
  own.body_bytes_max = options.bytes_max;
  own.redirects_max = 0;  // only responses of the issuer itself are trusted
  own.retries_max = 0;    // pause_min limits the retries
  return own;
}

Task<Result<std::string>> fetch_by(std::shared_ptr<HttpClient> client, std::string url) {
  auto reply = co_await client->get(url);
  if (!reply) {
    co_return fail(Error::internal(reply.error().text));
  }
  if (reply->status() != 200) {
    co_return fail(Error::internal(url + " responded with " + std::to_string(reply->status())));
  }
  co_return std::string(reply->body());
}

}  // namespace

namespace detail::jwt {

JwksOptions checked_jwks(JwksOptions options) {
  const auto refuse = [&](std::string_view why) {
    throw Failure(Error::internal("jwks: " + std::string(why) + ": " + options.url));
  };
  const auto url = http::read_http_url(options.url);
  if (!url) {
    refuse(url.error());
  }
  const bool is_here = url->host == "127.0.0.1" || url->host == "::1" || url->host == "localhost";
  if (!url->is_secure && !is_here) {
    refuse("the URL of the keys must use https; otherwise an attacker could replace the keys");
  }
  if (options.pause_min <= Duration::zero() || options.deadline <= Duration::zero()) {
    refuse("pause_min and deadline must be greater than 0");
  }
  return options;
}

JwksCache::JwksCache(const JwksOptions& options, Fetch fetch)
    : options_(options), fetch_(std::move(fetch)) {}

bool JwksCache::is_due() const {
  return !was_asked_ || Loop::current().now() - asked_at_ >= options_.pause_min;
}

bool JwksCache::are_usable() const {
  return keys_ != nullptr && Loop::current().now() - fetched_at_ < options_.stale_if_error;
}

void JwksCache::begin_fetch() {
  if (is_asking_ || !is_due()) {
    return;
  }
  is_asking_ = true;
  is_behind_a_break_ = (Loop::current().now() - asked_at_) / 2 >= options_.refresh_after;
  was_asked_ = true;
  asked_at_ = Loop::current().now();
  answered_.reset();
  // In the scope, not in the task of the request: if its client disconnects, other requests still
  // get the response.
  asking_.start(fetch_once());
}

Task<> JwksCache::fetch_once() {
  try {
    const Result<std::string> text = co_await fetch_();
    auto keys = text ? parse_jwks(*text, options_.rsa_default, options_.keys_max)
                     : Result<std::vector<JwtKey>>(fail(text.error()));
    // If the text is not a key set, the issuer has made an error, and the old keys stay valid. A
    // set without keys is accepted: the issuer has revoked all keys.
    if (keys) {
      keys_ = std::make_shared<const std::vector<JwtKey>>(std::move(*keys));
      fetched_at_ = Loop::current().now();
    }
  } catch (const std::exception&) {
    // Like an invalid response: the next fetch follows when it is due.
  }
  is_asking_ = false;
  answered_.set();
}

Task<Result<JwksCache::Keys, JwtError>> JwksCache::keys_for(std::string token, Keys refuted) {
  const bool is_known = are_usable() && keys_ != refuted && has_key_for(token, *keys_);
  if (!is_known || Loop::current().now() - fetched_at_ >= options_.refresh_after) {
    begin_fetch();
  }
  if (is_asking_ && (!is_known || is_behind_a_break_)) {
    co_await answered_.wait();
  }
  if (!are_usable()) {
    co_return fail(JwtError{JwtFault::keys_unavailable, "the issuer's keys are not available"});
  }
  co_return keys_;
}

Task<Result<JwtClaims, JwtError>> JwksCache::check(std::string token, Check check) {
  const auto keys = co_await keys_for(token);
  if (!keys) {
    co_return fail(keys.error());
  }
  auto checked = check(**keys);
  if (checked || checked.error().fault != JwtFault::bad_signature) {
    co_return checked;
  }
  const auto newer = co_await keys_for(std::move(token), *keys);
  co_return newer && *newer != *keys ? check(**newer) : std::move(checked);
}

}  // namespace detail::jwt

Jwks::Jwks(JwksOptions options) {
  const auto kept =
      std::make_shared<const JwksOptions>(detail::jwt::checked_jwks(std::move(options)));
  caches_ = std::make_shared<LoopLocal<detail::jwt::JwksCache>>([kept] {
    const auto client = std::make_shared<HttpClient>(client_options(*kept));
    return std::make_unique<detail::jwt::JwksCache>(
        *kept, [client, url = kept->url] { return fetch_by(client, url); });
  });
}

}  // namespace eider
