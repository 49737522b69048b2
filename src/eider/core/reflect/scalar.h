// Typed access to a number whose type is known only by its description.
// Layering: must not convert silently: a value that does not fit is rejected.
#pragma once

#include <cstdint>
#include <string_view>

#include "eider/core/reflect/type.h"

namespace eider::reflect {

/// Pre: kind is kSigned or kEnum.
[[nodiscard]] std::int64_t load_signed(const Type& type, const void* value) noexcept;
/// Pre: kind is kUnsigned or kEnum.
[[nodiscard]] std::uint64_t load_unsigned(const Type& type, const void* value) noexcept;
/// Pre: kind is kReal.
[[nodiscard]] double load_real(const Type& type, const void* value) noexcept;
/// Pre: kind is kEnum. Values above INT64_MAX wrap.
[[nodiscard]] std::int64_t load_enum(const Type& type, const void* value) noexcept;

/// Stores into a kSigned, kUnsigned or kEnum. Returns whether the number fits; if not, nothing is
/// changed.
[[nodiscard]] bool try_store_signed(const Type& type, void* value, std::int64_t number) noexcept;
[[nodiscard]] bool try_store_unsigned(const Type& type, void* value, std::uint64_t number) noexcept;

enum class Parsed : std::uint8_t { kDone, kNotANumber, kOutOfRange };

/// Reads a decimal integer, all of `text`, with an optional '-', into a kSigned or kUnsigned.
[[nodiscard]] Parsed parse_integer(const Type& type, void* value, std::string_view text) noexcept;

/// Reads a decimal number, all of `text`, into a kReal: the nearest double or float. Numbers that
/// are too small become zero; too large ones, infinities and NaN are rejected.
[[nodiscard]] Parsed parse_real(const Type& type, void* value, std::string_view text) noexcept;

}  // namespace eider::reflect
