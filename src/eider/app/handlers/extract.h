// Extracts one argument of a handler from the request, by the type of the argument.
// Layering: must not render responses; errors are returned as an Error.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "eider/app/handlers/early_hints.h"
#include "eider/app/handlers/operation.h"
#include "eider/app/handlers/params.h"
#include "eider/core/base/result.h"
#include "eider/core/base/text.h"
#include "eider/core/base/type_key.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/json.h"
#include "eider/core/reflect/text.h"
#include "eider/core/reflect/wording.h"
#include "eider/io/runtime/cancel.h"
#include "eider/protocols/http/request.h"
#include "eider/server/body_stream.h"
#include "eider/server/service.h"

namespace eider {

/// The data from which arguments are extracted.
struct Context {
  Request& request;
  /// Names of the path parameters, for errors.
  std::span<const std::string_view> path_names;
  /// Objects of the handler's State parameters, in their order.
  std::span<void* const> states;
  /// Only for a response that waits, else null.
  const Ongoing* ongoing = nullptr;
  /// See UnknownQuery.
  bool ignores_unknown_query = false;
};

/// The source of an argument, set by the kKind of its Extract.
enum class ArgumentKind : std::uint8_t {
  request,         // available with the headers; the default
  path_value,      // the next path parameter
  content,         // the complete request body
  content_stream,  // the request body as a stream
  state,           // an object of App::state
  extension,       // a value that is stored in the request
  output,          // writes the response while the handler runs
  live_output,     // the same, but each byte is sent as soon as it is written
  socket,          // another protocol takes over the connection
};

/// Position of an argument among those of its kind.
struct ArgumentPlace {
  std::size_t path_index;
  std::size_t state_index;
};

template <class T>
struct Extract;

struct Guard;

namespace detail::app {

/// Returns a guard that makes a T from the parameters of Extract<T>::from. For types of the
/// library, users declare `extern template`, because extract.cc instantiates it.
template <class T>
[[nodiscard]] Guard make_maker();

/// Reads the query string like `eider::read_pairs` (pairs.h).
///
/// errors  400
[[nodiscard]] Result<void> read_query(const reflect::Type& type, void* object,
                                      const Context& context);
/// In a request: the name of a form field of middleware, such as the token of csrf. Forms skip the
/// field if the struct has no such member. The name must outlive the request.
struct PassesField {
  std::string_view name;
};
[[nodiscard]] std::string_view passed_field(const Request& request) noexcept;
/// Reads the request body, a form, into a struct.
///
/// errors  422
[[nodiscard]] Result<void> read_form(const reflect::Type& type, void* object,
                                     const Request& request);
/// In a request: Json<T> also accepts forms if T is flat.
struct TakesForms {};
/// Reads the form of a request with TakesForms into the struct of that type at `object`. Errors
/// have JSON pointers, as for JSON.
///
/// errors  `otherwise` if the body is not a form or forms are not accepted; 415 if the type cannot
///         be read from key-value pairs
[[nodiscard]] Result<void> read_form_instead(const Request& request, const reflect::Type& type,
                                             void* object, Error otherwise);
using BrokenRequirements = std::vector<Requirement>;

[[nodiscard]] Error bad_path_value(const Context& context, std::size_t index,
                                   const BrokenRequirements& broken);
[[nodiscard]] Error bad_field(std::string_view kind, std::string_view name,
                              const BrokenRequirements& broken);
[[nodiscard]] Result<void> expect_content_type(const Request& request, std::string_view type);
[[nodiscard]] std::optional<std::string_view> find_cookie(const Request& request,
                                                          std::string_view name) noexcept;

template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
concept Extracted =
    requires(const Context& context, ArgumentPlace place) { Extract<T>::from(context, place); };
/// Whether Extract<T>::from has its own parameters, like a guard.
template <class T>
inline constexpr bool kIsMade = !Extracted<T> && requires { &Extract<T>::from; };

template <class A>
constexpr ArgumentKind kind_of() noexcept {
  if constexpr (kIsMade<A>) {
    return ArgumentKind::extension;
  } else if constexpr (requires { Extract<A>::kKind; }) {
    return Extract<A>::kKind;
  } else {
    return ArgumentKind::request;
  }
}
template <class A>
inline constexpr ArgumentKind kKind = kind_of<A>();
template <class A>
inline constexpr bool kMayBeMissing = requires { requires Extract<A>::kMayBeMissing; };

/// Whether a parameter refers to nothing of the request. Your own types must declare it, because
/// they could be views.
template <class A>
inline constexpr bool kOwnsData = requires { requires Extract<A>::kOwnsData; };

/// Whether changes through a parameter must be complete when the response headers are sent.
template <class A>
inline constexpr bool kEndsWithHead = requires { requires Extract<A>::kEndsWithHead; };

/// Returns the type that describes such a text in OpenAPI documents; null for plain text.
template <class T>
constexpr const reflect::Type* text_type() noexcept {
  if constexpr (kIsOptional<T>) {
    return text_type<typename T::value_type>();
  } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::string_view>) {
    return nullptr;
  } else {
    return &reflect::type_of<T>();
  }
}

[[nodiscard]] Error nobody_has_put(std::string_view type_name);

template <class T>
inline constexpr bool kOwnsNamed = !std::same_as<T, std::string_view>;
template <class T>
inline constexpr bool kOwnsNamed<std::optional<T>> = kOwnsNamed<T>;

/// Whether a T can be a path parameter: types of reflect::read_text, and views.
template <class T>
inline constexpr bool kIsText = std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                                std::same_as<T, std::string> || std::same_as<T, std::string_view> ||
                                reflect::TextLike<T> || requires { typename T::ConstrainedValue; };
template <class T>
inline constexpr bool kIsText<std::optional<T>> = kIsText<T>;

/// Converts a named text (header or cookie) to a T.
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
      return fail(bad_field(kind, name, {reflect::wording::kMissing}));
    }
    if constexpr (std::same_as<T, std::string_view> || std::same_as<T, std::string>) {
      if (!is_utf8(*text)) [[unlikely]] {
        return fail(bad_field(kind, name, {reflect::wording::kNotUtf8}));
      }
      return T(*text);
    } else {
      T value{};
      if (auto read = reflect::read_text(reflect::type_of<T>(), &value, *text); !read) {
        return fail(bad_field(kind, name, read.error()));
      }
      return value;
    }
  }
}

}  // namespace detail::app

/// Extracts a plain type from the next path parameter. To support your own parameter type,
/// specialize Extract for it, as below, or
///
///     struct User { …; static constexpr bool kIsInjectable = true; };        // stored by a guard
///     template <> struct eider::Extract<Caller> : ExtractExtension<Caller> {};  // … external type
///     template <> struct eider::Extract<Caller> {                            // computed on demand
///       static Task<Result<Caller>> from(Cookie<"sid"> sid, State<Sessions> sessions);
///     };
///
/// The last one is a provider: it has the parameters of a guard, can wait, and runs before the
/// request body is read, once per request. A handler with std::optional<Caller> gets nullopt
/// instead of a 4xx.
///
/// kKind                 source of the argument
/// describe(Operation&)  describes the parameter for OpenAPI documents; optional
/// kOwnsData             the value does not refer to the request. Without it, the request is copied
///                       before a synchronous handler with a streamed body, such as Streamed, and
///                       WebSocket handlers cannot use the type.
/// check_type()          throws a Failure, when the route is added, if the type cannot be extracted
///                       from any request
/// kEndsWithHead         changes must be complete when the headers are sent: handlers that stream
///                       their response cannot use the type
template <class T>
struct Extract {
  static constexpr ArgumentKind kKind = ArgumentKind::path_value;
  static constexpr bool kReadsText = true;
  static constexpr bool kOwnsData = !std::same_as<T, std::string_view>;
  using Held = T;

  static Result<T> from(const Context& context, ArgumentPlace place) {
    const std::string_view text = context.request.path_values()[place.path_index];
    if constexpr (std::same_as<T, std::string_view> || std::same_as<T, std::string>) {
      if (!is_utf8(text)) [[unlikely]] {
        return fail(
            detail::app::bad_path_value(context, place.path_index, {reflect::wording::kNotUtf8}));
      }
      return T(text);
    } else {
      if constexpr (detail::app::WholeNumber<T>) {
        if (const auto number = parse_integer<T>(text)) [[likely]] {
          return *number;
        }
      }
      T value{};
      if (auto read = reflect::read_text(reflect::type_of<T>(), &value, text); !read) {
        return fail(detail::app::bad_path_value(context, place.path_index, read.error()));
      }
      return value;
    }
  }
  static void describe(Operation& operation) {
    detail::app::describe_path_value(operation, detail::app::text_type<T>());
  }
};

template <class T>
struct Extract<Query<T>> {
  static constexpr bool kOwnsData = true;
  static_assert(std::is_aggregate_v<T> && std::is_class_v<T>,
                "Query<T> needs a struct whose members are the query parameters");
  using Held = Query<T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    Held held;
    auto read = detail::app::read_query(reflect::type_of<T>(), &*held, context);
    if (!read) {
      return fail(std::move(read.error()));
    }
    return held;
  }
  static void describe(Operation& operation) { operation.take_query(reflect::type_of<T>()); }
};

template <class T>
struct Extract<Form<T>> {
  static constexpr ArgumentKind kKind = ArgumentKind::content;
  static constexpr bool kOwnsData = true;
  static_assert(std::is_aggregate_v<T> && std::is_class_v<T>,
                "Form<T> needs a struct whose members are the form fields");
  using Held = Form<T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    if (auto typed = detail::app::expect_content_type(context.request, kFormUrlencoded); !typed) {
      return fail(std::move(typed.error()));
    }
    Held held;
    auto read = detail::app::read_form(reflect::type_of<T>(), &*held, context.request);
    if (!read) {
      return fail(std::move(read.error()));
    }
    return held;
  }
  static void describe(Operation& operation) {
    detail::app::describe_form_content(operation, reflect::type_of<T>());
  }
};

template <class T>
struct Extract<Json<T>> {
  static constexpr ArgumentKind kKind = ArgumentKind::content;
  static constexpr bool kOwnsData = true;
  using Held = Json<T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    if (auto typed = detail::app::expect_content_type(context.request, "application/json");
        !typed) {
      // json::read rejects other types at compile time; its message is clearer than that of `held`.
      if constexpr (std::default_initializable<T>) {
        Held held;
        auto form = detail::app::read_form_instead(context.request, reflect::type_of<T>(), &*held,
                                                   std::move(typed.error()));
        return form ? Result<Held>(std::move(held)) : fail(std::move(form.error()));
      }
    }
    auto read = json::read<T>(context.request.body());
    if (!read) {
      return fail(std::move(read.error()));
    }
    return Held(std::move(*read));
  }
  static void describe(Operation& operation) {
    detail::app::describe_json_content(operation, reflect::type_of<T>());
  }
};

template <FixedString Name, class T>
struct Extract<Header<Name, T>> {
  static constexpr bool kOwnsData = detail::app::kOwnsNamed<T>;
  using Held = Header<Name, T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    auto value =
        detail::app::from_named<T>("header", Name.view(), context.request.header(Name.view()));
    if (!value) {
      return fail(std::move(value.error()));
    }
    return Held(std::move(*value));
  }
  static void describe(Operation& operation) {
    operation.take_header(Name.view(), detail::app::text_type<T>(), !detail::app::kIsOptional<T>);
  }
};

template <FixedString Name, class T>
struct Extract<Cookie<Name, T>> {
  static constexpr bool kOwnsData = detail::app::kOwnsNamed<T>;
  using Held = Cookie<Name, T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    auto value = detail::app::from_named<T>("cookie", Name.view(),
                                            detail::app::find_cookie(context.request, Name.view()));
    if (!value) {
      return fail(std::move(value.error()));
    }
    return Held(std::move(*value));
  }
  static void describe(Operation& operation) {
    operation.take_cookie(Name.view(), detail::app::text_type<T>(), !detail::app::kIsOptional<T>);
  }
};

// Non-template specializations are defined in extract.cc: each std::expected in them would add 20
// ms to the compilation of every file, even if it does not use the parameter.

template <>
struct Extract<Body> {
  static constexpr ArgumentKind kKind = ArgumentKind::content;
  using Held = Body;
  static Result<Held> from(const Context& context, ArgumentPlace);
  static void describe(Operation& operation) { detail::app::describe_any_content(operation); }
};

template <>
struct Extract<BodyStream> {
  static constexpr ArgumentKind kKind = ArgumentKind::content_stream;
  using Held = BodyStream;
  static Result<Held> from(const Context& context, ArgumentPlace);
  static void describe(Operation& operation) {
    detail::app::describe_streamed_content(operation, "*/*");
  }
};

template <>
struct Extract<EarlyHints> {
  using Held = EarlyHints;
  static Result<Held> from(const Context& context, ArgumentPlace);
};

template <>
struct Extract<Cancel> {
  static constexpr bool kOwnsData = true;
  using Held = Cancel;
  static Result<Held> from(const Context& context, ArgumentPlace);
};

template <class T>
struct Extract<State<T>> {
  static constexpr bool kOwnsData = true;
  static constexpr ArgumentKind kKind = ArgumentKind::state;
  using Held = State<T>;
  using Object = T;
  static Result<Held> from(const Context& context, ArgumentPlace place) {
    return State<T>(*static_cast<T*>(context.states[place.state_index]));
  }
};

template <class T>
struct Extract<Extension<T>> {
  static constexpr ArgumentKind kKind = ArgumentKind::extension;
  using Held = Extension<T>;
  using Object = std::remove_const_t<T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    Object* const object = context.request.find<Object>();
    if (object == nullptr) [[unlikely]] {
      return fail(detail::app::nobody_has_put(detail::base::type_name<Object>()));
    }
    return Extension<T>(*object);
  }
};

/// Derive the Extract of your own type from this. Handlers can then use stored values by the type
/// itself: `T`, a copy, `const T&` or `std::optional<T>`, like Extension<T>. Define `kOwnsData` if
/// a T does not refer to the request.
template <class T>
struct ExtractExtension {
  static_assert(std::is_copy_constructible_v<T>,
                "this type cannot be copied: use Extension<T>, which refers to the stored object");
  static constexpr ArgumentKind kKind = ArgumentKind::extension;
  using Held = T;
  using Object = T;
  static Result<T> from(const Context& context, ArgumentPlace) {
    const T* const object = context.request.find<T>();
    if (object == nullptr) [[unlikely]] {
      return fail(detail::app::nobody_has_put(detail::base::type_name<T>()));
    }
    return *object;
  }
};

/// Extract of structs with `static constexpr bool kIsInjectable = true;`, which do not refer to the
/// request.
template <class T>
  requires requires { requires T::kIsInjectable; }
struct Extract<T> : ExtractExtension<T> {
  static constexpr bool kOwnsData = true;
};

namespace detail::app {

/// Extracts a parameter of type A.
template <class A>
struct Extractor : Extract<A> {};
template <class A>
  requires kIsMade<A>
struct Extractor<A> : ExtractExtension<A> {};

}  // namespace detail::app

template <class T>
  requires(detail::app::kKind<T> == ArgumentKind::extension)
struct Extract<std::optional<T>> {
  using Inner = detail::app::Extractor<T>;
  static constexpr ArgumentKind kKind = ArgumentKind::extension;
  static constexpr bool kMayBeMissing = true;
  static constexpr bool kOwnsData = detail::app::kOwnsData<T>;
  static constexpr bool kEndsWithHead = detail::app::kEndsWithHead<T>;
  using Held = std::optional<typename Inner::Held>;
  using Object = typename Inner::Object;
  static Result<Held> from(const Context& context, ArgumentPlace place) {
    if (!context.request.extensions().contains(&detail::base::kTypeKey<Object>)) {
      return Held();
    }
    return Held(std::move(*Inner::from(context, place)));
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
