// Rules on strings, numbers and lists for Must, and what is made of them: Email.
// Must not look anything up: whether a mailbox or a server is there is not asked.
#pragma once

#include <algorithm>
#include <concepts>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>

#include "eider/core/base/fixed_string.h"
#include "eider/core/reflect/constraints.h"

namespace eider {

namespace detail::kinds {

[[nodiscard]] bool is_email(std::string_view text) noexcept;
[[nodiscard]] Requirement describe_one_of(std::initializer_list<std::string_view> texts);

template <class T>
concept Hashable = requires(const T& value) {
  { std::hash<T>()(value) } -> std::convertible_to<std::size_t>;
};

}  // namespace detail::kinds

/// A mailbox: `name@example.org`. Names are letters, digits, !#$%&'*+-/=?^_`{|}~ and single dots
/// between them; domains are names of letters, digits and hyphens, or a single one (`localhost`).
/// No quotes, comments, addresses in brackets, nor other scripts than ASCII.
///
/// source  RFC 5321, sections 4.1.2 (Mailbox, Dot-string, Domain) and 4.5.3.1
struct IsEmail {
  static bool check(std::string_view text) noexcept { return detail::kinds::is_email(text); }
  static Requirement describe();
};

using Email = Must<std::string, IsEmail>;

/// One of these texts: where an enum class would have no names for them.
template <FixedString... Texts>
struct OneOf {
  static_assert(sizeof...(Texts) != 0, "eider: a OneOf names the texts that may stand there");

  static bool check(std::string_view text) noexcept { return ((text == Texts.view()) || ...); }
  static Requirement describe() { return detail::kinds::describe_one_of({Texts.view()...}); }
};

/// An integer that Factor divides.
template <auto Factor>
struct MultipleOf {
  static_assert(std::integral<decltype(Factor)> && Factor > 0,
                "eider: a MultipleOf has an integer above zero");

  template <std::integral T>
  static constexpr bool check(T value) noexcept {
    using Widest = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
    return static_cast<Widest>(value) % static_cast<Widest>(Factor) == 0;
  }
  static Requirement describe() {
    const std::string factor = std::to_string(Factor);
    return {"multiple_of",
            "must be a multiple of {factor}",
            {{"factor", factor}},
            {{"multipleOf", factor}}};
  }
};

/// A list in which nothing stands twice; its elements are ordered by <, or have a std::hash.
///
/// cost  n log n where there is an order. By a hash, of which clients know how to make many alike,
///       a long list takes the square: give a type of your own an order, or bound the list.
struct Unique {
  template <class T>
    requires(detail::kinds::Hashable<typename T::value_type> ||
             std::totally_ordered<typename T::value_type>)
  static bool check(const T& list) {
    using Element = T::value_type;
    using Seen = std::conditional_t<std::totally_ordered<Element>, std::set<Element>,
                                    std::unordered_set<Element>>;
    Seen seen;
    return std::ranges::all_of(list,
                               [&seen](const Element& one) { return seen.insert(one).second; });
  }
  static Requirement describe();
};

}  // namespace eider
