// Concepts that classify types by their operations, not by their header.
// Layering: must not include the containers: a program pays only for those that it uses.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "eider/core/reflect/text_kind.h"
#include "eider/core/reflect/type.h"

namespace eider::reflect::detail {

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                  !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                  !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;

/// Only an enum with a fixed underlying type can have values without an enumerator.
template <class T>
concept FixedEnum = std::is_enum_v<T> && requires { T{0}; };

template <class T>
concept SelfDescribed = requires {
  { T::kReflect } -> std::convertible_to<const Dynamic&>;
};

template <class T>
concept Constrained = requires {
  typename T::ConstrainedValue;
  { T::kConstraint } -> std::convertible_to<const Constraint&>;
};

template <class T>
concept SequenceLike = requires(T& sequence, const T& constant) {
  typename T::value_type;
  sequence.clear();
  { sequence.emplace_back() } -> std::same_as<typename T::value_type&>;
  { constant.size() } -> std::convertible_to<std::size_t>;
  { constant.data() } -> std::same_as<const typename T::value_type*>;
};

template <class T>
concept ArrayLike = std::is_aggregate_v<T> && requires(const T& constant) {
  std::tuple_size<T>::value;
  { constant.data() } -> std::same_as<const typename T::value_type*>;
};

template <class T>
concept OptionalLike = requires(T& optional, const T& constant) {
  typename T::value_type;
  { optional.emplace() } -> std::same_as<typename T::value_type&>;
  optional.reset();
  { constant.has_value() } -> std::same_as<bool>;
};

/// An optional that distinguishes null from absent.
template <class T>
concept TellsNull = OptionalLike<T> && requires(T& optional, const T& constant) {
  optional.set_null();
  { constant.is_null() } -> std::same_as<bool>;
};

template <class T>
concept MapLike = requires(T& map, const T& constant, std::string key) {
  requires std::same_as<typename T::key_type, std::string>;
  typename T::mapped_type;
  { map.try_emplace(key).second } -> std::convertible_to<bool>;
  constant.find(key)->second;
  map.clear();
};

template <class T>
concept SetLike = requires(T& set, const T& constant, T::key_type key) {
  requires std::same_as<typename T::key_type, typename T::value_type>;
  { set.insert(key).second } -> std::convertible_to<bool>;
  { constant.contains(key) } -> std::same_as<bool>;
  set.clear();
};

/// std::unique_ptr and similar: a single owner, of an object made with `new`.
template <class T>
concept OwnerLike = requires(T& owner, T::element_type* made) {
  typename T::deleter_type;
  requires std::same_as<typename T::pointer, typename T::element_type*>;
  owner.release();
  owner.reset(made);
};

template <class T>
struct Alternatives;

template <template <class...> class V, class... A>
struct Alternatives<V<A...>> {
  static constexpr std::size_t kCount = sizeof...(A);
};

template <class T>
concept VariantLike = requires(T& variant, const T& constant) {
  Alternatives<T>::kCount;
  { constant.index() } -> std::convertible_to<std::size_t>;
  { constant.valueless_by_exception() } -> std::same_as<bool>;
  variant.template emplace<0>();
};

template <class T>
concept PlainStruct = std::is_class_v<T> && std::is_aggregate_v<T>;

/// Whether T has rules across its members (validation_errors.h).
template <class T>
concept ChecksItself =
    requires(const T& object, ValidationErrors& errors) { object.check(errors); };

/// T has a function of that name, as far as this can be determined.
template <class T>
concept HasFunctionCheck =
    requires { &T::check; } && !std::is_member_object_pointer_v<decltype(&T::check)>;

template <class T>
concept HasDescription =
    std::same_as<T, std::string> || std::same_as<T, std::string_view> ||
    std::same_as<T, const char*> || std::same_as<T, bool> || Integer<T> || Real<T> ||
    FixedEnum<T> || TextLike<T> || SelfDescribed<T> || Constrained<T> || SequenceLike<T> ||
    OptionalLike<T> || MapLike<T> || SetLike<T> || OwnerLike<T> || VariantLike<T> || ArrayLike<T> ||
    PlainStruct<T>;

// Types without a description, distinguished so that the compiler's message can name a replacement.

template <class T>
concept PointerLike = std::is_pointer_v<T> || requires(const T& pointer) {
  *pointer;
  pointer.get();
};
template <class T>
concept TupleLike = !HasDescription<T> && requires { std::tuple_size<T>::value; };
template <class T>
concept TimeLike = requires { typename T::period; };
template <class T>
concept MapOfOtherKeys = !HasDescription<T> && requires { typename T::mapped_type; };
template <class T>
concept OtherType =
    !std::is_enum_v<T> && !PointerLike<T> && !TupleLike<T> && !TimeLike<T> && !MapOfOtherKeys<T>;

}  // namespace eider::reflect::detail
