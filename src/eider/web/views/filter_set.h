// The custom filters of an application by name, for rendering without generated code.
// Layering: must not know the built-in filters.
#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/web/views/filter_values.h"
#include "eider/web/views/translation.h"
#include "eider/web/views/value.h"

namespace eider::views {

/// The result of a filter.
struct Owned {
  const reflect::Type* type;
  std::shared_ptr<const void> object;
};

/// parameters  their types, the filtered value first
struct Filter {
  const reflect::Type* result;
  std::vector<const reflect::Type*> parameters;
  std::function<Owned(std::span<const Ref>)> call;
};

/// Returns whether a value of a template can be passed to a parameter of type `wanted`: any text to
/// a text, any integer to an integer, any number to a real; else only the type itself.
[[nodiscard]] bool can_be_given(const reflect::Type& given, const reflect::Type& wanted) noexcept;

namespace detail {

/// Converts a value to a parameter of type T. Pre: can_be_given.
template <class T>
[[nodiscard]] auto given(Ref value, std::string& text)
    -> std::conditional_t<std::is_arithmetic_v<T> || std::same_as<T, std::string> ||
                              std::same_as<T, std::string_view>,
                          T, const T&> {
  const Ref inner = held(value);
  if constexpr (std::same_as<T, std::string_view> || std::same_as<T, std::string>) {
    text = shown(inner);
    return static_cast<T>(text);
  } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    return static_cast<T>(load_integer(inner));
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(load_real(inner));
  } else {
    return *static_cast<const T*>(value.at);
  }
}

}  // namespace detail

/// Filters have the names of functions: those that generated code calls.
///
///     filters.add("shout", notes::shout);   // std::string shout(std::string_view text);
class FilterSet {
 public:
  /// function  of values, const references or std::string_view; returns a value
  template <class R, class... A>
  FilterSet& add(std::string name, R (*function)(A...)) {
    static_assert(sizeof...(A) > 0, "eider: a filter needs a parameter for the value");
    static_assert(!std::is_reference_v<R>, "eider: a filter must return a value, not a reference");
    static_assert(!(std::is_pointer_v<std::remove_cvref_t<A>> || ...),
                  "eider: a text parameter of a filter must be std::string_view");
    using Made = decltype(kept(std::declval<R>()));
    put(std::move(name), {&reflect::type_of<Made>(),
                          {&reflect::type_of<std::remove_cvref_t<A>>()...},
                          [function](std::span<const Ref> values) {
                            return Owned{
                                &reflect::type_of<Made>(),
                                call<Made>(function, values, std::index_sequence_for<A...>())};
                          }});
    return *this;
  }

  /// Sets the type of the translator in pages, for `tr`.
  template <Translating T>
  FilterSet& translate_by() {
    translation_ = translation_by<T>();
    return *this;
  }
  [[nodiscard]] const Translation& translation() const noexcept { return translation_; }

  /// Returns null if there is no filter with that name.
  [[nodiscard]] const Filter* find(std::string_view name) const noexcept;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  void put(std::string name, Filter filter);
  template <class Made, class R, class... A, std::size_t... Index>
  static std::shared_ptr<const void> call(R (*function)(A...), std::span<const Ref> values,
                                          std::index_sequence<Index...>) {
    std::array<std::string, sizeof...(A)> texts;
    return std::make_shared<const Made>(
        kept(function(detail::given<std::remove_cvref_t<A>>(values[Index], texts[Index])...)));
  }

  std::map<std::string, Filter, std::less<>> filters_;
  Translation translation_;
};

}  // namespace eider::views
