// Renders the result of a handler into the response, by its type.
// Layering: must not know requests or bytes on the wire.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/app/handlers/operation.h"
#include "eider/app/handlers/params.h"
#include "eider/app/handlers/results.h"
#include "eider/core/base/result.h"
#include "eider/core/reflect/type_of.h"
#include "eider/protocols/http/response.h"

namespace eider {

namespace detail::app {
void render_text(Response& response, std::string text);
void render_view(Response& response, std::string_view text) noexcept;
void render_shared(Response& response, std::shared_ptr<const std::string> text);
void render_whole_number(Response& response, std::int64_t number);
void render_natural_number(Response& response, std::uint64_t number);
void render_real_number(Response& response, double number);
void render_json(Response& response, const reflect::Type& type, const void* object);
void render_redirect(Response& response, const Redirect& redirect);
void render_location(Response& response, const std::string& location);
void render_response(Response& response, Response&& made);
/// Adds status and headers to a rendered value.
void render_with(Response& response, std::optional<int> status, const Response& fields);
}  // namespace detail::app

/// Writes `error` as a problem document (RFC 9457), instead of the current body.
void render_error(Response& response, const Error& error);
/// Writes an error that a function of the application returned. An error with a cause for the log
/// is thrown instead, so that it is logged.
void render_refusal(Response& response, const Error& error);

/// Renders all reflected types as JSON: a struct, a vector, a map, an enum … To support your own
/// result type, specialize Render for it, as below.
///
/// describe(Operation&)  describes the responses for OpenAPI documents; optional
/// kIsBuffered           the body is complete when `into` returns. Without it, the request is
///                       copied before a synchronous handler with view parameters, as for Response
///                       and Streamed.
template <class T>
struct Render {
  static constexpr bool kIsBuffered = true;
  static void into(Response& response, const T& value) {
    if constexpr (std::same_as<T, bool>) {
      detail::app::render_view(response, value ? "true" : "false");
    } else if constexpr (std::floating_point<T>) {
      detail::app::render_real_number(response, static_cast<double>(value));
    } else if constexpr (std::unsigned_integral<T>) {
      detail::app::render_natural_number(response, value);
    } else if constexpr (std::integral<T>) {
      detail::app::render_whole_number(response, value);
    } else {
      detail::app::render_json(response, reflect::type_of<T>(), &value);
    }
  }
  static void describe(Operation& operation) {
    detail::app::describe_value(operation, reflect::type_of<T>());
  }
};

namespace detail::app {

/// Whether a result contains its whole body. Your own types must declare it, too.
template <class R>
inline constexpr bool kIsBuffered = requires { requires Render<R>::kIsBuffered; };
template <>
inline constexpr bool kIsBuffered<void> = true;

/// Describes a result type.
template <class R>
void describe_result(Operation& operation) {
  if constexpr (std::is_void_v<R>) {
    describe_nothing(operation);
  } else if constexpr (requires { Render<R>::describe(operation); }) {
    Render<R>::describe(operation);
  } else {
    describe_unknown(operation);
  }
}

}  // namespace detail::app

template <>
struct Render<std::string> {
  static constexpr bool kIsBuffered = true;
  static void into(Response& response, std::string text) {
    detail::app::render_text(response, std::move(text));
  }
  static void describe(Operation& operation) { detail::app::describe_text(operation, kTextPlain); }
};

/// Text that outlives the response: a literal, or a view into the request.
template <>
struct Render<std::string_view> {
  static constexpr bool kIsBuffered = true;
  static void into(Response& response, std::string_view text) noexcept {
    detail::app::render_view(response, text);
  }
  static void describe(Operation& operation) { detail::app::describe_text(operation, kTextPlain); }
};

/// Shared text that is sent without copying; null is a 404.
template <class T>
  requires std::same_as<const T, const std::string>
struct Render<std::shared_ptr<T>> {
  static constexpr bool kIsBuffered = true;
  static void into(Response& response, std::shared_ptr<T> text) {
    detail::app::render_shared(response, std::move(text));
  }
  static void describe(Operation& operation) {
    detail::app::describe_text(operation, kTextPlain);
    detail::app::describe_none(operation);
  }
};

template <>
struct Render<const char*> {
  static constexpr bool kIsBuffered = true;
  static void into(Response& response, const char* text) noexcept {
    detail::app::render_view(response, text);
  }
  static void describe(Operation& operation) { detail::app::describe_text(operation, kTextPlain); }
};

template <>
struct Render<Response> {
  static void into(Response& response, Response made) {
    detail::app::render_response(response, std::move(made));
  }
  static void describe(Operation& operation) { detail::app::describe_unknown(operation); }
};

template <>
struct Render<Html> {
  static constexpr bool kIsBuffered = true;
  static void into(Response& response, Html page) {
    response.set_static_type(kTextHtml).set_body(std::move(page.text()));
  }
  static void describe(Operation& operation) { detail::app::describe_text(operation, kTextHtml); }
};

template <>
struct Render<Redirect> {
  static constexpr bool kIsBuffered = true;
  static void into(Response& response, const Redirect& redirect) {
    detail::app::render_redirect(response, redirect);
  }
  static void describe(Operation& operation) { detail::app::describe_redirect(operation); }
};

template <>
struct Render<Error> {
  static constexpr bool kIsBuffered = true;
  static void into(Response& response, const Error& error) { render_refusal(response, error); }
  static void describe(Operation& operation) { detail::app::describe_wrong(operation); }
};

template <class T>
struct Render<Json<T>> {
  static constexpr bool kIsBuffered = true;
  static void into(Response& response, const Json<T>& json) {
    detail::app::render_json(response, reflect::type_of<T>(), &*json);
  }
  static void describe(Operation& operation) {
    detail::app::describe_json(operation, reflect::type_of<T>());
  }
};

template <class T>
struct Render<Created<T>> {
  static constexpr bool kIsBuffered = true;
  static void into(Response& response, const Created<T>& created) {
    response.set_status(201);
    detail::app::render_location(response, created.location());
    detail::app::render_json(response, reflect::type_of<T>(), &created.value());
  }
  static void describe(Operation& operation) {
    detail::app::describe_created(operation, reflect::type_of<T>());
  }
};

template <class T>
struct Render<ResponseOf<T>> {
  static constexpr bool kIsBuffered = detail::app::kIsBuffered<T>;
  static void into(Response& response, ResponseOf<T> with) {
    Render<T>::into(response, std::move(with.value()));
    detail::app::render_with(response, with.status(), with.fields());
  }
  static void describe(Operation& operation) { detail::app::describe_result<T>(operation); }
};

/// An empty optional gets a 404.
template <class T>
struct Render<std::optional<T>> {
  static constexpr bool kIsBuffered = detail::app::kIsBuffered<T>;
  static void into(Response& response, std::optional<T> value) {
    if (value) {
      Render<T>::into(response, std::move(*value));
    } else {
      render_error(response, Error::not_found());
    }
  }
  static void describe(Operation& operation) {
    detail::app::describe_result<T>(operation);
    detail::app::describe_none(operation);
  }
};

template <class T>
struct Render<Result<T>> {
  static constexpr bool kIsBuffered = detail::app::kIsBuffered<T>;
  static void into(Response& response, Result<T> result) {
    if (!result) {
      render_refusal(response, result.error());
    } else if constexpr (std::is_void_v<T>) {
      response.set_status(204);
    } else {
      Render<T>::into(response, std::move(*result));
    }
  }
  static void describe(Operation& operation) {
    detail::app::describe_result<T>(operation);
    detail::app::describe_wrong(operation);
  }
};

}  // namespace eider
