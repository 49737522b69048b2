// Entity tags (RFC 9110, section 8.8.3): parsed, compared, and made for files.
// Layering: must not decide the result of a comparison: preconditions.h does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eider {

/// How equal two representations with the same tag are: byte for byte, or in meaning.
enum class TagStrength : std::uint8_t { strong, weak };

/// opaque  the text between the quotes
struct EntityTag {
  std::string_view opaque;
  TagStrength strength = TagStrength::strong;
};

/// Returns whether two tags match; a strong comparison needs two strong tags.
///
/// source  RFC 9110, section 8.8.3.2
[[nodiscard]] constexpr bool matches(const EntityTag& one, const EntityTag& other,
                                     TagStrength comparison) noexcept {
  const bool is_allowed =
      comparison == TagStrength::weak ||
      (one.strength == TagStrength::strong && other.strength == TagStrength::strong);
  return is_allowed && one.opaque == other.opaque;
}

/// Parses exactly one entity tag: "abc" or W/"abc", with the quotes.
[[nodiscard]] std::optional<EntityTag> parse_entity_tag(std::string_view text) noexcept;

/// Returns a strong tag for the ETag header: `"abc"`. Throws std::invalid_argument if `opaque`
/// contains a quote, a space or a control character.
[[nodiscard]] std::string write_entity_tag(std::string_view opaque);

/// Returns a strong tag for a body and its type: other bytes, or another type, make another tag, in
/// every process. An author who controls both bodies can find two with the same tag, at some cost.
///
/// cost  1,700 instructions, and 5 per byte
[[nodiscard]] std::string make_entity_tag(std::string_view content_type, std::string_view content);

/// Reads the tags of an If-Match or If-None-Match header in order.
///
///     EntityTagReader tags(value);
///     while (auto tag = tags.next()) …
class EntityTagReader {
 public:
  /// Maximum number of tags read from one header.
  static constexpr std::size_t kCountMax = 128;

  explicit EntityTagReader(std::string_view field_value) noexcept : rest_(field_value) {}

  /// Returns the next tag; nothing at the end, after kCountMax, and after the first malformed one.
  [[nodiscard]] std::optional<EntityTag> next() noexcept;
  /// Returns whether the header is not a list of tags, or is too long.
  [[nodiscard]] bool is_malformed() const noexcept { return is_malformed_; }

 private:
  /// Passes over blanks and commas. Returns how many commas there were.
  std::size_t skip_separators() noexcept;

  std::string_view rest_;
  std::size_t count_ = 0;
  bool is_malformed_ = false;
};

/// Returns whether a header lists `tag`. A malformed header lists the tags before the error.
[[nodiscard]] bool lists_tag(std::string_view field_value, const EntityTag& tag,
                             TagStrength comparison) noexcept;

/// The version of a file: another file, size or modification time makes another tag.
struct FileVersion {
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  /// The modification time since 1970.
  std::int64_t modified_ns = 0;

  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

/// Returns the ETag of a file: "1f-400-17a5e0b2c3d4e5f6" with its quotes, in hexadecimal.
[[nodiscard]] std::string make_entity_tag(const FileVersion& version, TagStrength strength);

}  // namespace eider
