// Operations on values by their descriptions: text, conditions and comparisons.
// Layering: must not know templates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/reflect/type_of.h"
#include "eider/web/views/tree.h"

namespace eider::views {

/// An object somewhere, and what it is.
struct Ref {
  const reflect::Type* type;
  const void* at;
};

template <class T>
[[nodiscard]] Ref ref(const T& object) noexcept {
  return {&reflect::type_of<T>(), &object};
}

/// What can be shown as text: texts, numbers, booleans, enumerators, dates and their like, and
/// optionals of such.
[[nodiscard]] bool is_shown(const reflect::Type& type) noexcept;

/// Markup, or an optional of it, which is shown as it is, and between tags alone.
[[nodiscard]] bool is_markup(const reflect::Type& type) noexcept;

/// What can be a condition: all but structs, variants and json::Value.
[[nodiscard]] bool is_condition(const reflect::Type& type) noexcept;

/// What a value can be compared as; none: not at all.
enum class Comparable : std::uint8_t { none, text, number, boolean };
[[nodiscard]] Comparable comparable(const reflect::Type& type) noexcept;

/// Without rules, and what an optional holds; null where it holds nothing.
[[nodiscard]] Ref held(Ref value) noexcept;
/// The type of that.
[[nodiscard]] const reflect::Type& held_type(const reflect::Type& type) noexcept;

/// Appends the text: an enumerator by name, a number in as few digits as tell it from others, an
/// empty optional as nothing. Pre: is_shown.
void append_shown(std::string& out, Context context, Ref value);
[[nodiscard]] std::string shown(Ref value);

/// Appends the value as that context has it; a script gets any type, as JSON. Pre: else is_shown.
void append_value(std::string& out, Context context, Ref value);

/// Holds for what is there: true, a number other than 0, a text or list that is not empty, an
/// optional that holds something. Pre: is_condition.
[[nodiscard]] bool holds(Ref value) noexcept;

/// sign  "==", "!=", "<", "<=", ">" or ">="
///
/// What an empty optional is compared with is neither equal nor less nor greater, save that two
/// empty ones are equal. Pre: both are comparable as the same.
[[nodiscard]] bool compare(Ref left, std::string_view sign, Ref right);

}  // namespace eider::views
