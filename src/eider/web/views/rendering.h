// What the code that `eider views` makes of templates calls: pages as functions of their structs.
// Must not be slower than a page written by hand; what a template may not do does not compile.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "eider/core/reflect/concepts.h"
#include "eider/web/views/escape.h"
#include "eider/web/views/filter_values.h"
#include "eider/web/views/filters.h"
#include "eider/web/views/markup.h"
#include "eider/web/views/sink.h"
#include "eider/web/views/translation.h"
#include "eider/web/views/value.h"

namespace eider {

/// The page of a P: specialised by the code that is made of its template, and there where the
/// header beside it is included ("note.html.h").
///
///     static constexpr std::string_view kName;  // "notes/note.html"
///     static void write(std::string& out, const P& page);
///     static bool write_fragment(std::string& out, std::string_view name, const P& page);
///
/// If the layout names a frame, `{# frame notes::Frame #}`, there is also `using Frame = …`, and
/// both functions take a `const Frame&` as their last parameter.
template <class P>
struct View;

template <class P>
concept Viewed = requires(std::string& out, const P& page) {
  { View<P>::kName } -> std::convertible_to<std::string_view>;
  View<P>::write(out, page);
};

/// A page whose layout shows a frame.
template <class P>
concept FramedView = requires { typename View<P>::Frame; };

/// The page as text: for mails and tests. Handlers return `page(…)` (views/app/views.h).
template <Viewed P>
[[nodiscard]] std::string render_view(const P& page) {
  std::string out;
  View<P>::write(out, page);
  return out;
}
template <FramedView P>
[[nodiscard]] std::string render_view(const P& page, const typename View<P>::Frame& frame) {
  std::string out;
  View<P>::write(out, page, frame);
  return out;
}

}  // namespace eider

namespace eider::views {

namespace detail {

template <class T>
consteval bool is_shown_type() {
  if constexpr (std::convertible_to<const T&, std::string_view> || std::is_arithmetic_v<T> ||
                reflect::detail::FixedEnum<T> || reflect::TextLike<T>) {
    return true;
  } else if constexpr (reflect::detail::OptionalLike<T>) {
    return is_shown_type<typename T::value_type>();
  } else if constexpr (reflect::detail::OwnerLike<T>) {
    return is_shown_type<typename T::element_type>();
  } else if constexpr (reflect::detail::Bounded<T>) {
    return is_shown_type<typename T::BoundedValue>();
  } else {
    return false;
  }
}

template <class T>
inline constexpr bool kIsInteger = std::integral<T> && !std::same_as<T, bool>;

}  // namespace detail

template <class T>
concept Shown = detail::is_shown_type<T>();

/// A T{}, in place of what an empty optional has not.
template <class T>
[[nodiscard]] const T& fresh() {
  static const T object{};
  return object;
}

/// What is in the optional, or behind the rules: where members are asked for.
template <class T>
[[nodiscard]] const auto& in(const T& value) {
  if constexpr (reflect::detail::OptionalLike<T>) {
    return in(value.has_value() ? *value : fresh<typename T::value_type>());
  } else if constexpr (reflect::detail::OwnerLike<T>) {
    return in(value != nullptr ? *value : fresh<typename T::element_type>());
  } else if constexpr (reflect::detail::Bounded<T>) {
    if constexpr (std::is_scalar_v<typename T::BoundedValue>) {
      return value;
    } else {
      return in(*value);
    }
  } else {
    return value;
  }
}

/// Writes the value as it stands in that context.
template <Context At, class T>
void put(Sink& out, const T& value) {
  if constexpr (takes_json(At)) {
    out.append_by([&value](std::string& whole) { append_value(whole, At, ref(value)); });
  } else {
    static_assert(Shown<T>,
                  "eider: this has no text of its own: name a member, go through it by for, or "
                  "write it by | json");
    static_assert(At != Context::raw || !Shown<T> ||
                      detail::kIsText<std::remove_cvref_t<decltype(in(value))>>,
                  "eider: raw is for a text alone");
    static_assert(
        At == Context::text || !std::same_as<std::remove_cvref_t<decltype(in(value))>, Markup>,
        "eider: markup stands between tags alone");
    if constexpr ((std::same_as<T, std::string> || std::same_as<T, std::string_view>) &&
                  (At == Context::text || At == Context::attribute)) {
      write_html(out, value);
    } else if constexpr (detail::kIsInteger<T> && At != Context::url_part && At != Context::style) {
      constexpr std::size_t kDigitsMax = 24;
      out.reserve(kDigitsMax);
      out.set_end(std::to_chars(out.end(), out.end() + kDigitsMax, value).ptr);
    } else if constexpr (Shown<T>) {
      out.append_by([&value](std::string& whole) { append_value(whole, At, ref(value)); });
    }
  }
}

template <class T>
[[nodiscard]] bool is_so(const T& value) {
  using namespace reflect::detail;
  if constexpr (std::same_as<T, bool>) {
    return value;
  } else {
    static_assert(OptionalLike<T> || OwnerLike<T> || detail::kIsText<T> ||
                      std::is_arithmetic_v<T> || Bounded<T> || SequenceLike<T> || ArrayLike<T> ||
                      SetLike<T> || MapLike<T>,
                  "eider: this is no condition: compare it, or name a member");
    return holds(ref(value));
  }
}

namespace detail {

template <class T>
consteval Comparable comparable_as() {
  using Inner = std::remove_cvref_t<decltype(in(std::declval<const T&>()))>;
  if constexpr (!is_shown_type<T>()) {
    return Comparable::none;
  } else if constexpr (reflect::detail::Bounded<Inner>) {
    return comparable_as<typename Inner::BoundedValue>();
  } else if constexpr (std::same_as<Inner, bool>) {
    return Comparable::boolean;
  } else {
    return std::is_arithmetic_v<Inner> ? Comparable::number : Comparable::text;
  }
}

}  // namespace detail

template <class Left, class Right>
[[nodiscard]] bool is_compared(const Left& left, std::string_view sign, const Right& right) {
  constexpr Comparable kAs = detail::comparable_as<Left>();
  static_assert(kAs != Comparable::none && kAs == detail::comparable_as<Right>(),
                "eider: these two cannot be compared");
  return compare(ref(left), sign, ref(right));
}

/// What a filter of the library is given as text.
template <class T>
[[nodiscard]] Ref text_ref(const T& value) {
  static_assert(Shown<T>, "eider: this filter takes a text");
  return ref(value);
}

template <class T>
[[nodiscard]] Ref list_ref(const T& value) {
  using Inner = std::remove_cvref_t<decltype(in(value))>;
  using namespace reflect::detail;
  static_assert(SequenceLike<Inner> || ArrayLike<Inner> || SetLike<Inner>,
                "eider: join takes a list of texts");
  static_assert(Shown<typename Inner::value_type>, "eider: join takes a list of texts");
  return ref(value);
}

template <class T>
[[nodiscard]] Ref counted_ref(const T& value) {
  using Inner = std::remove_cvref_t<decltype(in(value))>;
  using namespace reflect::detail;
  static_assert(
      SequenceLike<Inner> || ArrayLike<Inner> || SetLike<Inner> || MapLike<Inner> || Shown<Inner>,
      "eider: length takes a list, a map or a text");
  return ref(value);
}

/// What `tr` is given.
template <class T>
[[nodiscard]] const T& translated_ref(const T& value) {
  using Inner = std::remove_cvref_t<decltype(in(value))>;
  static_assert(detail::kIsText<Inner> || reflect::detail::FixedEnum<Inner> ||
                    reflect::detail::Bounded<Inner>,
                "eider: tr takes a text or an enumerator");
  return value;
}
template <class T>
[[nodiscard]] const T& count_ref(const T& value) {
  static_assert(detail::comparable_as<T>() == Comparable::number,
                "eider: tr with two forms takes a whole number");
  return value;
}

/// One turn of a loop.
struct Turn {
  std::int64_t index0 = 0;
  std::int64_t length = 0;

  [[nodiscard]] std::int64_t index() const noexcept { return index0 + 1; }
  [[nodiscard]] bool is_first() const noexcept { return index0 == 0; }
  [[nodiscard]] bool is_last() const noexcept { return index0 + 1 == length; }
};

/// What `for each in …` goes through.
template <class T>
[[nodiscard]] const auto& each_in(const T& list) {
  using Inner = std::remove_cvref_t<decltype(in(list))>;
  using namespace reflect::detail;
  static_assert(!MapLike<Inner>, "eider: a map has keys and values: for name, value in …");
  static_assert(SequenceLike<Inner> || ArrayLike<Inner> || SetLike<Inner> || MapLike<Inner>,
                "eider: this is no list to go through");
  return in(list);
}

/// What `for name, value in …` goes through.
template <class T>
[[nodiscard]] const auto& entries_in(const T& map) {
  using Inner = std::remove_cvref_t<decltype(in(map))>;
  static_assert(reflect::detail::MapLike<Inner>, "eider: only a map has keys and values");
  return in(map);
}

template <class A, class T>
[[nodiscard]] const A* alternative(const T& variant) {
  static_assert(reflect::detail::VariantLike<T>,
                "eider: match is for a variant or an optional; an optional has the cases some and "
                "none");
  return std::get_if<A>(&variant);
}

template <class T>
[[nodiscard]] auto some(const T& optional) {
  static_assert(reflect::detail::OptionalLike<T> || reflect::detail::OwnerLike<T>,
                "eider: only an optional has the cases some and none");
  return optional ? &*optional : nullptr;
}

namespace detail {

template <class V, class... Named>
struct AreAll;
template <template <class...> class V, class... A, class... Named>
struct AreAll<V<A...>, Named...> {
  template <class T>
  static constexpr bool kIsNamed = (std::same_as<T, Named> || ...);
  static constexpr bool kValue = (kIsNamed<A> && ...);
};

}  // namespace detail

template <class V, class... Named>
inline constexpr bool kAreAll = detail::AreAll<V, Named...>::kValue;

/// What a component is given, by the type that its parameter says.
template <class T>
[[nodiscard]] std::string_view given_text(const T& value) {
  static_assert(detail::kIsText<T>, "eider: this parameter takes a text");
  if constexpr (std::same_as<T, const char*>) {
    return value == nullptr ? std::string_view() : value;
  } else {
    return value;
  }
}

template <class T>
[[nodiscard]] const T& given_integer(const T& value) {
  using Inner = decltype([] {
    if constexpr (reflect::detail::Bounded<T>) {
      return typename T::BoundedValue();
    } else {
      return T();
    }
  }());
  static_assert(detail::kIsInteger<Inner>, "eider: this parameter takes an integer");
  return value;
}

template <class T>
[[nodiscard]] const T& given_number(const T& value) {
  static_assert(detail::comparable_as<T>() == Comparable::number,
                "eider: this parameter takes a number");
  return value;
}

template <class T>
[[nodiscard]] const T& given_boolean(const T& value) {
  static_assert(detail::comparable_as<T>() == Comparable::boolean,
                "eider: this parameter takes a boolean");
  return value;
}

}  // namespace eider::views
