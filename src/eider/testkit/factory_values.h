// Default values for the members of records that tests create.
// Layering: must not know databases.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "eider/core/kinds/kinds.h"
#include "eider/core/kinds/rules.h"
#include "eider/core/kinds/times.h"
#include "eider/core/kinds/uuid.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/type_of.h"
#include "eider/protocols/http/url.h"

namespace eider::detail::testkit {

// Each function changes a text so that it satisfies a rule. Rules without a function here, such as
// Matches, need a value from the test.

inline void fit(std::string& /*text*/, std::int64_t /*number*/, const void* /*rule*/) {}

/// Keeps the digits at the end, which make the text unique.
template <std::size_t Min, std::size_t Max>
void fit(std::string& text, std::int64_t number, const HasLength<Min, Max>* /*rule*/) {
  text = text.size() > Max ? std::to_string(number) : text;
  text = text.size() > Max ? text.substr(text.size() - Max) : text;
  text.insert(0, text.size() < Min ? Min - text.size() : 0, 'x');
}
inline void fit(std::string& text, std::int64_t number, const IsEmail* /*rule*/) {
  text = "user" + std::to_string(number) + "@example.org";
}
inline void fit(std::string& text, std::int64_t number, const IsUrl* /*rule*/) {
  text = "https://example.org/" + std::to_string(number);
}
template <FixedString First, FixedString... Others>
void fit(std::string& text, std::int64_t /*number*/, const OneOf<First, Others...>* /*rule*/) {
  text = First.view();
}

template <class T>
void fit_number(T& /*value*/, const void* /*rule*/) {}
template <class T, T Min, T Max>
void fit_number(T& value, const InRange<T, Min, Max>* /*rule*/) {
  value = std::clamp(value, Min, Max);
}

// Each function sets a member that has no value yet. An optional member, and one with a default,
// stays.

template <class T>
void fill(T& value, std::string_view name, std::int64_t number) {
  if constexpr (std::is_same_v<T, std::string>) {
    value = value.empty() ? std::string(name) + " " + std::to_string(number) : value;
  } else if constexpr (std::is_same_v<T, std::chrono::year_month_day>) {
    value = value.ok() ? value : std::chrono::year_month_day(std::chrono::sys_days());
  } else if constexpr (std::is_same_v<T, Uuid>) {
    if (value == Uuid()) {
      std::string text = std::to_string(number);
      text.insert(0, 12 - std::min<std::size_t>(text.size(), 12), '0');
      value = Uuid::parse("00000000-0000-4000-8000-" + text).value_or(Uuid());
    }
  }
}

template <class T, class... Rules>
void fill(Validated<T, Rules...>& value, std::string_view name, std::int64_t number) {
  const auto satisfies = [](const T& checked) { return (Rules::check(checked) && ...); };
  if constexpr (std::is_same_v<T, std::string>) {
    if (!(*value).empty()) {
      return;
    }
    std::string text = std::string(name) + " " + std::to_string(number);
    (fit(text, number, static_cast<const Rules*>(nullptr)), ...);
    if (satisfies(text)) {
      value = std::move(text);
    }
  } else if constexpr (std::is_arithmetic_v<T>) {
    T changed = *value;
    (fit_number<T>(changed, static_cast<const Rules*>(nullptr)), ...);
    if (satisfies(changed)) {
      value = changed;
    }
  }
}

/// Throws std::invalid_argument, with the name of the member.
template <class T>
void check(const T& /*value*/, std::string_view /*name*/) {}
template <class T, class... Rules>
void check(const Validated<T, Rules...>& value, std::string_view name) {
  if constexpr (!reflect::detail::Constrained<T>) {
    if (!(Rules::check(*value) && ...)) {
      throw std::invalid_argument("eider: a factory has no valid value for the member " +
                                  std::string(name) + ": set one in the defaults of the factory");
    }
  }
}

}  // namespace eider::detail::testkit
