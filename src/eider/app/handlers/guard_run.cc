// Runs the guards of a route in order, until one rejects the request.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "eider/app/handlers/guard_ways.h"
#include "eider/app/handlers/respond.h"
#include "eider/app/service.h"
#include "eider/io/runtime/cancel.h"
#include "eider/protocols/http/status.h"
#include "eider/server/service.h"

namespace eider {

namespace {

bool is_refusal(const Error& error) noexcept {
  return !is_server_error(error.status());
}

bool is_made_already(const GuardOnWay& one, const Request& request) noexcept {
  return one.is_asked_for && !one.replaces && request.extensions().contains(one.guard->extension);
}

/// Returns whether a provider for a parameter of this guard has rejected the request. As all users
/// accept the absence of this guard's value, the guard is then skipped, too.
bool lacks_what_it_takes(const GuardOnWay& one, const Request& request) noexcept {
  return one.may_refuse &&
         std::ranges::any_of(one.guard->wishes.extensions, [&](const ExtensionWish& wish) {
           return !wish.may_be_missing && !request.extensions().contains(wish.key);
         });
}

bool is_skipped(const GuardOnWay& one, const Request& request) noexcept {
  return is_made_already(one, request) || lacks_what_it_takes(one, request);
}

/// Returns the current exception of a guard as an Error if it rejects the request; otherwise
/// rethrows it. Call it while handling an exception.
Result<void> thrown_refusal() {
  Error error = thrown_error();
  if (!is_refusal(error)) {
    throw;
  }
  return fail(std::move(error));
}

Result<void> ask_now(const GuardOnWay& one, const Context& context) {
  try {
    return one.guard->admit_now(*one.guard, context);
  } catch (...) {
    return thrown_refusal();
  }
}

Task<Result<void>> ask_later(const GuardOnWay& one, const Context& context) {
  Result<void> said;
  try {
    said = co_await one.guard->admit_later(*one.guard, context);
  } catch (...) {
    said = thrown_refusal();
  }
  co_return said;
}

/// Like ask_later, but for the route of a blocking function. The server does not destroy such a
/// task when its client disconnects, because a thread may be using the request. No thread does
/// while a guard waits on the event loop, so the wait is canceled here.
Task<Result<void>> ask_while_wanted(const GuardOnWay& one, const Context& context,
                                    const Cancel& cancel) {
  std::optional<Result<void>> said = co_await with_cancel(ask_later(one, context), cancel);
  if (!said) {
    co_return fail(nobody_waits());
  }
  co_return *std::move(said);
}

Task<Result<void>> ask_waiting(const Endpoint& endpoint, const GuardOnWay& one,
                               const Context& context, const Ongoing& ongoing) {
  const bool may_be_let_end = endpoint.is_blocking || endpoint.has_blocking_guard;
  return may_be_let_end && !one.guard->is_blocking ? ask_while_wanted(one, context, ongoing.cancel)
                                                   : ask_later(one, context);
}

/// Returns true if the guard accepts the request, or if all users accept the absence of its value.
/// Otherwise `response` is the guard's error.
bool lets_through(const GuardOnWay& one, const Result<void>& said, Response& response) {
  if (said || (one.may_refuse && is_refusal(said.error()))) {
    return true;
  }
  render_refusal(response, said.error());
  return false;
}

}  // namespace

Error nobody_waits() {
  return Error::unavailable("The request was canceled before the response was ready.");
}

bool run_guards(const Endpoint& endpoint, Request& request, Response& response) {
  const WithoutContent ahead(request);
  return std::ranges::all_of(endpoint.on_way, [&](const GuardOnWay& one) {
    const Context context{request, endpoint.path_names, one.states, nullptr,
                          endpoint.ignores_unknown_query};
    return is_skipped(one, request) || lets_through(one, ask_now(one, context), response);
  });
}

Task<bool> run_guards_later(const Endpoint& endpoint, Request& request, Response& response,
                            const Ongoing& ongoing) {
  const WithoutContent ahead(request);
  for (const GuardOnWay& one : endpoint.on_way) {
    if (ongoing.cancel.is_cancelled()) {  // while an earlier guard ran on a thread
      render_error(response, nobody_waits());
      co_return false;
    }
    if (is_skipped(one, request)) {
      continue;
    }
    const Context context{request, endpoint.path_names, one.states, &ongoing,
                          endpoint.ignores_unknown_query};
    Result<void> said;
    if (one.guard->admit_now != nullptr) {
      said = ask_now(one, context);
    } else {
      said = co_await ask_waiting(endpoint, one, context, ongoing);
    }
    if (!lets_through(one, said, response)) {
      co_return false;
    }
  }
  co_return true;
}

}  // namespace eider
