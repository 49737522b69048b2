// What runs beside handlers: cheap hooks before and after, and coroutines around.
// Must not know routes.
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

/// Says for documents what a middleware makes of the operations behind it (operation.h): fields
/// that it reads, answers that it gives. Called once for each, from the handler outward, as answers
/// pass; what stands within, and the guards, have spoken.
using DescribeMiddleware = std::function<void(Operation&)>;

/// Runs on the loop, waits for nothing, and costs a call. What it views of the request is valid
/// until it returns: content that it sets (Response::set_content) owns what it is made of.
///
/// before         true: go on; false: `response` is the answer, the handler is not called. It runs
///                ahead of guards, of the content and of 100 Continue, and sees no content. Not run
///                for requests that are refused ahead of any handler, such as one that announces
///                too much content.
/// after          sees every answer that leaves, when its head does, in reverse order of `before`:
///                errors too and, where it is the app's own, answers to no route (404, 405) and
///                refusals (400, 408, 413, 425, 431, 503). Of a request that could not be read it
///                is told nothing but where that came from: no method, no target.
/// on_content     as `before`, of what looks at the content: behind the guards, when it is there.
///                Not run where no route takes the request.
/// name           as `--routes` tells it
/// puts           the types that `before` puts into each request that it lets through, so that
///                handlers may take Slot<T>: `{kPuts<T>}`
/// describe       null: documents say nothing of it
struct Hook {
  using Before = std::function<bool(Request&, Response&)>;

  Before before{};
  std::function<void(const Request&, Response&)> after{};
  Before on_content{};
  std::string name{};
  std::vector<detail::base::TypeKey> puts{};
  DescribeMiddleware describe{};
};

template <class T>
inline constexpr detail::base::TypeKey kPuts = &detail::base::kTypeKey<T>;

/// The name of one request, which its answer and its log lines share: see request_id.
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

/// Which of several answers the request gets that no field of the answer tells apart, such as one
/// of a language that the path says: response_cache keeps each. Put it ahead of middleware; `name`
/// lives as long as the request.
struct AnswerVariant {
  std::string_view name;
};

/// Where a request is redirected to (308) if no route matches its path, but one matches `path` for
/// its method: put it in `before`. `path` lives as long as the request.
struct RedirectIfFound {
  std::string_view path;
  std::string location;
};

/// Runs ahead of routing, for the whole app, and may change the method or the path that routes are
/// found by: the head's views have to stay valid, as those of literals and of the target do.
struct Rewrite {
  std::function<void(RequestHead&)> function;
  std::string name{};
};

/// The rest of the chain, as the middleware around it sees it.
class Next {
 public:
  Next(const Endpoint& endpoint, const Context& context, std::size_t depth) noexcept
      : endpoint_(&endpoint), context_(&context), depth_(depth) {}
  /// Runs the next middleware or the handler; call it at most once, or not at all. It throws
  /// nothing: what is thrown within is the answer that it becomes, such as a 403 or a 500.
  [[nodiscard]] Task<Response> operator()() const;
  /// Whether the task may be destroyed where it waits: not where a thread may be using the request.
  [[nodiscard]] bool may_be_given_up() const noexcept;

 private:
  const Endpoint* endpoint_;
  const Context* context_;
  std::size_t depth_;
};

/// A coroutine around the handler: `Task<Response> f(Request&, Next)`. Its routes all wait.
///
/// name      as `--routes` tells it
/// describe  as of a Hook
struct Around {
  template <class F>
    requires(!std::same_as<F, Around> && std::is_invocable_r_v<Task<Response>, F&, Request&, Next>)
  // NOLINTNEXTLINE(google-explicit-constructor): a coroutine is to be one by itself
  Around(F its_function, std::string its_name = {}, DescribeMiddleware its_description = {})
      : function(std::move(its_function)),
        name(std::move(its_name)),
        describe(std::move(its_description)) {}

  std::function<Task<Response>(Request&, Next)> function;
  std::string name;
  DescribeMiddleware describe;
};

/// What asks who the client is (client_of), by the word of the proxies that the app trusts.
///
/// make  of the app's trust, which outlives what is made and is whole when the app starts
template <class M>
struct OfClient {
  std::function<M(const ProxyTrust& trust)> make;
};
using ClientHook = OfClient<Hook>;
using ClientAround = OfClient<Around>;

/// What `use` takes.
template <class M>
concept Middleware = std::convertible_to<M, Hook> || std::convertible_to<M, Around> ||
                     std::same_as<M, ClientHook> || std::same_as<M, ClientAround>;

}  // namespace eider
