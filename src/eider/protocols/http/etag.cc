#include "eider/protocols/http/etag.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "eider/core/base/sip_hash.h"
#include "eider/core/base/text.h"

namespace eider {

namespace {

constexpr std::string_view kWeakMark = "W/";

/// etagc: %x21 / %x23-7E / obs-text
constexpr bool is_tag_byte(char byte) noexcept {
  const auto value = static_cast<unsigned char>(byte);
  return value > 0x20 && byte != '"' && value != 0x7F;
}

/// Removes a tag from the start: entity-tag = [ weak ] opaque-tag, where weak is case-sensitive.
std::optional<EntityTag> take_tag(std::string_view& text) noexcept {
  EntityTag tag;
  std::string_view rest = text;
  if (rest.starts_with(kWeakMark)) {
    tag.strength = TagStrength::weak;
    rest.remove_prefix(kWeakMark.size());
  }
  if (!rest.starts_with('"')) {
    return std::nullopt;
  }
  rest.remove_prefix(1);
  const auto* const end = std::find_if_not(rest.begin(), rest.end(), is_tag_byte);
  if (end == rest.end() || *end != '"') {
    return std::nullopt;
  }
  tag.opaque = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  text = rest.substr(tag.opaque.size() + 1);
  return tag;
}

void append_hex(std::string& text, std::uint64_t value) {
  constexpr std::size_t kHexDigitsMax = 16;
  char digits[kHexDigitsMax];
  const auto written = std::to_chars(digits, digits + kHexDigitsMax, value, 16);
  text.append(digits, written.ptr);
}

}  // namespace

std::optional<EntityTag> parse_entity_tag(std::string_view text) noexcept {
  const std::optional<EntityTag> tag = take_tag(text);
  return text.empty() ? tag : std::nullopt;
}

std::string write_entity_tag(std::string_view opaque) {
  if (!std::ranges::all_of(opaque, is_tag_byte)) {
    throw std::invalid_argument("not a valid entity tag: " + std::string(opaque));
  }
  return std::string(1, '"').append(opaque).append(1, '"');
}

std::string make_entity_tag(std::string_view content_type, std::string_view content) {
  const SipKey key{.first = sip_hash({}, content_type), .second = 0};
  const auto [first, second] = sip_hash_128(key, content);
  std::string text(1, '"');
  append_hex(text, first);
  text += '-';
  append_hex(text, second);
  return text.append(1, '"');
}

std::size_t EntityTagReader::skip_separators() noexcept {
  std::size_t commas = 0;
  while (!rest_.empty() && (is_blank(rest_.front()) || rest_.front() == ',')) {
    commas += rest_.front() == ',' ? 1 : 0;
    rest_.remove_prefix(1);
  }
  return commas;
}

// RFC 9110, section 5.6.1.2: a recipient must accept empty list elements.
std::optional<EntityTag> EntityTagReader::next() noexcept {
  const std::size_t commas = skip_separators();
  if (rest_.empty() || is_malformed_) {
    return std::nullopt;
  }
  const bool is_separated = count_ == 0 || commas != 0;
  const std::optional<EntityTag> tag =
      is_separated && count_ < kCountMax ? take_tag(rest_) : std::nullopt;
  // Stop at the first malformed tag, because it is unknown where the next one starts.
  is_malformed_ = !tag.has_value();
  ++count_;
  return tag;
}

bool lists_tag(std::string_view field_value, const EntityTag& tag,
               TagStrength comparison) noexcept {
  EntityTagReader tags(field_value);
  while (const std::optional<EntityTag> listed = tags.next()) {
    if (matches(*listed, tag, comparison)) {
      return true;
    }
  }
  return false;
}

std::string make_entity_tag(const FileVersion& version, TagStrength strength) {
  std::string text(strength == TagStrength::weak ? kWeakMark : std::string_view());
  text += '"';
  append_hex(text, version.inode);
  text += '-';
  append_hex(text, version.size);
  text += '-';
  append_hex(text, static_cast<std::uint64_t>(version.modified_ns));
  text += '"';
  return text;
}

}  // namespace eider
