// Rules for strings, numbers and lists in Validated, and types made of them, such as Email.
// Layering: must not look anything up, such as whether a mailbox or a server exists.
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

/// An email address: `name@example.org`. Names are letters, digits, !#$%&'*+-/=?^_`{|}~ and single
/// dots between them; domains are names of letters, digits and hyphens, or a single one
/// (`localhost`). No quotes, comments, addresses in brackets, or other scripts than ASCII.
///
/// source  RFC 5321, sections 4.1.2 (Mailbox, Dot-string, Domain) and 4.5.3.1
struct IsEmail {
  static bool check(std::string_view text) noexcept { return detail::kinds::is_email(text); }
  static Requirement describe();
};

using Email = Validated<std::string, IsEmail>;

/// One of these texts, if an enum class cannot have such names.
template <FixedString... Texts>
struct OneOf {
  static_assert(sizeof...(Texts) != 0,
                "eider: OneOf needs at least one text, such as OneOf<\"S\", \"M\">");

  static bool check(std::string_view text) noexcept { return ((text == Texts.view()) || ...); }
  static Requirement describe() { return detail::kinds::describe_one_of({Texts.view()...}); }
};

/// A multiple of Factor.
template <auto Factor>
struct MultipleOf {
  static_assert(std::integral<decltype(Factor)> && Factor > 0,
                "eider: MultipleOf needs an integer greater than zero");

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

/// A list without duplicates; its elements are ordered by <, or have a std::hash.
///
/// cost  n log n with an order. With a hash, clients can choose elements with equal hashes, and a
///       long list takes quadratic time: define an order for your own type, or limit the list.
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
