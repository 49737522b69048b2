// Encodes Redis commands as arrays of bulk strings (RESP2 and RESP3).
// Layering: must not know commands; arguments need no escaping.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/core/base/buffer.h"
#include "eider/core/reflect/type_of.h"

namespace eider::redis::detail {

/// Call `begin`, then `add` for each argument.
class RespWriter {
 public:
  explicit RespWriter(Buffer& out) noexcept : out_(out) {}

  void begin(std::size_t arguments) { put_count('*', arguments); }
  /// Adds any bytes.
  void add(std::string_view argument);
  void add(std::int64_t number);
  void add(std::uint64_t number);
  /// Adds the shortest text that reads back as the same number; "inf" and "nan" as in Redis.
  void add(double number);
  void add(float number);

 private:
  void put_count(char mark, std::size_t count);

  Buffer& out_;
};

/// Returns the number of arguments for a value: one, or those of its elements. A struct and a map
/// are written as alternating names and values, as for HSET; an empty optional is omitted, with the
/// name of its member.
[[nodiscard]] std::size_t count_arguments(const reflect::Type& type, const void* value);
/// Adds these arguments. A bool is 1 or 0, an enum its name.
void add_arguments(RespWriter& writer, const reflect::Type& type, const void* value);

template <class T>
concept Texty = std::convertible_to<const T&, std::string_view>;

/// The value of a pair must be exactly one argument; otherwise its parts would be read as names.
template <class T>
consteval bool is_one_argument() {
  namespace kinds = reflect::detail;
  if constexpr (std::is_pointer_v<T> || kinds::SelfDescribed<T>) {
    return false;
  } else if constexpr (Texty<T> || std::is_arithmetic_v<T> || kinds::FixedEnum<T> ||
                       reflect::TextLike<T>) {
    return true;
  } else if constexpr (kinds::Constrained<T>) {
    return is_one_argument<typename T::ConstrainedValue>();
  } else if constexpr (kinds::OptionalLike<T>) {
    return is_one_argument<typename T::value_type>();
  } else if constexpr (kinds::OwnerLike<T>) {
    return is_one_argument<typename T::element_type>();
  } else {
    return false;
  }
}

template <class T, std::size_t... Index>
consteval bool are_members_one_argument(std::index_sequence<Index...> /*each*/) {
  return (is_one_argument<std::remove_cv_t<reflect::detail::MemberType<T, Index>>>() && ...);
}

template <class T>
consteval bool is_argument() {
  namespace kinds = reflect::detail;
  if constexpr (is_one_argument<T>()) {
    return true;
  } else if constexpr (kinds::SelfDescribed<T> || kinds::VariantLike<T>) {
    return false;
  } else if constexpr (kinds::Constrained<T>) {
    return is_argument<typename T::ConstrainedValue>();
  } else if constexpr (kinds::OwnerLike<T>) {
    return is_argument<typename T::element_type>();
  } else if constexpr (kinds::MapLike<T>) {
    return is_one_argument<typename T::mapped_type>();
  } else if constexpr (kinds::OptionalLike<T> || kinds::SequenceLike<T> || kinds::SetLike<T> ||
                       kinds::ArrayLike<T>) {
    return is_argument<typename T::value_type>();
  } else if constexpr (kinds::PlainStruct<T>) {
    return are_members_one_argument<T>(
        std::make_index_sequence<reflect::detail::count_members<T>()>());
  } else {
    return false;
  }
}

/// An argument other than text: one value, a list of values, or pairs of names and values.
template <class T>
inline constexpr bool kIsArgument = Texty<T> || is_argument<std::remove_cv_t<T>>();

template <class T>
[[nodiscard]] std::size_t count_of(const T& argument) {
  static_assert(kIsArgument<T>,
                "eider: an argument of Redis must be a value, a list of values, or a map or struct "
                "of values; nested maps, structs and lists are not supported");
  if constexpr (Texty<T> || std::is_arithmetic_v<T>) {
    return 1;
  } else {
    return count_arguments(reflect::type_of<T>(), &argument);
  }
}

template <class T>
void add_to(RespWriter& writer, const T& argument) {
  if constexpr (Texty<T>) {
    writer.add(std::string_view(argument));
  } else if constexpr (std::is_floating_point_v<T>) {
    writer.add(argument);
  } else if constexpr (std::is_arithmetic_v<T>) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    writer.add(static_cast<Wide>(argument));
  } else {
    add_arguments(writer, reflect::type_of<T>(), &argument);
  }
}

/// Appends a command, using the types of its arguments.
template <class... Arguments>
void append_command(Buffer& out, const Arguments&... arguments) {
  RespWriter writer(out);
  writer.begin((count_of(arguments) + ... + std::size_t{0}));
  (add_to(writer, arguments), ...);
}

}  // namespace eider::redis::detail
