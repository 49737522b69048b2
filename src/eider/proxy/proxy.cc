#include "eider/proxy/proxy.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "eider/app/app.h"
#include "eider/base/failure.h"
#include "eider/client/client.h"
#include "eider/client/detail/http_url.h"
#include "eider/proxy/detail/forwarding.h"
#include "eider/proxy/detail/tunnel.h"
#include "eider/proxy/detail/upstreams.h"
#include "eider/runtime/loop_local.h"
#include "eider/runtime/scope.h"
#include "eider/runtime/sleep.h"
#include "eider/server/content.h"

namespace eider {

namespace {

using detail::Upstream;
using detail::Upstreams;

/// What all loops share.
struct Shared {
  Shared(const std::vector<std::string>& urls, ProxyOptions its_options)
      : upstreams(urls), options(std::move(its_options)) {}

  Upstreams upstreams;
  ProxyOptions options;
  std::atomic<bool> is_checking{false};  // one loop asks for health
};

/// What each loop has of its own.
struct PerLoop {
  explicit PerLoop(std::shared_ptr<Shared> its_shared)
      : shared(std::move(its_shared)),
        client(shared->options.client),
        busy(shared->upstreams.size()) {}

  std::shared_ptr<Shared> shared;
  HttpClient client;
  std::vector<unsigned> busy;
  Scope checks;
};

/// One request under way at an upstream.
class Underway {
 public:
  Underway(PerLoop& loop, std::size_t upstream) noexcept : loop_(&loop), upstream_(upstream) {
    ++loop_->busy[upstream_];
  }
  Underway(Underway&& other) noexcept
      : loop_(std::exchange(other.loop_, nullptr)), upstream_(other.upstream_) {}
  Underway& operator=(Underway&&) = delete;
  ~Underway() {
    if (loop_ != nullptr) {
      --loop_->busy[upstream_];
    }
  }

 private:
  PerLoop* loop_;
  std::size_t upstream_;
};

/// An upstream's content on its way to the client, no faster than that takes it.
class ProxiedContent final : public ProducedContent {
 public:
  ProxiedContent(ClientStream stream, Underway underway)
      : underway_(std::move(underway)), stream_(std::move(stream)) {}

  [[nodiscard]] Task<> produce(BodyWriter& out) override {
    for (;;) {
      auto taking = stream_.next();
      auto piece = co_await std::move(taking);
      if (!piece) {
        throw Failure(to_error(piece.error()));
      }
      if (piece->empty()) {
        break;
      }
      auto written = out.write(*piece);
      co_await written;
    }
    for (const Field& trailer : stream_.trailers()) {
      out.add_trailer(trailer.name, trailer.value);
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept override {
    const std::string_view text = stream_.header("Content-Length").value_or("");
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    return error == std::errc() ? std::optional(bytes) : std::nullopt;
  }
  [[nodiscard]] bool is_live() const noexcept override {
    return stream_.header("Content-Type").value_or("").starts_with("text/event-stream");
  }

 private:
  Underway underway_;
  ClientStream stream_;
};

bool is_idempotent(Method method) noexcept {
  return method != Method::post && method != Method::patch && method != Method::unknown;
}

/// Whether it says something about the upstream, and not about the request.
bool is_upstreams(ClientFault fault) noexcept {
  return fault != ClientFault::bad_request && fault != ClientFault::bad_url;
}

class Proxy {
 public:
  Proxy(std::shared_ptr<Shared> shared, std::size_t segments)
      : shared_(std::move(shared)),
        segments_(segments),
        loops_([shared = shared_] { return std::make_unique<PerLoop>(shared); }) {}

  [[nodiscard]] Task<Response> pass_on(const Request& request, BodyStream body) const;

 private:
  [[nodiscard]] std::size_t choose(const PerLoop& loop, const Request& request,
                                   std::uint64_t tried) const;
  [[nodiscard]] ClientRequest ask(PerLoop& loop, const Request& request, BodyStream& body,
                                  const Upstream& upstream) const;
  [[nodiscard]] Task<Response> open_websocket(const Request& request, Upstream& upstream) const;
  [[nodiscard]] unsigned tries(const Request& request) const noexcept;
  void watch_health(PerLoop& loop) const;
  [[nodiscard]] detail::ForwardedTrust trust() const noexcept {
    return shared_->options.trusts_forwarded ? detail::ForwardedTrust::some
                                             : detail::ForwardedTrust::none;
  }

  std::shared_ptr<Shared> shared_;
  std::size_t segments_;
  LoopLocal<PerLoop> loops_;
};

Response answer_of(ClientStream stream, Underway underway) {
  Response response(stream.status());
  if (const auto type = stream.header("Content-Type")) {
    response.set_type(std::string(*type));
  }
  detail::forward_answer_fields(
      stream.headers(),
      [&](std::string_view name, std::string_view value) { response.add_header(name, value); });
  response.set_content(std::make_unique<ProxiedContent>(std::move(stream), std::move(underway)));
  return response;
}

unsigned Proxy::tries(const Request& request) const noexcept {
  const bool may_repeat = is_idempotent(request.method()) && request.head().body == BodyKind::none;
  const auto upstreams = static_cast<unsigned>(shared_->upstreams.size());
  return may_repeat ? std::clamp(shared_->options.tries_max, 1U, upstreams) : 1U;
}

std::size_t Proxy::choose(const PerLoop& loop, const Request& request, std::uint64_t tried) const {
  const Instant now = Loop::current().now();
  const ProxyOptions& options = shared_->options;
  if (options.balancing == Balancing::least_busy) {
    return shared_->upstreams.least_busy(loop.busy, tried, now);
  }
  const auto field = options.hash_field.empty() ? std::nullopt : request.header(options.hash_field);
  return shared_->upstreams.responsible(field ? std::string(*field) : request.remote_address(),
                                        tried, now);
}

ClientRequest Proxy::ask(PerLoop& loop, const Request& request, BodyStream& body,
                         const Upstream& upstream) const {
  std::string url = upstream.url();
  url.append(detail::behind_prefix(request.head(), segments_));
  ClientRequest asked = loop.client.request(request.method(), url);
  detail::forward_request_fields(
      request, trust(),
      [&](std::string_view name, std::string_view value) { asked.header(name, value); });
  if (request.head().body == BodyKind::none) {
    return asked;
  }
  ContentProducer producer = [&body]() -> Task<std::string> {
    auto waiting = body.next();
    const auto piece = co_await waiting;
    co_return piece ? std::string(*piece) : std::string();
  };
  if (const auto bytes = body.length()) {
    asked.body_from(std::move(producer), {}, *bytes);
  } else {
    asked.body_from(std::move(producer), {});
  }
  return asked;
}

Task<Response> Proxy::open_websocket(const Request& request, Upstream& upstream) const {
  const auto url = detail::read_http_url(
      upstream.url() + std::string(detail::behind_prefix(request.head(), segments_)));
  if (!url) {
    throw Failure(Error::bad_request("The path cannot be passed on."));
  }
  auto opening = detail::open_tunnel(request, *url, shared_->options.client, trust());
  auto opened = co_await std::move(opening);
  if (!opened) {
    upstream.note_failure(Loop::current().now(), shared_->options);
    throw Failure(to_error(opened.error()));
  }
  upstream.note_success();
  co_return std::move(*opened);
}

Task<Response> Proxy::pass_on(const Request& request, BodyStream body) const {
  PerLoop& loop = loops_.here();
  watch_health(loop);
  std::uint64_t tried = 0;
  std::optional<ClientError> failed;
  for (unsigned left = tries(request); left != 0; --left) {
    const std::size_t index = choose(loop, request, tried);
    Upstream& upstream = shared_->upstreams[index];
    Underway underway(loop, index);
    if (detail::wants_websocket(request)) {
      auto opening = open_websocket(request, upstream);
      co_return co_await std::move(opening);
    }
    ClientRequest asked = ask(loop, request, body, upstream);
    auto sending = asked.send_streamed();
    auto reply = co_await std::move(sending);
    if (reply) {
      upstream.note_success();
      co_return answer_of(std::move(*reply), std::move(underway));
    }
    failed = std::move(reply.error());
    if (!is_upstreams(failed->fault)) {
      break;
    }
    upstream.note_failure(Loop::current().now(), shared_->options);
    tried |= std::uint64_t{1} << (index % 64);
  }
  throw Failure(to_error(*failed));
}

/// Asks each upstream in turn, for as long as this loop lives.
Task<> check_health(PerLoop& loop) {
  const ProxyOptions& options = loop.shared->options;
  for (;;) {
    for (std::size_t index = 0; index < loop.shared->upstreams.size(); ++index) {
      Upstream& upstream = loop.shared->upstreams[index];
      ClientRequest asked = loop.client.request(Method::get, upstream.url() + options.health_path);
      asked.timeout(options.health_every);
      auto sending = asked.send();
      const auto reply = co_await std::move(sending);
      if (reply && reply->status() < 400) {
        upstream.take_in();
      } else {
        upstream.take_out_until(Loop::current().now() + 3 * options.health_every);
      }
    }
    co_await sleep_for(options.health_every);
  }
}

void Proxy::watch_health(PerLoop& loop) const {
  if (!shared_->options.health_path.empty() && !shared_->is_checking.exchange(true)) {
    loop.checks.start(check_health(loop));
  }
}

std::string checked_url(std::string url) {
  if (auto read = detail::read_http_url(url); !read) {
    throw Failure(
        Error::internal("proxy_to: the upstream '" + url + "': " + std::string(read.error())));
  }
  while (url.ends_with('/')) {
    url.pop_back();
  }
  return url;
}

/// What the client would do beyond one exchange is not for a proxy.
ClientOptions plain(ClientOptions options) {
  options.decompresses = false;
  options.redirects_max = 0;
  options.retries_max = 0;
  options.user_agent = {};
  return options;
}

}  // namespace

void proxy_to(Routes& routes, const std::string& prefix, std::vector<std::string> upstreams,
              ProxyOptions options) {
  if (upstreams.empty()) {
    throw Failure(Error::internal("proxy_to: " + prefix + " has no upstream"));
  }
  for (std::string& url : upstreams) {
    url = checked_url(std::move(url));
  }
  options.client = plain(std::move(options.client));
  const std::string below = prefix == "/" ? std::string() : prefix;
  const auto segments = static_cast<std::size_t>(std::ranges::count(below, '/'));
  const std::size_t bytes_max = options.body_bytes_max;
  const auto shared = std::make_shared<Shared>(upstreams, std::move(options));
  const auto proxy = std::make_shared<const Proxy>(shared, segments);
  for (const Method method :
       {Method::get, Method::post, Method::put, Method::patch, Method::delete_, Method::options}) {
    for (const std::string& pattern : {below, below + "/{rest...}"}) {
      if (pattern.empty()) {
        continue;
      }
      if (pattern.ends_with('}')) {
        routes
            .route(method, RuntimePattern{pattern},
                   [proxy](std::string_view, const Request& request, BodyStream body) {
                     return proxy->pass_on(request, std::move(body));
                   })
            .body_bytes_max(bytes_max);
      } else {
        routes
            .route(method, RuntimePattern{pattern},
                   [proxy](const Request& request, BodyStream body) {
                     return proxy->pass_on(request, std::move(body));
                   })
            .body_bytes_max(bytes_max);
      }
    }
  }
}

}  // namespace eider
