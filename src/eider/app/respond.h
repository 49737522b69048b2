// A handler's result, rendered into the response by its type.
// Must not know requests or bytes on the wire.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/app/params.h"
#include "eider/app/results.h"
#include "eider/base/result.h"
#include "eider/http/response.h"
#include "eider/reflect/type_of.h"

namespace eider {

namespace detail {
void render_text(Response& response, std::string text);
void render_view(Response& response, std::string_view text) noexcept;
void render_whole_number(Response& response, std::int64_t number);
void render_natural_number(Response& response, std::uint64_t number);
void render_real_number(Response& response, double number);
void render_json(Response& response, const reflect::Type& type, const void* object);
void render_redirect(Response& response, const Redirect& redirect);
void render_location(Response& response, const std::string& location);
void render_response(Response& response, Response&& made);
}  // namespace detail

/// Writes `error` as a problem document (RFC 9457), in place of any content so far.
void render_error(Response& response, const Error& error);

/// Everything that reflection knows: a struct, a vector, a map, an enum… as JSON. To teach handlers
/// a result of your own, specialise Render for it, as below.
template <class T>
struct Render {
  static void into(Response& response, const T& value) {
    if constexpr (std::same_as<T, bool>) {
      detail::render_view(response, value ? "true" : "false");
    } else if constexpr (std::floating_point<T>) {
      detail::render_real_number(response, static_cast<double>(value));
    } else if constexpr (std::unsigned_integral<T>) {
      detail::render_natural_number(response, value);
    } else if constexpr (std::integral<T>) {
      detail::render_whole_number(response, value);
    } else {
      detail::render_json(response, reflect::type_of<T>(), &value);
    }
  }
};

template <>
struct Render<std::string> {
  static void into(Response& response, std::string text) {
    detail::render_text(response, std::move(text));
  }
};

/// Text that outlives the exchange: a literal, or a view into the request.
template <>
struct Render<std::string_view> {
  static void into(Response& response, std::string_view text) noexcept {
    detail::render_view(response, text);
  }
};

template <>
struct Render<const char*> {
  static void into(Response& response, const char* text) noexcept {
    detail::render_view(response, text);
  }
};

template <>
struct Render<Response> {
  static void into(Response& response, Response made) {
    detail::render_response(response, std::move(made));
  }
};

template <>
struct Render<Html> {
  static void into(Response& response, Html page) {
    response.set_static_type(kTextHtml).set_body(std::move(page.text()));
  }
};

template <>
struct Render<Redirect> {
  static void into(Response& response, const Redirect& redirect) {
    detail::render_redirect(response, redirect);
  }
};

template <>
struct Render<Error> {
  static void into(Response& response, const Error& error) { render_error(response, error); }
};

template <class T>
struct Render<Json<T>> {
  static void into(Response& response, const Json<T>& json) {
    detail::render_json(response, reflect::type_of<T>(), &*json);
  }
};

template <class T>
struct Render<Created<T>> {
  static void into(Response& response, const Created<T>& created) {
    response.set_status(201);
    detail::render_location(response, created.location());
    detail::render_json(response, reflect::type_of<T>(), &created.value());
  }
};

/// Nothing there is a 404.
template <class T>
struct Render<std::optional<T>> {
  static void into(Response& response, std::optional<T> value) {
    if (value) {
      Render<T>::into(response, std::move(*value));
    } else {
      render_error(response, Error::not_found());
    }
  }
};

template <class T>
struct Render<Result<T>> {
  static void into(Response& response, Result<T> result) {
    if (!result) {
      render_error(response, result.error());
    } else if constexpr (std::is_void_v<T>) {
      response.set_status(204);
    } else {
      Render<T>::into(response, std::move(*result));
    }
  }
};

}  // namespace eider
