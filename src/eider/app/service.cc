#include "eider/app/service.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/base/work.h"
#include "eider/io/runtime/cancel.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/forwarded.h"
#include "eider/protocols/http/request_work.h"
#include "eider/server/body_stream.h"
#include "eider/server/content.h"
#include "eider/server/topics.h"

namespace eider {

namespace {

const Endpoint& endpoint_of(const RequestPlan& plan) noexcept {
  return *static_cast<const Endpoint*>(plan.endpoint);
}

bool redirect_if_found(const Router& router, Request& request, Response& response) {
  constexpr int kPermanently = 308;
  const RedirectIfFound* const other = request.find<RedirectIfFound>();
  if (other == nullptr ||
      router.find(request.method(), other->path, request.path_values(), request.scratch()).kind !=
          Lookup::Kind::found) {
    return false;
  }
  response.set_status(kPermanently).add_header("Location", other->location);
  return true;
}

void respond_unrouted(const Router& router, Request& request, Response& response) {
  const Lookup lookup =
      router.find(request.method(), request.path(), request.path_values(), request.scratch());
  switch (lookup.kind) {
    case Lookup::Kind::found:
    case Lookup::Kind::not_found:
      if (!redirect_if_found(router, request, response)) {
        render_error(response, Error::not_found());
      }
      return;
    case Lookup::Kind::bad_request:
      render_error(response, Error::bad_request("The path contains an invalid percent-encoding."));
      return;
    case Lookup::Kind::method_not_allowed:
      render_error(response, Error(405, "Method not allowed for this path."));
      response.add_header("Allow", lookup.allow_text());
      return;
    case Lookup::Kind::options:
      response.set_status(204).add_header("Allow", lookup.allow_text());
      return;
  }
}

/// Runs the hooks in order until one responds.
bool run_hooks(const std::vector<const Hook::OnRequest*>& hooks, Request& request,
               Response& response) {
  return std::ranges::all_of(
      hooks, [&](const Hook::OnRequest* hook) { return (*hook)(request, response); });
}

bool run_before(const RouteTable& table, const Endpoint& endpoint, Request& request,
                Response& response) {
  if (const ProxyTrust& trust = *table.proxy_trust; !trust.peers.empty()) {
    request.set(ForwardedTrust{.peers = &trust.peers, .kind = trust.fields});
  }
  if (endpoint.before.empty()) {
    return true;
  }
  const WithoutContent ahead(request);
  return run_hooks(endpoint.before, request, response);
}

/// Waits for the request body, after hooks and guards have accepted the request without it.
Task<std::string_view> gather(BodyInbox& inbox) {
  inbox.gather();
  const WaitNote note(WaitNote::What::client, BodyInbox::kForContent, Loop::current().now());
  co_await inbox.arrival().wait();
  co_return inbox.gathered();
}

bool is_to_be_gathered(const Endpoint& endpoint, const Ongoing& ongoing) noexcept {
  return ongoing.content != nullptr && !endpoint.streams_body;
}

/// Runs the guards, then waits for the request body if it has not arrived, then runs the hooks that
/// read it.
Task<bool> admit_later(const Endpoint& endpoint, Request& request, Response& response,
                       const Ongoing& ongoing) {
  if (!co_await run_guards_later(endpoint, request, response, ongoing)) {
    co_return false;
  }
  if (is_to_be_gathered(endpoint, ongoing)) {
    const std::string_view content = co_await gather(*ongoing.content);
    request.set_body(content);
  }
  if (ongoing.cancel.is_cancelled()) {  // a blocking guard kept the task alive
    render_error(response, nobody_waits());
    co_return false;
  }
  co_return run_hooks(endpoint.on_body, request, response);
}

bool admit(const Endpoint& endpoint, Request& request, Response& response) {
  return run_guards(endpoint, request, response) && run_hooks(endpoint.on_body, request, response);
}

/// Runs the response hooks, outer ones last, so that they also see the error of an inner hook that
/// throws: this response also needs its log line, its request ID and its headers for browsers.
void run_after(const Endpoint& endpoint, const Request& request, Response& response) noexcept {
  for (auto hook = endpoint.after.rbegin(); hook != endpoint.after.rend(); ++hook) {
    try {
      (*hook)->on_response(request, response);
    } catch (...) {
      render_thrown(endpoint.log.get(), request, response, endpoint.where);
    }
  }
}

/// If the body is produced while it is sent, hooks run when the headers are sent, because the
/// producer can still return an error until then. Headers that were added before the handler are
/// then kept.
void finish_unless_produced(const Endpoint& endpoint, const Request& request, Response& response,
                            std::size_t shared_bytes) noexcept {
  if (content_as<ProducedContent>(response) != nullptr) {
    response.share_field_lines(shared_bytes);
  } else {
    run_after(endpoint, request, response);
  }
}

/// Runs the handler, with middleware around it.
Task<> run_handler(const Endpoint& endpoint, const Context& context, Response& response) {
  if (!endpoint.middleware.empty()) {
    const Next first(endpoint, context, 0);
    Response made = co_await first();
    Render<Response>::into(response, std::move(made));
  } else if (endpoint.respond_now != nullptr) {
    endpoint.respond_now(endpoint, context, response);  // but its guards waited
  } else {
    co_await endpoint.respond_later(endpoint, context, response);
  }
}

/// Runs the handler of a request with a blocking guard. The server does not destroy such a task
/// when the client disconnects, so the handler is canceled here while it waits.
Task<> run_handler_while_wanted(const Endpoint& endpoint, const Context& context,
                                Response& response) {
  if (!co_await with_cancel(run_handler(endpoint, context, response), context.ongoing->cancel)) {
    render_error(response, nobody_waits());
  }
}

Task<> handler_task(const Endpoint& endpoint, const Context& context, Response& response) {
  return endpoint.has_blocking_guard && !endpoint.is_blocking
             ? run_handler_while_wanted(endpoint, context, response)
             : run_handler(endpoint, context, response);
}

}  // namespace

// The lambda has a copy of this object: with `return next();`, the caller's Next is destroyed
// before the task starts.
Task<Response> Next::operator()() const {
  constexpr auto kGoOn = [](Next self) -> Task<Response> {
    Response response;
    try {
      if (self.depth_ < self.endpoint_->middleware.size()) {
        const Next inner(*self.endpoint_, *self.context_, self.depth_ + 1);
        const Middleware& one = *self.endpoint_->middleware[self.depth_];
        response = co_await one.function(self.context_->request, inner);
      } else if (self.endpoint_->respond_now != nullptr) {
        self.endpoint_->respond_now(*self.endpoint_, *self.context_, response);
      } else if (self.endpoint_->is_blocking && self.context_->ongoing->cancel.is_cancelled()) {
        // Middleware has waited meanwhile: do not use a thread for a client that has disconnected.
        render_error(response, nobody_waits());
      } else {
        co_await self.endpoint_->respond_later(*self.endpoint_, *self.context_, response);
      }
    } catch (...) {
      render_thrown(self.endpoint_->log.get(), self.context_->request, response,
                    self.endpoint_->where);
    }
    co_return response;
  };
  return kGoOn(*this);
}

bool Next::may_be_cancelled() const noexcept {
  return !endpoint_->is_blocking;
}

AppService::AppService(std::shared_ptr<const RouteTable> table)
    : table_(std::move(table)),
      states_(*table_),
      guard_ways_(*table_, &states_),
      lifetime_(*table_, states_) {}

Result<std::unique_ptr<RequestService>> AppService::create(
    std::shared_ptr<const RouteTable> table) {
  std::unique_ptr<AppService> service(new AppService(std::move(table)));
  std::string wrong = service->resolve();
  if (!wrong.empty()) {
    return fail(Error::internal(std::move(wrong)));
  }
  return service;
}

/// Returns the endpoint for a request without a route: of the group that has the path for other
/// methods, else of the group with the longest prefix of the path. Its hooks run, so that for
/// example CORS headers let browsers read the errors of an API.
const Endpoint& AppService::unrouted_of(const Site& site, MethodSet allowed,
                                        Request& request) const noexcept {
  for (int i = 0; i < static_cast<int>(Method::unknown); ++i) {
    const auto method = static_cast<Method>(i);
    if (!allowed.contains(method)) {
      continue;
    }
    const Lookup other =
        site.router.find(method, request.path(), request.path_values(), request.scratch());
    if (other.kind == Lookup::Kind::found) {
      return unrouted_[endpoints_[other.endpoint].scope];
    }
  }
  for (const Endpoint* const group : by_prefix_) {
    if (group->unrouted == &site.router &&
        lies_below(request.path(), table_->scopes[group->scope].prefix)) {
      return *group;
    }
  }
  return site.unrouted;
}

/// An exception of a rewrite is logged and not sent to the client.
void AppService::rewrite(Request& request) const noexcept {
  try {
    for (const auto& [its, scope] : table_->rewrites) {
      if (scope == 0 || is_of_app(table_->scopes[scope], request.head(), {})) {
        its.function(request.head());
      }
    }
  } catch (...) {
    Response unsent;
    render_thrown(table_->log.get(), request, unsent);
  }
}

// Topics first, because background tasks may publish at once.
void AppService::begin() noexcept {
  table_->topics->begin(Loop::current());
  lifetime_.begin_on_loop();
}

// Functions after responses end first, because they may use background tasks of the event loop.
Task<> AppService::end() {
  if (has_after_work_) {
    co_await table_->after_work->end_on_loop(table_->log);
  }
  co_await lifetime_.end_on_loop();
}

void AppService::drain() noexcept {
  table_->topics->drain(Loop::current());
}

RequestPlan AppService::plan(Request& request) noexcept {
  request.set_route({});
  if (!table_->rewrites.empty()) [[unlikely]] {
    rewrite(request);
  }
  const Site& site = sites_.of(request.head().authority);
  const Lookup lookup =
      site.router.find(request.method(), request.path(), request.path_values(), request.scratch());
  if (lookup.kind != Lookup::Kind::found) {
    // The server must not buffer the body of a request without a route.
    return {.endpoint = &unrouted_of(site, lookup.allowed, request),
            .body_bytes_max = table_->body_bytes_max,
            .ignores_body = true};
  }
  const Endpoint& endpoint = endpoints_[lookup.endpoint];
  request.set_route(endpoint.pattern);
  return {.endpoint = &endpoint,
          .body_bytes_max = endpoint.body_bytes_max,
          .waits = endpoint.waits(),
          .keeps_request = endpoint.keeps_request,
          .outlives_client = endpoint.is_blocking || endpoint.has_blocking_guard,
          .is_blocking = endpoint.is_blocking,
          .streams_body = endpoint.streams_body,
          .decides_first = endpoint.decides(),
          .exempt_from_load_shedding = endpoint.exempt_from_load_shedding};
}

void AppService::respond(const RequestPlan& plan, Request& request, Response& response) noexcept {
  const Endpoint& endpoint = endpoint_of(plan);
  const WorkKept kept;
  std::size_t shared_bytes = 0;
  try {
    const bool goes_on = run_before(*table_, endpoint, request, response) &&
                         (!endpoint.admits() || admit(endpoint, request, response));
    // Measured after hooks and guards and before the handler: these headers are sent even if the
    // handler fails.
    shared_bytes = response.field_lines().size();
    if (goes_on) {
      if (endpoint.unrouted != nullptr) [[unlikely]] {
        respond_unrouted(*endpoint.unrouted, request, response);
      } else {
        const Context context{request, endpoint.path_names, endpoint.states, nullptr,
                              endpoint.ignores_unknown_query};
        endpoint.respond_now(endpoint, context, response);
      }
    }
  } catch (...) {
    render_thrown(endpoint.log.get(), request, response, endpoint.where);
  }
  finish_unless_produced(endpoint, request, response, shared_bytes);
}

Task<> AppService::respond_later(const RequestPlan& plan, Request& request, Response& response,
                                 const Ongoing& ongoing) {
  const Endpoint& endpoint = endpoint_of(plan);
  std::size_t shared_bytes = 0;
  try {
    bool goes_on = run_before(*table_, endpoint, request, response);
    if (goes_on && (endpoint.admits() || is_to_be_gathered(endpoint, ongoing))) {
      goes_on = co_await admit_later(endpoint, request, response, ongoing);
    }
    shared_bytes = response.field_lines().size();
    if (goes_on) {
      const Context context{request, endpoint.path_names, endpoint.states, &ongoing,
                            endpoint.ignores_unknown_query};
      co_await handler_task(endpoint, context, response);
    }
  } catch (...) {
    render_thrown(endpoint.log.get(), request, response, endpoint.where);
  }
  finish_unless_produced(endpoint, request, response, shared_bytes);
}

void AppService::finish(const RequestPlan& plan, Request& request, Response& response) noexcept {
  // The host of a request that could not be parsed is unknown.
  const Endpoint& endpoint = plan.endpoint == nullptr ? sites_.of({}).unrouted : endpoint_of(plan);
  run_after(endpoint, request, response);
}

void AppService::observe(const ResponseEvent& record) noexcept {
  const Within within(peek_work(record.request));
  const auto tell = [&](const auto& told) {
    try {
      told(record);
    } catch (...) {
      Response unsent;  // only the log line is needed, because the response has been sent
      render_thrown(table_->log.get(), record.request, unsent);
    }
  };
  for (const auto& [observer, scope] : table_->observers) {
    const Request& request = record.request;
    if (scope == 0 || is_of_app(table_->scopes[scope], request.head(), request.route())) {
      tell(observer);
    }
  }
  if (has_after_work_) {
    tell([this](const ResponseEvent& over) { table_->after_work->begin(over, table_->log); });
  }
}

Duration AppService::slow_after(Duration beyond) const noexcept {
  Duration next = Duration::max();
  for (const RouteTable::Slow& slow : table_->slow_observers) {
    next = slow.after > beyond ? std::min(next, slow.after) : next;
  }
  return next;
}

void AppService::observe_slow(const Request& request, const RequestState& state,
                              Duration after) noexcept {
  for (const auto& [its_after, tell, scope] : table_->slow_observers) {
    const bool is_its =
        its_after == after &&
        (scope == 0 || is_of_app(table_->scopes[scope], request.head(), request.route()));
    try {
      if (is_its) {
        tell(state);
      }
    } catch (...) {
      Response unsent;  // as for observers
      render_thrown(table_->log.get(), request, unsent);
    }
  }
}

void AppService::respond_failed(const Request& request, Response* response,
                                std::exception_ptr thrown) noexcept {
  const Within within(peek_work(request));
  Response unsent;
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (...) {
    render_thrown(table_->log.get(), request, response == nullptr ? unsent : *response);
  }
}

void AppService::refuse(int status, std::string_view detail, Response& response) noexcept {
  try {
    render_error(response, Error(status, std::string(detail)));
  } catch (...) {
    response.reset();
    response.set_status(status);
  }
}

PlanName AppService::plan_name(const void* endpoint) const noexcept {
  const auto& its = *static_cast<const Endpoint*>(endpoint);
  return {.method = its.method == Method::unknown ? "any" : to_text(its.method),
          .route = its.pattern};
}

std::size_t AppService::unfinished(Loop& loop) noexcept {
  return table_->topics->unfinished(loop);
}

}  // namespace eider
