// Creates the URLs of routes from their handlers, so that each pattern is written only once.
// Layering: must not know requests; the result is a path, without scheme and host.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "eider/app/handlers/handler.h"
#include "eider/core/base/type_key.h"
#include "eider/core/json/write.h"
#include "eider/core/reflect/text_kind.h"
#include "eider/core/reflect/type_of.h"

namespace eider {

class RouteTable;

namespace detail::app {

/// The types of a handler's path parameters, as a std::tuple of std::type_identity.
template <class F, class R, class... P>
auto path_values_of(const SignatureOf<F, R, P...>& signature) -> decltype(std::tuple_cat(
    std::conditional_t<kKind<Argument<P>> == ArgumentKind::path_value,
                       std::tuple<std::type_identity<Argument<P>>>, std::tuple<>>()...));

template <class Taken, class Given>
inline constexpr bool kFitPath = false;
template <class... T, class... V>
  requires(sizeof...(T) == sizeof...(V))
inline constexpr bool kFitPath<std::tuple<std::type_identity<T>...>, std::tuple<V...>> =
    (true && ... && std::is_convertible_v<const V&, T>);

/// Converts a value to the text from which the router would read it.
template <class V>
std::string path_text(const V& value) {
  if constexpr (std::is_convertible_v<const V&, std::string_view>) {
    return std::string(std::string_view(value));
  } else if constexpr (reflect::TextLike<V>) {
    return std::string(std::string_view(TextFormat<V>::format(value)));
  } else {
    std::string text = json::to_text(value);
    return text.starts_with('"') ? text.substr(1, text.size() - 2) : text;  // the name of an
                                                                            // enumerator
  }
}

}  // namespace detail::app

/// The URLs of an application's routes; handlers use State<Urls>.
///
///     app.get("/notes/{id}", &read_note);
///     app.post("/notes", [](Json<NewNote> note, State<Urls> urls) {
///       return Redirect(urls->of(&read_note, add(*note)));
///     });
///
/// A lambda is found by its type: name it, and pass the name to both `get` and `of`.
class Urls {
 public:
  explicit Urls(const RouteTable& table) noexcept : table_(&table) {}

  /// Returns the path of the first route with that handler, with percent-encoded values:
  /// `/notes/7`.
  ///
  /// values  path parameters, in the order of the handler's parameters
  /// throws  Failure  if no route has the handler, or a value cannot be part of a path: empty, "."
  ///         or ".."
  template <class F, class... V>
  [[nodiscard]] std::string of(const F& handler, const V&... values) const {
    const auto function = detail::app::as_function(handler);
    using Function = std::remove_const_t<decltype(function)>;
    static_assert(
        sizeof...(V) == detail::app::Signature<Function>::kPathCount,
        "Urls::of needs a value for each path parameter of the handler, in the same order");
    using Taken = decltype(detail::app::path_values_of(
        std::declval<const detail::app::Signature<Function>&>()));
    static_assert(
        sizeof...(V) != std::tuple_size_v<Taken> || detail::app::kFitPath<Taken, std::tuple<V...>>,
        "Urls::of: a value does not have the type of the handler's path parameter");
    return make(&detail::base::kTypeKey<Function>, &is_same<Function>, &function,
                {detail::app::path_text(values)...});
  }

 private:
  using IsSame = bool (*)(const void* one, const void* other);

  /// Compares handlers: lambdas by type, pointers also by value.
  template <class F>
  static bool is_same(const void* one, const void* other) {
    if constexpr (requires(const F& function) { function == function; }) {
      return *static_cast<const F*>(one) == *static_cast<const F*>(other);
    }
    return true;
  }
  [[nodiscard]] std::string make(detail::base::TypeKey type, IsSame is_it, const void* handler,
                                 std::initializer_list<std::string> values) const;

  const RouteTable* table_;
};

}  // namespace eider
