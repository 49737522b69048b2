#include "eider/app/service.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <string>
#include <utility>

#include "eider/base/failure.h"
#include "eider/route/pattern.h"
#include "eider/server/topics.h"

namespace eider {

namespace {

const Endpoint& endpoint_of(const Plan& plan) noexcept {
  return *static_cast<const Endpoint*>(plan.endpoint);
}

void answer_unrouted(const Router& router, Request& request, Response& response) {
  const Lookup lookup =
      router.find(request.method(), request.path(), request.path_values(), request.scratch());
  switch (lookup.kind) {
    case Lookup::Kind::found:
    case Lookup::Kind::not_found:
      render_error(response, Error::not_found());
      return;
    case Lookup::Kind::bad_request:
      render_error(response, Error::bad_request("The path has a bad percent-escape in it."));
      return;
    case Lookup::Kind::method_not_allowed:
      render_error(response, Error(405, "This path does not take that method."));
      response.add_header("Allow", lookup.allow_text());
      return;
    case Lookup::Kind::options:
      response.set_status(204).add_header("Allow", lookup.allow_text());
      return;
  }
}

constexpr int kTooEarly = 425;

/// RFC 8470, section 5.2.
void answer_too_early(const Endpoint&, const Context&, Response& response) {
  render_error(response, Error(kTooEarly,
                               "This came before the handshake was done, and may be a replay. Ask "
                               "again: it is done by now."));
}

Task<> answer_too_early_later(const Endpoint& endpoint, const Context& context,
                              Response& response) {
  answer_too_early(endpoint, context, response);
  co_return;
}

/// Its content, if it has any, is not waited for.
Plan too_early(const Site& site, const RequestHead& head) noexcept {
  const bool has_content = head.body != BodyKind::none;
  return {.endpoint = &site.too_early,
          .body_bytes_max = std::numeric_limits<std::size_t>::max(),
          .waits = has_content,
          .streams_body = has_content};
}

/// Content and what follows an upgrade may come behind the handshake, but nobody would know.
bool may_be_early(const Endpoint& endpoint, const RequestHead& head) noexcept {
  return endpoint.allows_early_data && head.body == BodyKind::none && !head.wants_upgrade &&
         !head.opens_websocket;
}

void check_early(const Endpoint& endpoint, std::string& wrong) {
  const bool is_safe = endpoint.method == Method::get || endpoint.method == Method::head ||
                       endpoint.method == Method::options;
  if (!endpoint.allows_early_data || (is_safe && !endpoint.opens_websocket)) {
    return;
  }
  wrong.append(to_text(endpoint.method)).append(" ").append(endpoint.pattern);
  wrong.append(is_safe ? " allows early data, where no WebSocket opens"
                       : " allows early data, which somebody may send again: only GET, HEAD and "
                         "OPTIONS may (RFC 8470)");
  wrong.append(": take allow_early_data() away\n");
}

/// Runs the hooks in order until one answers.
bool run_before(const Endpoint& endpoint, Request& request, Response& response) {
  return std::ranges::all_of(endpoint.before,
                             [&](const Hook* hook) { return hook->before(request, response); });
}

/// Outer hooks see the response last.
void run_after(const Endpoint& endpoint, const Request& request, Response& response) {
  for (auto hook = endpoint.after.rbegin(); hook != endpoint.after.rend(); ++hook) {
    (*hook)->after(request, response);
  }
}

/// Sleeps for nothing: one handler, or the chain of middleware that ends in it.
Task<> run_handler(const Endpoint& endpoint, const Context& context, Response& response) {
  if (!endpoint.around.empty()) {
    const Next first(endpoint, context, 0);
    auto chain = first();
    Response made = co_await std::move(chain);
    Render<Response>::into(response, std::move(made));
  } else {
    auto task = endpoint.answer_later(endpoint, context, response);
    co_await std::move(task);
  }
}

}  // namespace

Task<Response> Next::operator()() const {
  const Next self = *this;  // the caller's Next may be gone when this resumes
  if (self.depth_ < self.endpoint_->around.size()) {
    const Next inner(*self.endpoint_, *self.context_, self.depth_ + 1);
    auto task = (*self.endpoint_->around[self.depth_])(self.context_->request, inner);
    co_return co_await std::move(task);
  }
  Response response;
  if (self.endpoint_->answer_now != nullptr) {
    self.endpoint_->answer_now(*self.endpoint_, *self.context_, response);
  } else {
    auto task = self.endpoint_->answer_later(*self.endpoint_, *self.context_, response);
    co_await std::move(task);
  }
  co_return response;
}

AppService::AppService(std::shared_ptr<const RouteTable> table) : table_(std::move(table)) {}

Result<std::unique_ptr<Service>> AppService::create(std::shared_ptr<const RouteTable> table) {
  std::unique_ptr<AppService> service(new AppService(std::move(table)));
  std::string wrong = service->resolve();
  if (!wrong.empty()) {
    return fail(Error::internal(std::move(wrong)));
  }
  return service;
}

std::string AppService::resolve() {
  std::string wrong;
  endpoints_.reserve(table_->endpoints.size());  // a Plan points at one of them
  for (const Endpoint& given : table_->endpoints) {
    Endpoint& endpoint = endpoints_.emplace_back(given);
    const auto index = static_cast<std::uint32_t>(endpoints_.size() - 1);
    Router& router = sites_.named(table_->scopes[endpoint.scope].host).router;
    if (auto added = router.add(endpoint.method, endpoint.pattern, index); !added) {
      wrong.append(added.error()).append("\n");
      continue;
    }
    const PatternInfo info(endpoint.pattern);
    for (std::size_t i = 0; i < info.size(); ++i) {
      endpoint.path_names.push_back(info.name(i));
    }
    check_early(endpoint, wrong);
    resolve_states(endpoint, wrong);
    resolve_scopes(endpoint);
  }
  resolve_sites();
  return wrong;
}

void AppService::resolve_sites() {
  sites_.each([this](Site& site) {
    site.unrouted.unrouted = &site.router;
    resolve_scopes(site.unrouted);
    site.unrouted.around.clear();
    // What is logged or added to all answers is so here; nothing else runs for a possible replay.
    resolve_scopes(site.too_early);
    site.too_early.before.clear();
    site.too_early.around.clear();
    site.too_early.answer_now = &answer_too_early;
    site.too_early.answer_later = &answer_too_early_later;
  });
  sites_.freeze();
}

void AppService::resolve_states(Endpoint& endpoint, std::string& wrong) const {
  for (const StateWish& wish : endpoint.wishes) {
    const auto found = table_->states.find(wish.key);
    if (found == table_->states.end()) {
      wrong.append(to_text(endpoint.method)).append(" ").append(endpoint.pattern);
      wrong.append(" takes State<")
          .append(wish.type_name)
          .append(">, which the app was never given");
      wrong.append(": call app.state(...) with one\n");
      continue;
    }
    endpoint.states.push_back(found->second.get());
  }
  if (endpoint.body_bytes_max == 0) {
    endpoint.body_bytes_max = table_->body_bytes_max;
  }
}

void AppService::resolve_scopes(Endpoint& endpoint) const {
  std::vector<const RouteScope*> outermost_last;
  for (std::size_t scope = endpoint.scope;; scope = table_->scopes[scope].parent) {
    outermost_last.push_back(&table_->scopes[scope]);
    if (scope == 0) {
      break;
    }
  }
  for (auto scope = outermost_last.rbegin(); scope != outermost_last.rend(); ++scope) {
    for (const Hook& hook : (*scope)->hooks) {
      if (hook.before) {
        endpoint.before.push_back(&hook);
      }
      if (hook.after) {
        endpoint.after.push_back(&hook);
      }
    }
    for (const Around& around : (*scope)->arounds) {
      endpoint.around.push_back(&around);
    }
  }
}

Plan AppService::plan(Request& request) noexcept {
  const Site& site = sites_.of(request.head().authority);
  const Lookup lookup =
      site.router.find(request.method(), request.path(), request.path_values(), request.scratch());
  const bool is_routed = lookup.kind == Lookup::Kind::found;
  if (request.is_early()) [[unlikely]] {
    if (!is_routed || !may_be_early(endpoints_[lookup.endpoint], request.head())) {
      return too_early(site, request.head());
    }
  }
  if (!is_routed) {
    return {.endpoint = &site.unrouted, .body_bytes_max = table_->body_bytes_max};
  }
  const Endpoint& endpoint = endpoints_[lookup.endpoint];
  return {.endpoint = &endpoint,
          .body_bytes_max = endpoint.body_bytes_max,
          .waits = endpoint.waits(),
          .outlives_client = endpoint.is_blocking,
          .streams_body = endpoint.streams_body};
}

void AppService::answer(const Plan& plan, Request& request, Response& response) noexcept {
  const Endpoint& endpoint = endpoint_of(plan);
  try {
    if (run_before(endpoint, request, response)) {
      if (endpoint.unrouted != nullptr) [[unlikely]] {
        answer_unrouted(*endpoint.unrouted, request, response);
      } else {
        const Context context{request, endpoint.path_names, endpoint.states};
        endpoint.answer_now(endpoint, context, response);
      }
    }
  } catch (...) {
    answer_thrown(request, response);
  }
  try {
    run_after(endpoint, request, response);
  } catch (...) {
    answer_thrown(request, response);
  }
}

Task<> AppService::answer_later(const Plan& plan, Request& request, Response& response,
                                const Ongoing& ongoing) {
  const Endpoint& endpoint = endpoint_of(plan);
  try {
    if (run_before(endpoint, request, response)) {
      const Context context{request, endpoint.path_names, endpoint.states, &ongoing};
      auto task = run_handler(endpoint, context, response);
      co_await std::move(task);
    }
  } catch (...) {
    answer_thrown(request, response);
  }
  try {
    run_after(endpoint, request, response);
  } catch (...) {
    answer_thrown(request, response);
  }
}

void AppService::answer_failed(const Request& request, Response* response,
                               std::exception_ptr thrown) noexcept {
  Response unsent;
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (...) {
    answer_thrown(request, response == nullptr ? unsent : *response);
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

std::size_t AppService::unfinished(Loop& loop) noexcept {
  const auto topics = table_->states.find(&detail::kTypeKey<Topics>);
  return topics == table_->states.end()
             ? 0
             : static_cast<Topics*>(topics->second.get())->unfinished(loop);
}

void AppService::answer_thrown(const Request& request, Response& response) noexcept {
  try {
    std::string cause;
    try {
      throw;
    } catch (const Failure& failure) {
      render_error(response, failure.error());
      cause = failure.error().cause();
    } catch (const Error& error) {
      render_error(response, error);
      cause = error.cause();
    } catch (const std::exception& exception) {
      render_error(response, Error::internal({}));
      cause = exception.what();
    } catch (...) {
      render_error(response, Error::internal({}));
      cause = "something that is no std::exception was thrown";
    }
    if (response.status() >= 500 && table_->log != nullptr) {
      std::string line(to_text(request.method()));
      line.append(" ").append(request.path()).append(" failed: ").append(cause);
      table_->log->write(LogLevel::error, line);
    }
  } catch (...) {
    response.reset();
    response.set_status(500);
  }
}

}  // namespace eider
