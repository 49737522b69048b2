// Entity tags (RFC 9110, section 8.8.3): read from conditional fields, compared, made for files.
// Must not decide what a comparison leads to: preconditions.h does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eider {

/// How far two representations with the same tag agree: byte for byte, or in meaning.
enum class TagStrength : std::uint8_t { strong, weak };

/// opaque  what stands between the quotes
struct EntityTag {
  std::string_view opaque;
  TagStrength strength = TagStrength::strong;
};

/// Whether two tags match; a strong comparison asks for two strong tags.
///
/// source  RFC 9110, section 8.8.3.2
[[nodiscard]] constexpr bool matches(const EntityTag& one, const EntityTag& other,
                                     TagStrength comparison) noexcept {
  const bool is_allowed =
      comparison == TagStrength::weak ||
      (one.strength == TagStrength::strong && other.strength == TagStrength::strong);
  return is_allowed && one.opaque == other.opaque;
}

/// One entity tag and nothing else: "abc" or W/"abc", with the quotes.
[[nodiscard]] std::optional<EntityTag> parse_entity_tag(std::string_view text) noexcept;

/// The text of a strong tag, as ETag says it: `"abc"`. Throws std::invalid_argument where `opaque`
/// holds a byte that none may have: a quote, a blank, a control byte.
[[nodiscard]] std::string write_entity_tag(std::string_view opaque);

/// The text of a strong tag of that content: other bytes, or another type, make another tag, in
/// every process. Whoever makes contents may make two that share one, at some cost, and deceives
/// the readers of these alone.
///
/// cost  1,700 instructions, and 5 for a byte
[[nodiscard]] std::string make_entity_tag(std::string_view content_type, std::string_view content);

/// The tags of one If-Match or If-None-Match field value, in their order.
///
///     EntityTagReader tags(value);
///     while (auto tag = tags.next()) …
class EntityTagReader {
 public:
  /// What is read of one field value at most.
  static constexpr std::size_t kCountMax = 128;

  explicit EntityTagReader(std::string_view field_value) noexcept : rest_(field_value) {}

  /// The next tag; nothing at the end, behind kCountMax, and from the first malformed one on.
  [[nodiscard]] std::optional<EntityTag> next() noexcept;
  /// Whether it ended at something that is no list of tags, or is too long for one.
  [[nodiscard]] bool is_malformed() const noexcept { return is_malformed_; }

 private:
  /// Passes over blanks and commas. Returns how many commas there were.
  std::size_t skip_separators() noexcept;

  std::string_view rest_;
  std::size_t count_ = 0;
  bool is_malformed_ = false;
};

/// Whether a field value lists `tag`. A malformed value lists what stands before its fault.
[[nodiscard]] bool lists_tag(std::string_view field_value, const EntityTag& tag,
                             TagStrength comparison) noexcept;

/// What a file's tag is made of: another file, a size or a moment make another tag.
struct FileVersion {
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  /// When it was changed last, since 1970.
  std::int64_t modified_ns = 0;

  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

/// The tag's text as it stands in ETag: "1f-400-17a5e0b2c3d4e5f6" with its quotes, in hexadecimal.
[[nodiscard]] std::string make_entity_tag(const FileVersion& version, TagStrength strength);

}  // namespace eider
