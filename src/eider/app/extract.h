// One argument of a handler, made from the request by the argument's type.
// Must not answer: what is wrong is an Error that the caller renders.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "eider/app/early_hints.h"
#include "eider/app/params.h"
#include "eider/base/result.h"
#include "eider/base/text.h"
#include "eider/base/utf8.h"
#include "eider/http/request.h"
#include "eider/json/json.h"
#include "eider/reflect/text.h"
#include "eider/runtime/cancel.h"
#include "eider/server/body_stream.h"
#include "eider/server/service.h"

namespace eider {

/// What an extractor may look at.
struct Context {
  Request& request;
  /// The names in the route's pattern, for errors.
  std::span<const std::string_view> path_names;
  /// What the handler's State parameters refer to, in their order.
  std::span<void* const> states;
  /// Of an answer that waits, else null.
  const Ongoing* ongoing = nullptr;
};

/// Which of its kind an argument is.
struct ArgumentPlace {
  std::size_t path_index;
  std::size_t state_index;
};

namespace detail {

/// `eider::read_pairs` (pairs.h), what is wrong being an Error of that status.
[[nodiscard]] Result<void> read_struct(const reflect::Type& type, void* object,
                                       std::string_view pairs, int error_status);
/// What is said of text that is not UTF-8; reflect::read_text says the same.
inline constexpr std::string_view kNotUtf8 = "must be UTF-8 text";

[[nodiscard]] Error bad_path_value(const Context& context, std::size_t index, std::string detail);
[[nodiscard]] Error bad_field(std::string_view kind, std::string_view name, std::string detail);
[[nodiscard]] Result<void> expect_content_type(const Request& request, std::string_view type);
[[nodiscard]] std::optional<std::string_view> find_cookie(const Request& request,
                                                          std::string_view name) noexcept;

template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// A named text (field or cookie) as the T asked for.
template <class T>
Result<T> from_named(std::string_view kind, std::string_view name,
                     std::optional<std::string_view> text) {
  if constexpr (kIsOptional<T>) {
    if (!text) {
      return T();
    }
    auto inner = from_named<typename T::value_type>(kind, name, text);
    if (!inner) {
      return fail(std::move(inner.error()));
    }
    return T(std::move(*inner));
  } else {
    if (!text) {
      return fail(bad_field(kind, name, "is missing"));
    }
    if constexpr (std::same_as<T, std::string_view> || std::same_as<T, std::string>) {
      if (!is_utf8(*text)) [[unlikely]] {
        return fail(bad_field(kind, name, std::string(kNotUtf8)));
      }
      return T(*text);
    } else {
      T value{};
      if (auto read = reflect::read_text(reflect::type_of<T>(), &value, *text); !read) {
        return fail(bad_field(kind, name, std::move(read.error())));
      }
      return value;
    }
  }
}

}  // namespace detail

/// A plain type is the next parameter of the path. To teach handlers a type of your own, specialise
/// Extract for it, as below.
template <class T>
struct Extract {
  static constexpr bool kIsPathValue = true;
  using Held = T;

  static Result<T> from(const Context& context, ArgumentPlace place) {
    const std::string_view text = context.request.path_values()[place.path_index];
    if constexpr (std::same_as<T, std::string_view> || std::same_as<T, std::string>) {
      if (!is_utf8(text)) [[unlikely]] {
        return fail(
            detail::bad_path_value(context, place.path_index, std::string(detail::kNotUtf8)));
      }
      return T(text);
    } else {
      if constexpr (detail::WholeNumber<T>) {
        if (const auto number = parse_integer<T>(text)) [[likely]] {
          return *number;
        }
      }
      T value{};
      if (auto read = reflect::read_text(reflect::type_of<T>(), &value, text); !read) {
        return fail(detail::bad_path_value(context, place.path_index, std::move(read.error())));
      }
      return value;
    }
  }
};

template <class T>
struct Extract<Query<T>> {
  static_assert(std::is_aggregate_v<T> && std::is_class_v<T>,
                "Query<T> takes a struct whose members are the keys");
  using Held = Query<T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    Held held;
    auto read = detail::read_struct(reflect::type_of<T>(), &*held, context.request.query(), 400);
    if (!read) {
      return fail(std::move(read.error()));
    }
    return held;
  }
};

template <class T>
struct Extract<Form<T>> {
  static_assert(std::is_aggregate_v<T> && std::is_class_v<T>,
                "Form<T> takes a struct whose members are the keys");
  using Held = Form<T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    if (auto typed =
            detail::expect_content_type(context.request, "application/x-www-form-urlencoded");
        !typed) {
      return fail(std::move(typed.error()));
    }
    Held held;
    auto read = detail::read_struct(reflect::type_of<T>(), &*held, context.request.body(), 422);
    if (!read) {
      return fail(std::move(read.error()));
    }
    return held;
  }
};

template <class T>
struct Extract<Json<T>> {
  using Held = Json<T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    if (auto typed = detail::expect_content_type(context.request, "application/json"); !typed) {
      return fail(std::move(typed.error()));
    }
    auto read = json::read<T>(context.request.body());
    if (!read) {
      return fail(std::move(read.error()));
    }
    return Held(std::move(*read));
  }
};

template <FixedString Name, class T>
struct Extract<Header<Name, T>> {
  using Held = Header<Name, T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    auto value = detail::from_named<T>("header", Name.view(), context.request.header(Name.view()));
    if (!value) {
      return fail(std::move(value.error()));
    }
    return Held(std::move(*value));
  }
};

template <FixedString Name, class T>
struct Extract<Cookie<Name, T>> {
  using Held = Cookie<Name, T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    auto value = detail::from_named<T>("cookie", Name.view(),
                                       detail::find_cookie(context.request, Name.view()));
    if (!value) {
      return fail(std::move(value.error()));
    }
    return Held(std::move(*value));
  }
};

// What is no template is defined in extract.cc: a std::expected of each costs every program 20 ms
// of its compilation, whether it uses the parameter or not.

template <>
struct Extract<Body> {
  using Held = Body;
  static Result<Held> from(const Context& context, ArgumentPlace);
};

template <>
struct Extract<BodyStream> {
  static constexpr bool kStreamsBody = true;
  using Held = BodyStream;
  static Result<Held> from(const Context& context, ArgumentPlace);
};

template <>
struct Extract<EarlyHints> {
  using Held = EarlyHints;
  static Result<Held> from(const Context& context, ArgumentPlace);
};

template <>
struct Extract<Cancel> {
  using Held = Cancel;
  static Result<Held> from(const Context& context, ArgumentPlace);
};

template <class T>
struct Extract<State<T>> {
  static constexpr bool kIsState = true;
  using Held = State<T>;
  using Object = T;
  static Result<Held> from(const Context& context, ArgumentPlace place) {
    return State<T>(*static_cast<T*>(context.states[place.state_index]));
  }
};

/// `Request&`, `const Request&`.
template <class T>
  requires std::same_as<std::remove_const_t<T>, Request>
struct Extract<T&> {
  using Held = T*;
  static Result<Held> from(const Context& context, ArgumentPlace) { return &context.request; }
};

}  // namespace eider
