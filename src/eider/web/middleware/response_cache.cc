#include "eider/web/middleware/response_cache.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/handlers/client_address.h"
#include "eider/app/handlers/operation.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/sync.h"
#include "eider/protocols/http/conditional_response.h"
#include "eider/protocols/http/date.h"
#include "eider/protocols/http/field_values.h"
#include "eider/protocols/http/list.h"
#include "eider/web/middleware/cookieless.h"
#include "eider/web/middleware/csrf.h"
#include "eider/web/middleware/identity.h"
#include "eider/web/middleware/security_headers.h"
#include "eider/web/middleware/stored_responses.h"
#include "eider/web/middleware/upstream_headers.h"
#include "eider/web/middleware/writes.h"

namespace eider {

namespace {

using detail::middleware::StoredResponse;
using detail::middleware::StoredResponses;

constexpr int kErrorsFrom = 400;
/// Longer times are the same as this one, and cannot overflow.
constexpr std::int64_t kYearSeconds = std::int64_t{366} * 24 * 3600;

/// The directives of Cache-Control that matter to a shared cache (RFC 9111, section 5.2).
struct CacheWords {
  bool forbids = false;    // no-store, private, no-cache
  bool is_public = false;  // public, s-maxage: also for authenticated requests
  bool asks_anew = false;  // no-cache, max-age=0
  bool no_store = false;
  std::optional<std::chrono::seconds> max_age;
};

void take_directive(CacheWords& words, std::string_view directive, bool& is_shared) {
  const std::string_view name = trim(directive.substr(0, directive.find('=')));
  const auto is = [name](std::string_view other) { return equals_ignoring_case(name, other); };
  words.no_store = words.no_store || is("no-store");
  words.forbids = words.forbids || is("no-store") || is("private") || is("no-cache");
  words.asks_anew = words.asks_anew || is("no-cache");
  words.is_public = words.is_public || is("public") || is("s-maxage");
  const bool is_for_shared = is("s-maxage");
  if (!is_for_shared && (is_shared || !is("max-age"))) {
    return;
  }
  // An invalid value counts as stale (section 4.2.1), even if there is another valid one.
  std::string_view seconds = trim(directive.substr(std::min(name.size() + 1, directive.size())));
  if (seconds.size() > 1 && seconds.starts_with('"') && seconds.ends_with('"')) {
    seconds = seconds.substr(1, seconds.size() - 2);
  }
  constexpr auto kMost = static_cast<std::uint64_t>(kYearSeconds);
  words.max_age = std::chrono::seconds(std::min(parse_uint64(seconds).value_or(0), kMost));
  is_shared = is_for_shared;
  words.asks_anew = words.asks_anew || words.max_age == std::chrono::seconds(0);
}

void take_directives(CacheWords& words, std::string_view value, bool& is_shared) {
  ListReader list(value);
  while (const auto directive = list.next()) {
    take_directive(words, *directive, is_shared);
  }
}

CacheWords words_of(const Request& request) {
  CacheWords words;
  bool is_shared = false;
  for (const Field& field : request.headers()) {
    if (equals_ignoring_case(field.name, "Cache-Control") ||
        equals_ignoring_case(field.name, "Pragma")) {
      take_directives(words, field.value, is_shared);
    }
  }
  return words;
}

CacheWords words_of(const Response& response) {
  CacheWords words;
  bool is_shared = false;
  take_directives(words, joined_values(response.field_lines(), "Cache-Control"), is_shared);
  return words;
}

/// Returns the lifetime that a response sets, by Cache-Control or else by Expires (RFC 9111,
/// section 4.2.1). An invalid date, such as "0", is in the past (section 5.3).
std::optional<std::chrono::seconds> lifetime_of(const CacheWords& words, const Response& response) {
  const auto expires = response.find_header("Expires");
  if (words.max_age || !expires) {
    return words.max_age;
  }
  const std::int64_t now = wall_time().time_since_epoch().count();
  const std::int64_t left = parse_date(*expires, now).value_or(now) - now;
  return std::chrono::seconds(std::clamp<std::int64_t>(left, 0, kYearSeconds));
}

/// Returns how old a response is already, for example because a handler has received it from
/// another cache. Invalid values are ignored (RFC 9111, section 5.1).
std::chrono::seconds age_of(const Response& response) {
  constexpr auto kMost = static_cast<std::uint64_t>(kYearSeconds);
  const auto age = parse_uint64(response.find_header("Age").value_or(""));
  return std::chrono::seconds(std::min(age.value_or(0), kMost));
}

/// Represents ResponseVariant among the header names; it is not a valid header name.
constexpr std::string_view kVariant = ":variant";

/// Returns the names in lower case and sorted; nothing for "*", with which no two requests match.
std::optional<std::vector<std::string>> vary_of(const Request& request, const Response& response) {
  std::vector<std::string> names;
  const std::string values = joined_values(response.field_lines(), "Vary");
  ListReader list(values);
  while (const auto name = list.next()) {
    if (*name == "*") {
      return std::nullopt;
    }
    names.push_back(in_lower_case(*name));
  }
  if (request.find<ResponseVariant>() != nullptr) {
    names.emplace_back(kVariant);
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

/// Joins the headers of one name in a request.
class RequestValues {
 public:
  explicit RequestValues(const Request& request) noexcept : request_(request) {}
  std::string_view operator()(std::string_view name) {
    joined_.clear();
    if (name == kVariant) {
      const ResponseVariant* const variant = request_.find<ResponseVariant>();
      return variant == nullptr ? std::string_view() : variant->name;
    }
    for (const Field& field : request_.headers()) {
      if (equals_ignoring_case(field.name, name)) {
        joined_.append(field.value).append(",");
      }
    }
    return joined_;
  }

 private:
  const Request& request_;
  std::string joined_;
};

std::string target_of(const Request& request, const ProxyTrust& trust) {
  // Separated by a space, which neither a host nor a path can contain, even if a proxy sets it.
  std::string target = client_origin_of(request, trust);
  return target.append(" ").append(request.path()).append("?").append(request.query());
}

/// Partial responses are not cached, and only the handler can evaluate other preconditions (section
/// 4.3.2).
bool asks_for_a_part_or_a_state(const Request& request) noexcept {
  return request.header("Range") || request.header("If-Match") ||
         request.header("If-Unmodified-Since");
}

bool says_who_asks(const Request& request) noexcept {
  const auto secured = request.tls();
  return request.header("Authorization").has_value() || request.header("Cookie").has_value() ||
         request.find<Identity>() != nullptr ||
         request.find<detail::middleware::Cookieless>() != nullptr ||
         (secured && !secured->client.fingerprint.empty());
}

/// Returns whether the response is for one client, which the cache cannot see otherwise: middleware
/// adds values to it outside of the cache, or a guard sets headers for an upstream.
bool is_made_for_one(const Request& request) noexcept {
  return request.find<CsrfToken>() != nullptr || request.find<CspNonce>() != nullptr ||
         request.find<UpstreamHeaders>() != nullptr;
}

/// Returns whether the client already has that response (If-None-Match, If-Modified-Since).
bool is_known_to(const Request& request, const Response& response) {
  const std::int64_t now = wall_time().time_since_epoch().count();
  const Representation kept = representation_of(response, now);
  return (kept.tag || kept.modified_seconds) &&
         evaluate_preconditions(Method::get, request.headers(), kept, now) == Verdict::not_modified;
}

/// Lets concurrent requests for one target wait until the first one has ended.
using Flights = std::map<std::string, std::shared_ptr<AsyncEvent>>;

/// The first request for a target. When it ends, with any outcome, the waiting ones continue.
class Leading {
 public:
  Leading(Flights& flights, std::string target)
      : flights_(flights), target_(std::move(target)), is_over_(std::make_shared<AsyncEvent>()) {
    flights_.emplace(target_, is_over_);
  }
  Leading(const Leading&) = delete;
  Leading& operator=(const Leading&) = delete;
  ~Leading() {
    flights_.erase(target_);
    is_over_->set();
  }

 private:
  Flights& flights_;
  std::string target_;
  std::shared_ptr<AsyncEvent> is_over_;
};

class Cache {
 public:
  Cache(const ResponseCache& options, const ProxyTrust& trust)
      : options_(options),
        trust_(trust),
        responses_(options.bytes_max),
        flights_([] { return std::make_unique<Flights>(); }) {}

  /// Pre: this object outlives the task, because the service owns the middleware.
  Task<Response> respond(Request& request, Next next) {
    if (request.method() != Method::get || asks_for_a_part_or_a_state(request) ||
        !request.body().empty()) {
      Response response = co_await pass(request, next);
      co_return response;
    }
    const CacheWords words = words_of(request);
    if (words.no_store) {
      Response response = co_await next();
      co_return response;
    }
    const std::string target = target_of(request, trust_);
    if (!words.asks_anew) {
      if (const auto stored = co_await find_or_wait(target, request)) {
        co_return made_of(*stored, request);
      }
    }
    Response response = co_await lead(request, next, target);
    co_return response;
  }

 private:
  /// A write invalidates the stored response of that target (section 4.4).
  Task<Response> pass(Request& request, Next next) {
    Response response = co_await next();
    if (may_write(request.method()) && response.status() < kErrorsFrom) {
      responses_.forget(target_of(request, trust_));
    }
    co_return response;
  }

  /// Returns the stored response, if necessary after waiting for the request that fetches it. Waits
  /// only once: otherwise requests would run one after the other if each gets its own response, or
  /// if the first clients disconnect.
  Task<std::shared_ptr<const StoredResponse>> find_or_wait(const std::string& target,
                                                           const Request& request) {
    auto stored = find(target, request);
    const std::shared_ptr<AsyncEvent> is_over = stored == nullptr ? flight_of(target) : nullptr;
    if (is_over != nullptr) {
      co_await is_over->wait();
      stored = find(target, request);
    }
    co_return stored;
  }

  Task<Response> lead(Request& request, Next next, std::string target) {
    const StoredResponses::Asked asked(responses_, target);
    std::optional<Leading> leading;
    if (flight_of(target) == nullptr) {
      leading.emplace(flights_.here(), std::move(target));
    }
    Response response = co_await next();
    store(asked, request, response);
    co_return response;
  }

  [[nodiscard]] std::shared_ptr<AsyncEvent> flight_of(const std::string& target) const {
    const Flights& flights = flights_.here();
    const auto found = flights.find(target);
    return found == flights.end() ? nullptr : found->second;
  }

  [[nodiscard]] std::shared_ptr<const StoredResponse> find(const std::string& target,
                                                           const Request& request) {
    return responses_.find(target, RequestValues(request), Loop::current().now());
  }

  static Response made_of(const StoredResponse& stored, const Request& request) {
    Response response(stored.status);
    response.append_field_lines(stored.field_lines);
    // The turn of another event loop may have started later than that of this one.
    const Duration since_made = std::max(Loop::current().now() - stored.made, Duration::zero());
    const auto age = std::chrono::floor<std::chrono::seconds>(since_made);
    response.replace_header("Age", std::to_string(age.count()));
    if (stored.status == 200 && is_known_to(request, response)) {
      become_not_modified(response);
      return response;
    }
    if (!stored.type.empty()) {
      response.set_type(stored.type);
    }
    response.set_shared_body(stored.body);
    return response;
  }

  /// Returns how old a response may become; zero: it must not be reused.
  [[nodiscard]] Duration freshness(const Request& request, const Response& response) const {
    const CacheWords words = words_of(response);
    const int status = response.status();
    const bool may_be_kept = status == 200 || status == 203 || status == 204 || status == 301 ||
                             status == 308 || status == 404 || status == 410;
    if (!may_be_kept || words.forbids || (says_who_asks(request) && !words.is_public) ||
        is_made_for_one(request) || response.find_header("Set-Cookie") ||
        response.closes_connection() || !is_in_memory(response) ||
        response.body().size() > options_.response_bytes_max) {
      return Duration::zero();
    }
    const auto own = lifetime_of(words, response);
    return own ? Duration(*own) : (status == 200 ? options_.ttl : Duration::zero());
  }

  void store(const StoredResponses::Asked& asked, const Request& request,
             const Response& response) {
    const Duration age = age_of(response);
    const Duration ttl = freshness(request, response);
    const auto vary = vary_of(request, response);
    if (ttl <= age || !vary) {
      return;
    }
    const Instant made = Loop::current().now() - age;
    responses_.store(asked, *vary, RequestValues(request),
                     {.status = response.status(),
                      .type = std::string(response.content_type()),
                      .field_lines = std::string(response.field_lines()),
                      .body = std::make_shared<const std::string>(response.body()),
                      .made = made,
                      .fresh_until = made + ttl});
  }

  const ResponseCache options_;
  const ProxyTrust& trust_;
  StoredResponses responses_;
  LoopLocal<Flights> flights_;
};

void describe_cache(Operation& operation) {
  for (Operation::Response& response : operation.responses) {
    if (operation.method == Method::get && response.status == 200 && !response.is_streamed) {
      response.add_header("Age");
    }
  }
}

}  // namespace

ClientMiddleware response_cache(ResponseCache options) {
  return {[options](const ProxyTrust& trust) {
    const auto cache = std::make_shared<Cache>(options, trust);
    return Middleware(
        [cache](Request& request, Next next) { return cache->respond(request, next); },
        "response_cache", describe_cache);
  }};
}

}  // namespace eider
