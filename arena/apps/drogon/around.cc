#include "around.h"

#include <drogon/CacheMap.h>
#include <drogon/HttpMiddleware.h>
#include <drogon/RateLimiter.h>
#include <drogon/drogon.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace arena {

using drogon::HttpRequestPtr;
using drogon::HttpResponse;
using drogon::HttpResponsePtr;
using drogon::MiddlewareCallback;
using drogon::MiddlewareNextCallback;

namespace {

constexpr std::size_t kNobodyIsRefused = 1'000'000'000;
constexpr std::size_t kForgottenAfterSeconds = 600;
constexpr float kWheelSeconds = 1;
constexpr std::size_t kWheels = 2;
constexpr std::size_t kWheelBuckets = 100;

HttpResponsePtr refusal(drogon::HttpStatusCode status) {
  HttpResponsePtr response = HttpResponse::newHttpResponse();
  response->setStatusCode(status);
  return response;
}

}  // namespace

class RequestId : public drogon::HttpMiddleware<RequestId, false> {
 public:
  void invoke(const HttpRequestPtr&, MiddlewareNextCallback&& next,
              MiddlewareCallback&& answer) override {
    next([name = drogon::utils::getUuid(), answer = std::move(answer)](const HttpResponsePtr& to) {
      to->addHeader("X-Request-Id", name);
      answer(to);
    });
  }
};

class ConcurrencyLimit : public drogon::HttpMiddleware<ConcurrencyLimit, false> {
 public:
  void invoke(const HttpRequestPtr&, MiddlewareNextCallback&& next,
              MiddlewareCallback&& answer) override {
    if (running_.fetch_add(1) >= kNobodyIsRefused) {
      --running_;
      answer(refusal(drogon::k503ServiceUnavailable));
      return;
    }
    next([this, answer = std::move(answer)](const HttpResponsePtr& to) {
      --running_;
      answer(to);
    });
  }

 private:
  std::atomic<std::size_t> running_{0};
};

/// By address, as Drogon's plugin Hodor counts, which is for whole applications and tells nobody
/// how things stand.
class RateLimit : public drogon::HttpMiddleware<RateLimit, false> {
 public:
  void invoke(const HttpRequestPtr& request, MiddlewareNextCallback&& next,
              MiddlewareCallback&& answer) override {
    if (!limiter_of(request->peerAddr().toIpNetEndian())->isAllowed()) {
      answer(refusal(drogon::k429TooManyRequests));
      return;
    }
    next([this, answer = std::move(answer)](const HttpResponsePtr& to) {
      to->addHeader("RateLimit-Policy", policy_);
      answer(to);
    });
  }

 private:
  drogon::RateLimiterPtr limiter_of(const std::string& address) {
    drogon::RateLimiterPtr found;
    limiters_.modify(
        address,
        [&found](drogon::RateLimiterPtr& limiter) {
          if (!limiter) {
            limiter = std::make_shared<drogon::SafeRateLimiter>(drogon::RateLimiter::newRateLimiter(
                drogon::RateLimiterType::kTokenBucket, kNobodyIsRefused));
          }
          found = limiter;
        },
        kForgottenAfterSeconds);
    return found;
  }

  drogon::CacheMap<std::string, drogon::RateLimiterPtr> limiters_{
      drogon::app().getLoop(), kWheelSeconds, kWheels, kWheelBuckets};
  std::string policy_ = "\"default\";q=" + std::to_string(kNobodyIsRefused) + ";w=60";
};

class SecurityHeaders : public drogon::HttpMiddleware<SecurityHeaders, false> {
 public:
  void invoke(const HttpRequestPtr&, MiddlewareNextCallback&& next,
              MiddlewareCallback&& answer) override {
    next([answer = std::move(answer)](const HttpResponsePtr& to) {
      for (const auto& [name, value] : kFields) {
        to->addHeader(name, value);
      }
      answer(to);
    });
  }

 private:
  inline static const std::array<std::pair<std::string, std::string>, 7> kFields{{
      {"Content-Security-Policy",
       "default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; "
       "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "same-origin"},
      {"X-Frame-Options", "DENY"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
  }};
};

class CrossOriginProtection : public drogon::HttpMiddleware<CrossOriginProtection, false> {
 public:
  void invoke(const HttpRequestPtr& request, MiddlewareNextCallback&& next,
              MiddlewareCallback&& answer) override {
    if (is_foreign(*request)) {
      answer(refusal(drogon::k403Forbidden));
      return;
    }
    next(std::move(answer));
  }

 private:
  /// By the word of the browser; what says nothing is a program.
  static bool is_foreign(const drogon::HttpRequest& request) {
    if (const std::string& site = request.getHeader("sec-fetch-site"); !site.empty()) {
      return site != "same-origin" && site != "none";
    }
    const std::string& origin = request.getHeader("origin");
    const std::string_view source = origin.empty() ? request.getHeader("referer") : origin;
    if (source.empty()) {
      return false;
    }
    const std::size_t mark = source.find("://");
    const std::string_view rest = mark == source.npos ? "" : source.substr(mark + 3);
    return rest.substr(0, rest.find('/')) != request.getHeader("host");
  }
};

template <typename Middleware>
static std::string add() {
  drogon::app().registerMiddleware(std::make_shared<Middleware>());
  return Middleware::classTypeName();
}

std::vector<std::string> add_middlewares_of_orders() {
  return {add<RequestId>(), add<ConcurrencyLimit>(), add<RateLimit>(), add<SecurityHeaders>(),
          add<CrossOriginProtection>()};
}

}  // namespace arena
