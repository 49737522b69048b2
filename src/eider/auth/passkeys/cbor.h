// A reader for the CBOR that authenticators write (canonical form of CTAP2), item by item.
// Separate from json/cbor.cc, which builds values and accepts other forms.
// Layering: must not build values; the reader states the expected item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace eider::detail::passkeys {

/// Reads from the front of `bytes`, which must outlive the results. Lengths must be definite, and
/// each number must have its shortest form; anything else is an error. After an error, all further
/// reads fail.
///
/// source  CTAP 2.1, section 8 (message encoding); RFC 8949, section 4.2.1
class CborReader {
 public:
  explicit CborReader(std::string_view bytes) noexcept : rest_(bytes) {}

  enum class Kind : std::uint8_t { natural, negative, bytes, text, array, map, tag, simple };

  /// Returns the type of the next item; nothing at the end and after an error.
  [[nodiscard]] std::optional<Kind> peek() const noexcept;
  /// Reads an integer, positive or negative.
  [[nodiscard]] std::optional<std::int64_t> integer() noexcept;
  [[nodiscard]] std::optional<std::string_view> bytes() noexcept;
  /// Reads a text without a check of UTF-8: texts are only compared, and never shown.
  [[nodiscard]] std::optional<std::string_view> text() noexcept;
  /// Returns the number of elements, or of pairs of key and value, that follow.
  [[nodiscard]] std::optional<std::size_t> array() noexcept;
  [[nodiscard]] std::optional<std::size_t> map() noexcept;
  /// Skips one whole item of any type, at most four levels deep (the limit of CTAP2). Keys of maps
  /// must be in canonical order.
  bool skip() noexcept;

  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty() && !is_faulty_; }
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

 private:
  struct Head {
    Kind kind;
    std::uint64_t argument;
  };
  [[nodiscard]] std::optional<Head> head() noexcept;
  [[nodiscard]] std::optional<std::uint64_t> argument_of(Kind kind) noexcept;
  [[nodiscard]] std::optional<std::string_view> string_of(Kind kind) noexcept;
  [[nodiscard]] std::optional<std::size_t> count_of(Kind kind) noexcept;
  bool skip_within(std::size_t depth) noexcept;
  bool skip_map(std::uint64_t count, std::size_t depth) noexcept;
  bool fault() noexcept;

  std::string_view rest_;
  bool is_faulty_ = false;
};

/// Returns whether `next` may follow `key` in a map: major types first, then shorter keys first,
/// then byte by byte, without duplicates. Both keys are encoded.
///
/// source  CTAP 2.1, section 8
[[nodiscard]] bool is_in_order(std::string_view key, std::string_view next) noexcept;

}  // namespace eider::detail::passkeys
