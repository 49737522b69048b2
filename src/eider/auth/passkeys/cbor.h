// A reader for the CBOR that authenticators write (canonical form of CTAP2), item by item.
// Layering: must not build values; the reader states the expected item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace eider::detail::passkeys {

/// Reads from the front of `bytes`, which have to outlive what is read. Lengths are definite, and
/// each number has its shortest form; anything else is a fault. A fault stays: what is read behind
/// one is nothing.
///
/// source  CTAP 2.1, section 8 (message encoding); RFC 8949, section 4.2.1
class CborReader {
 public:
  explicit CborReader(std::string_view bytes) noexcept : rest_(bytes) {}

  enum class Kind : std::uint8_t { natural, negative, bytes, text, array, map, tag, simple };

  /// What comes next; nothing at the end and behind a fault.
  [[nodiscard]] std::optional<Kind> peek() const noexcept;
  /// A number of either sign.
  [[nodiscard]] std::optional<std::int64_t> integer() noexcept;
  [[nodiscard]] std::optional<std::string_view> bytes() noexcept;
  /// Not looked at whether it is UTF-8: texts are compared, and never shown.
  [[nodiscard]] std::optional<std::string_view> text() noexcept;
  /// How many elements, or pairs of key and value, follow.
  [[nodiscard]] std::optional<std::size_t> array() noexcept;
  [[nodiscard]] std::optional<std::size_t> map() noexcept;
  /// Passes over one whole item of any kind, four levels deep at most (CTAP2's bound), and is told
  /// by keys of maps that are in order.
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

/// Whether a key may stand behind another in a map: shorter ones first, then byte by byte, and none
/// twice. Both are the keys as they are encoded.
///
/// source  CTAP 2.1, section 8
[[nodiscard]] bool is_in_order(std::string_view key, std::string_view next) noexcept;

}  // namespace eider::detail::passkeys
