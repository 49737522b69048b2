#include "eider/web/proxy/proxy.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/client_address.h"
#include "eider/client/call.h"
#include "eider/client/client_request.h"
#include "eider/client/client_response.h"
#include "eider/client/client_state.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/sleep.h"
#include "eider/protocols/http/http_url.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/parameters.h"
#include "eider/protocols/http/response.h"
#include "eider/protocols/http/sse.h"
#include "eider/server/content.h"
#include "eider/web/middleware/upstream_headers.h"
#include "eider/web/proxy/forwarding.h"
#include "eider/web/proxy/tunnel.h"
#include "eider/web/proxy/upstream_call.h"
#include "eider/web/proxy/upstreams.h"

namespace eider::detail::proxy {

namespace {

class ProxiedContent final : public ProducedContent {
 public:
  ProxiedContent(ClientStream stream, Load load)
      : load_(std::move(load)), stream_(std::move(stream)) {}

  [[nodiscard]] Task<> produce(BodyWriter& out) override {
    while (true) {
      auto taking = stream_.next();
      if (!taking.start()) {
        // The next bytes may take long: sends the headers, and the bytes that compression gathers.
        out.flush();
      }
      auto piece = co_await std::move(taking);
      if (!piece) {
        throw Failure(to_error(piece.error()));
      }
      if (piece->empty()) {
        break;
      }
      co_await out.write(*piece);
    }
    // Trailers are complete only after the last piece.
    forward_trailers(
        stream_.headers(), stream_.trailers(),
        [&](std::string_view name, std::string_view value) { out.add_trailer(name, value); });
  }
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept override {
    const auto text = stream_.header("Content-Length");
    return text ? parse_uint64(*text) : std::nullopt;
  }
  [[nodiscard]] bool is_live() const noexcept override {
    return equals_ignoring_case(without_parameters(stream_.header("Content-Type").value_or("")),
                                kTextEventStream);
  }

 private:
  Load load_;
  ClientStream stream_;
};

/// Returns the complete body, if it has already arrived and there are no trailers.
std::optional<std::string> whole_content(client::Answered& answered) {
  client::ClientExchange& connection = *answered.lease;
  if (!connection.is_done() || !answered.received->trailers.empty()) {
    return std::nullopt;
  }
  const auto piece = connection.take_piece();  // the only one: nothing is decoded
  std::string content(piece ? *piece : std::string_view());
  // The bytes are copied, so that the connection can be reused.
  answered.give_back();
  return content;
}

}  // namespace

/// Creates the response for the client. A body that has arrived completely is buffered, and its
/// connection is given back. Otherwise the body is streamed, at the client's speed, and fails if it
/// stays incomplete.
///
/// client  outlives the response
/// asked   method of the request: for HEAD, headers about the body are kept
/// load    kept until the body has been sent
Response to_response(client::ClientState& client, client::Answered answered, Method asked,
                     Load load) {
  // RFC 9110, section 15: a status code above 599 is handled as a server error.
  constexpr int kStatusMax = 599;
  const int status = answered.received->status;
  Response response(status > kStatusMax ? 502 : status);
  if (const auto type = answered.received->find("Content-Type")) {
    response.set_type(std::string(*type));
  }
  forward_response_fields(
      answered.received->fields, answered.received->version,
      [&](std::string_view name, std::string_view value) { response.add_header(name, value); });
  // A response to HEAD keeps the length from its headers.
  auto content = asked == Method::head ? std::nullopt : whole_content(answered);
  if (content) {
    response.set_body(std::move(*content));
  } else {
    response.set_content(std::make_unique<ProxiedContent>(ClientStream(client, std::move(answered)),
                                                          std::move(load)));
  }
  return response;
}

}  // namespace eider::detail::proxy

namespace eider {

namespace {

using detail::proxy::Load;
using detail::proxy::Upstream;
using detail::proxy::Upstreams;

/// Shared by all event loops.
struct Shared {
  Shared(const std::vector<std::string>& urls, ProxyOptions its_options)
      : upstreams(urls), options(std::move(its_options)) {}

  Upstreams upstreams;
  ProxyOptions options;
};

/// The state of one event loop.
struct PerLoop {
  explicit PerLoop(std::shared_ptr<Shared> its_shared);

  std::shared_ptr<Shared> shared;
  detail::client::ClientState client;
  std::vector<net::Route> routes;  // to each upstream
  std::vector<unsigned> busy;      // requests and tunnels in progress at each
};

PerLoop::PerLoop(std::shared_ptr<Shared> its_shared)
    : shared(std::move(its_shared)),
      client(Loop::current(), shared->options.client, nullptr),
      busy(shared->upstreams.size()) {
  for (std::size_t index = 0; index < shared->upstreams.size(); ++index) {
    routes.push_back(client.route_to(shared->upstreams[index].url()));
  }
}

/// The response of one upstream, or the reason why there is none.
struct Attempt {
  Result<Response, ClientError> outcome;
  bool has_asked = false;  // the upstream may have started processing
};

class Proxy {
 public:
  Proxy(std::shared_ptr<Shared> shared, bool removes_prefix)
      : shared_(std::move(shared)),
        removes_prefix_(removes_prefix),
        loops_([shared = shared_] { return std::make_unique<PerLoop>(shared); }) {}

  /// trust  of the app, for the address of the client
  [[nodiscard]] Task<Response> pass_on(const Request& request, BodyStream body,
                                       const ProxyTrust& trust) const;
  /// Checks one upstream repeatedly.
  [[nodiscard]] Task<> check_health(std::size_t index) const;

 private:
  [[nodiscard]] Task<Attempt> attempt(PerLoop& loop, std::size_t index, const Request& request,
                                      BodyStream& body) const;
  [[nodiscard]] Task<Attempt> ask(PerLoop& loop, std::size_t index, const Request& request,
                                  BodyStream& body) const;
  [[nodiscard]] Task<Attempt> open_websocket(PerLoop& loop, std::size_t index,
                                             const Request& request) const;
  [[nodiscard]] std::size_t choose(const PerLoop& loop, const Request& request,
                                   const ProxyTrust& trust,
                                   std::span<const std::size_t> tried) const;
  [[nodiscard]] std::string_view behind_prefix(const Request& request) const noexcept;
  [[nodiscard]] std::string_view host(const Request& request, const Upstream& upstream) const;
  [[nodiscard]] detail::proxy::ForwardedTrust trust() const noexcept {
    if (shared_->options.is_transparent) {
      return detail::proxy::ForwardedTrust::unseen;
    }
    return shared_->options.trusts_forwarded ? detail::proxy::ForwardedTrust::some
                                             : detail::proxy::ForwardedTrust::none;
  }

  std::shared_ptr<Shared> shared_;
  bool removes_prefix_;  // not at "/"
  LoopLocal<PerLoop> loops_;
};

/// Returns the response to OPTIONS for the proxy itself (RFC 9110, section 7.6.2).
Response options_of_proxy() {
  return Response(204).add_header("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
}

/// Returns whether to try another upstream. Always if the request was not started anywhere. If it
/// may have been started, only if it is repeatable, and within a budget, so that retries do not
/// increase an overload.
bool may_ask_another(PerLoop& loop, const Attempt& failed, const Request& request) {
  const ClientFault fault = failed.outcome.error().fault;
  if (fault == ClientFault::bad_request || fault == ClientFault::bad_url) {
    return false;
  }
  return !failed.has_asked ||
         (detail::proxy::is_repeatable(request) && loop.client.budget.try_spend());
}

/// Returns an empty text for an unknown address.
std::string client_text(const Request& request, const ProxyTrust& trust) {
  const auto address = client_address_of(request, trust);
  return address ? address->to_text() : std::string();
}

/// Returns the value of the header by which upstreams are chosen.
std::optional<std::string_view> hash_value(const Request& request, const std::string& name) {
  if (const auto* const set = request.find<UpstreamHeaders>();
      set != nullptr && set->replaces(name)) {
    return set->find(name);
  }
  return name.empty() ? std::nullopt : request.header(name);
}

std::size_t Proxy::choose(const PerLoop& loop, const Request& request, const ProxyTrust& trust,
                          std::span<const std::size_t> tried) const {
  const Instant now = Loop::current().now();
  const ProxyOptions& options = shared_->options;
  if (options.balancing == Balancing::least_busy) {
    return shared_->upstreams.least_busy(loop.busy, tried, now);
  }
  const auto field = hash_value(request, options.hash_header);
  return shared_->upstreams.responsible(field ? std::string(*field) : client_text(request, trust),
                                        tried, now);
}

std::string_view Proxy::behind_prefix(const Request& request) const noexcept {
  return detail::proxy::behind_prefix(
      request.head(), removes_prefix_ ? detail::proxy::prefix_segments(request.route()) : 0);
}

std::string_view Proxy::host(const Request& request, const Upstream& upstream) const {
  const std::string_view said = request.head().authority;
  return shared_->options.preserves_host && !said.empty() ? said : upstream.url().authority;
}

Task<Attempt> Proxy::ask(PerLoop& loop, std::size_t index, const Request& request,
                         BodyStream& body) const {
  const Upstream& upstream = shared_->upstreams[index];
  // The upstream counts as busy until the response has been sent: the body owns the load.
  Load load(loop.busy[index]);
  detail::proxy::UpstreamCall call(loop.client, {.request = request,
                                                 .content = body,
                                                 .route = loop.routes[index],
                                                 .base = upstream.url(),
                                                 .behind = behind_prefix(request),
                                                 .host = host(request, upstream),
                                                 .trust = trust()});
  auto answered = co_await call.run();
  if (!answered) {
    co_return Attempt{fail(std::move(answered.error())), call.has_asked()};
  }
  co_return Attempt{detail::proxy::to_response(loop.client, std::move(*answered), request.method(),
                                               std::move(load))};
}

Task<Attempt> Proxy::open_websocket(PerLoop& loop, std::size_t index,
                                    const Request& request) const {
  const Upstream& upstream = shared_->upstreams[index];
  detail::http::HttpUrl url = upstream.url();
  url.target = detail::proxy::target_of(url, behind_prefix(request));
  url.authority = host(request, upstream);
  bool has_asked = false;
  auto opened = co_await detail::proxy::open_tunnel(loop.client, request, std::move(url),
                                                    loop.routes[index], shared_->options, trust(),
                                                    Load(loop.busy[index]), has_asked);
  co_return Attempt{std::move(opened), has_asked};
}

Task<Attempt> Proxy::attempt(PerLoop& loop, std::size_t index, const Request& request,
                             BodyStream& body) const {
  return detail::proxy::wants_websocket(request) ? open_websocket(loop, index, request)
                                                 : ask(loop, index, request, body);
}

Task<Response> Proxy::pass_on(const Request& request, BodyStream body,
                              const ProxyTrust& trust) const {
  if (detail::proxy::has_come_far_enough(request)) {
    co_return options_of_proxy();
  }
  if (detail::proxy::may_climb(behind_prefix(request))) {
    throw Failure(Error::not_found("The path must not go above the proxied prefix."));
  }
  if (const auto why = detail::proxy::ambiguity_of(
          behind_prefix(request), {.encoded_slashes = shared_->options.allows_encoded_slashes,
                                   .semicolons = shared_->options.allows_semicolons,
                                   .double_encodings = shared_->options.allows_double_encoding});
      !why.empty()) {
    throw Failure(Error::bad_request(std::string(why)));
  }
  PerLoop& loop = loops_.here();
  loop.client.budget.note_request();
  const auto upstreams = static_cast<unsigned>(shared_->upstreams.size());
  std::vector<std::size_t> tried;
  for (unsigned left = std::clamp(shared_->options.tries_max, 1U, upstreams);; --left) {
    const std::size_t index = choose(loop, request, trust, tried);
    Attempt made = co_await attempt(loop, index, request, body);
    if (made.outcome) {
      shared_->upstreams[index].note_success();
      co_return std::move(*made.outcome);
    }
    shared_->upstreams[index].note_failure(Loop::current().now(), shared_->options);
    if (left == 1 || !may_ask_another(loop, made, request)) {
      throw Failure(to_error(made.outcome.error()));
    }
    tried.push_back(index);
  }
}

std::string health_url(const Upstream& upstream, const ProxyOptions& options) {
  return upstream.url().origin() + detail::proxy::target_of(upstream.url(), options.health_path);
}

Task<> Proxy::check_health(std::size_t index) const {
  PerLoop& loop = loops_.here();
  const ProxyOptions& options = shared_->options;
  Upstream& upstream = shared_->upstreams[index];
  for (;;) {
    {
      ClientRequest asked(loop.client, Method::get, health_url(upstream, options));
      asked.timeout(options.health_every);
      const auto reply = co_await asked.send();
      if (reply && reply->status() < 400) {
        upstream.take_in();
      } else {
        upstream.take_out();
      }
    }
    co_await sleep_for(options.health_every);
  }
}

/// An invalid path would make all health checks fail, so it is an error.
void check_health_path(const Shared& shared) {
  for (std::size_t index = 0; index < shared.upstreams.size(); ++index) {
    const auto url =
        detail::http::read_http_url(health_url(shared.upstreams[index], shared.options));
    if (!url) {
      throw Failure(Error::bad_request("proxy_to: invalid health path '" +
                                       shared.options.health_path +
                                       "': " + std::string(url.error())));
    }
  }
}

}  // namespace

void proxy_to(Routes& routes, const std::string& prefix, std::vector<std::string> upstreams,
              ProxyOptions options, std::source_location where) {
  if (upstreams.empty()) {
    throw Failure(Error::bad_request("proxy_to: " + prefix + " needs at least one upstream"));
  }
  options.client = detail::proxy::plain_client("proxy_to", std::move(options.client));
  const std::string below = prefix == "/" ? std::string() : prefix;
  const std::size_t bytes_max = options.body_bytes_max;
  const auto shared = std::make_shared<Shared>(upstreams, std::move(options));
  const auto proxy = std::make_shared<const Proxy>(shared, !below.empty());
  if (!shared->options.health_path.empty()) {
    check_health_path(*shared);
    // One task for each, so that an upstream that does not respond delays no other check.
    for (std::size_t index = 0; index < shared->upstreams.size(); ++index) {
      routes.background(
          "health checks of " + prefix + ": " + shared->upstreams[index].url().origin(),
          [proxy, index] { return proxy->check_health(index); });
    }
  }
  for (const Method method : {Method::get, Method::post, Method::put, Method::patch,
                              Method::delete_, Method::options, Method::query}) {
    const auto add = [&](const std::string& pattern) {
      return routes
          .route(method, RuntimePattern{pattern, where},
                 [proxy](const Request& request, BodyStream body, State<ProxyTrust> trust) {
                   return proxy->pass_on(request, std::move(body), *trust);
                 })
          .body_bytes_max(bytes_max);
    };
    if (!below.empty() || !routes.prefix().empty()) {
      add(below);
    }
    add(below + std::string(detail::proxy::kRest)).with_mount_path();
  }
}

}  // namespace eider
