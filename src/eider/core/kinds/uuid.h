// Uuid (RFC 9562) as a member, a path parameter or a column.
// Layering: must not create UUIDs: the application provides the randomness.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>

#include "eider/core/kinds/short_text.h"
#include "eider/core/reflect/text_kind.h"

namespace eider {

/// A UUID: 128 bits in the order of their digits; Uuid() is the nil UUID.
class Uuid {
 public:
  using Bytes = std::array<std::uint8_t, 16>;

  Uuid() = default;
  explicit constexpr Uuid(const Bytes& bytes) noexcept : bytes_(bytes) {}

  /// Reads `f81d4fae-7dec-11d0-a765-00a0c91e6bf6`, in either case; no braces, no "urn:uuid:".
  ///
  /// source  RFC 9562, section 4
  [[nodiscard]] static std::optional<Uuid> parse(std::string_view text) noexcept;

  /// Returns the UUID in lowercase.
  [[nodiscard]] ShortText text() const noexcept;
  [[nodiscard]] constexpr const Bytes& bytes() const noexcept { return bytes_; }

  friend constexpr auto operator<=>(const Uuid& left, const Uuid& right) = default;

 private:
  Bytes bytes_{};
};

template <>
struct TextFormat<Uuid> {
  static std::optional<Uuid> parse(std::string_view text) noexcept { return Uuid::parse(text); }
  static ShortText format(const Uuid& uuid) noexcept { return uuid.text(); }
  static constexpr TextSchema kSchema = {
      .requirement = "must be a UUID, such as f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
      .format = "uuid",
      .example = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
      .bytes_max = 36};
};

}  // namespace eider

template <>
struct std::hash<eider::Uuid> {
  std::size_t operator()(const eider::Uuid& uuid) const noexcept {
    return std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(uuid.bytes().data()), uuid.bytes().size()});
  }
};
