// Operations on values by their descriptions: text, conditions, comparisons and elements.
// Layering: must not know templates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/reflect/type_of.h"
#include "eider/web/views/tree.h"

namespace eider::views {

/// A pointer to an object, with its type.
struct Ref {
  const reflect::Type* type;
  const void* at;
};

template <class T>
[[nodiscard]] Ref ref(const T& object) noexcept {
  return {&reflect::type_of<T>(), &object};
}

/// Returns whether a type can be shown as text: texts, numbers, booleans, enumerators, dates and
/// similar types, and optionals of these.
[[nodiscard]] bool is_shown(const reflect::Type& type) noexcept;

/// Returns whether a type is Markup, or an optional of it: shown unescaped, and only between tags.
[[nodiscard]] bool is_markup(const reflect::Type& type) noexcept;

/// Returns whether a type can be a condition: all except structs, variants and json::Value.
[[nodiscard]] bool is_condition(const reflect::Type& type) noexcept;

/// How a value is compared; none: it cannot be.
enum class Comparable : std::uint8_t { none, text, number, boolean };
[[nodiscard]] Comparable comparable(const reflect::Type& type) noexcept;

/// Returns the value without constraints, and that of an optional; null for an empty optional.
[[nodiscard]] Ref held(Ref value) noexcept;
/// Returns the type of that.
[[nodiscard]] const reflect::Type& held_type(const reflect::Type& type) noexcept;

/// Return a number as the largest type of its kind. Pre: an integer; an integer or a real.
[[nodiscard]] std::int64_t load_integer(Ref number) noexcept;
[[nodiscard]] double load_real(Ref number) noexcept;

/// Appends the text: an enumerator by name, a number with the fewest digits that identify it, an
/// empty optional as nothing. Pre: is_shown.
void append_shown(std::string& out, Context context, Ref value);
[[nodiscard]] std::string shown(Ref value);

/// Appends the value, escaped for that context; scripts accept any type, as JSON. Pre: is_shown for
/// other contexts.
void append_value(std::string& out, Context context, Ref value);

/// Returns whether a condition is true: true, a number other than 0, a text or list that is not
/// empty, an optional with any value, even false. Pre: is_condition.
[[nodiscard]] bool holds(Ref value) noexcept;

/// sign  "==", "!=", "<", "<=", ">" or ">="
///
/// An empty optional is neither equal to, less nor greater than a value; two empty ones are equal.
/// Pre: both have the same Comparable.
[[nodiscard]] bool compare(Ref left, std::string_view sign, Ref right);

/// key  of a map entry; empty for other elements
struct Item {
  std::string_view key;
  Ref value;
};

/// Returns the elements; an empty optional has none. Pre: the type is one of those, or an optional
/// of one.
[[nodiscard]] std::vector<Item> items_of(Ref container);

/// Returns the type of the elements; null if the type has none.
[[nodiscard]] const reflect::Type* item_type(const reflect::Type& type) noexcept;

}  // namespace eider::views
