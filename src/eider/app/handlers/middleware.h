// Middleware: hooks that run before and after a handler, and coroutines that run around it.
// Layering: must not know routes.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/core/base/type_key.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"

namespace eider {

struct Endpoint;
struct Context;
struct Operation;
struct ProxyTrust;

/// Describes a middleware in OpenAPI documents: adds its headers and responses to the operations of
/// the routes (operation.h). Called from the handler outward, after inner middleware and guards.
using DescribeMiddleware = std::function<void(Operation&)>;

/// A hook runs on the event loop, does not wait, and costs a function call. Its views of the
/// request are valid until it returns: a body that it sets (Response::set_content) must own its
/// data.
///
/// on_request   returns true to continue; false if `response` is the response, then the handler is
///              not called. It runs before guards, before the request body is read and before 100
///              Continue, and cannot see the body. It does not run for requests that are rejected
///              before any handler, for example because the announced body is too large.
/// on_response  sees every response when its headers are sent, in reverse order of `on_request`.
///              Hooks of the app itself also see errors, responses without a route (404, 405) and
///              rejected requests (400, 408, 413, 425, 431, 503). For a request that could not be
///              parsed, only its address is known, not its method and target.
/// on_body      like `on_request`, for hooks that read the body: runs after guards, when the body
///              is complete. It does not run without a route.
/// name         in the output of `--routes`
/// extensions   types that `on_request` stores in each request that it accepts, so that handlers
///              can use Extension<T>: `{kExtension<T>}`
/// describe     null: OpenAPI documents do not mention the hook
struct Hook {
  using OnRequest = std::function<bool(Request&, Response&)>;

  OnRequest on_request{};
  std::function<void(const Request&, Response&)> on_response{};
  OnRequest on_body{};
  std::string name{};
  std::vector<detail::base::TypeKey> extensions{};
  DescribeMiddleware describe{};
};

template <class T>
inline constexpr detail::base::TypeKey kExtension = &detail::base::kTypeKey<T>;

/// The ID of a request, which is in its response and its log lines; see request_id.
class RequestId {
 public:
  static constexpr std::size_t kBytesMax = 64;

  /// Pre: text.size() <= kBytesMax.
  explicit RequestId(std::string_view text) noexcept
      : size_(static_cast<std::uint8_t>(text.size())) {
    text.copy(text_.data(), text.size());
  }
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, kBytesMax> text_;
  std::uint8_t size_;
};

/// Identifies the variant of a response if its headers do not, for example a language in the path:
/// response_cache stores each variant. Set it before middleware; `name` must live as long as the
/// request.
struct ResponseVariant {
  std::string_view name;
};

/// Target of a redirect (308) if no route matches the path of the request, but a route matches
/// `path` for its method. Set it in `on_request`. `path` must live as long as the request.
struct RedirectIfFound {
  std::string_view path;
  std::string location;
};

/// Runs before routing, for the whole app, and can change the method or the path that is used to
/// find the route. The views must stay valid, like those of literals and of the target.
struct Rewrite {
  std::function<void(RequestHead&)> function;
  std::string name{};
};

/// The rest of the chain, as middleware sees it.
class Next {
 public:
  Next(const Endpoint& endpoint, const Context& context, std::size_t depth) noexcept
      : endpoint_(&endpoint), context_(&context), depth_(depth) {}
  /// Runs the next middleware or the handler; call it at most once. It does not throw: an exception
  /// becomes a response, such as a 403 or a 500.
  [[nodiscard]] Task<Response> operator()() const;
  /// Returns whether the task can be destroyed while it waits; false while a thread may be using
  /// the request.
  [[nodiscard]] bool may_be_cancelled() const noexcept;

 private:
  const Endpoint* endpoint_;
  const Context* context_;
  std::size_t depth_;
};

/// Middleware: a coroutine around the handler, `Task<Response> f(Request&, Next)`.
///
/// name      in the output of `--routes`
/// describe  as for a Hook
struct Middleware {
  template <class F>
    requires(!std::same_as<F, Middleware> &&
             std::is_invocable_r_v<Task<Response>, F&, Request&, Next>)
  // NOLINTNEXTLINE(google-explicit-constructor): a coroutine is to be one by itself
  Middleware(F its_function, std::string its_name = {}, DescribeMiddleware its_description = {})
      : function(std::move(its_function)),
        name(std::move(its_name)),
        describe(std::move(its_description)) {}

  std::function<Task<Response>(Request&, Next)> function;
  std::string name;
  DescribeMiddleware describe;
};

/// Middleware that needs the address of the client (client_of), using the trusted proxies of the
/// app.
///
/// make  creates the middleware from the trusted proxies, which outlive it
template <class M>
struct OfClient {
  std::function<M(const ProxyTrust& trust)> make;
};
using ClientHook = OfClient<Hook>;
using ClientMiddleware = OfClient<Middleware>;

/// Types that `use` accepts.
template <class M>
concept AnyMiddleware = std::convertible_to<M, Hook> || std::convertible_to<M, Middleware> ||
                        std::same_as<M, ClientHook> || std::same_as<M, ClientMiddleware>;

}  // namespace eider
