#include "eider/auth/passkeys/cbor.h"

#include <limits>

namespace eider::detail::passkeys {

namespace {

constexpr std::size_t kLevelsMax = 4;
constexpr unsigned kOneByteFollows = 24;
constexpr unsigned kEightBytesFollow = 27;
/// false, true, null and undefined have their values in the byte itself (RFC 8949, section 3.3).
constexpr std::uint64_t kSimpleMin = 20;
constexpr std::uint64_t kSimpleMax = 23;

/// Returns the smallest number that needs this many bytes.
constexpr std::uint64_t smallest_in(std::size_t bytes) noexcept {
  return bytes == 1 ? kOneByteFollows : std::uint64_t{1} << (bytes * 4U);
}

}  // namespace

bool is_in_order(std::string_view key, std::string_view next) noexcept {
  // The major type of the key is compared first; it is in the first three bits of its first byte.
  const auto kind = [](std::string_view text) { return static_cast<unsigned char>(text[0]) >> 5U; };
  if (key.empty() || next.empty()) {
    return false;
  }
  if (kind(key) != kind(next)) {
    return kind(key) < kind(next);
  }
  return key.size() != next.size() ? key.size() < next.size() : key < next;
}

bool CborReader::fault() noexcept {
  is_faulty_ = true;
  return false;
}

std::optional<CborReader::Kind> CborReader::peek() const noexcept {
  if (rest_.empty() || is_faulty_) {
    return std::nullopt;
  }
  return static_cast<Kind>(static_cast<unsigned char>(rest_.front()) >> 5U);
}

std::optional<CborReader::Head> CborReader::head() noexcept {
  const auto kind = peek();
  if (!kind) {
    fault();
    return std::nullopt;
  }
  const unsigned info = static_cast<unsigned char>(rest_.front()) & 0x1FU;
  rest_.remove_prefix(1);
  if (info < kOneByteFollows) {
    return Head{*kind, info};
  }
  const std::size_t bytes = std::size_t{1} << (info - kOneByteFollows);
  // Larger values are reserved, or mean an indefinite length.
  if (info > kEightBytesFollow || rest_.size() < bytes) {
    fault();
    return std::nullopt;
  }
  std::uint64_t argument = 0;
  for (const char one : rest_.substr(0, bytes)) {
    argument = argument << 8U | static_cast<unsigned char>(one);
  }
  rest_.remove_prefix(bytes);
  // A floating-point number may have any size; all other items must have their shortest form.
  if (*kind != Kind::simple && argument < smallest_in(bytes)) {
    fault();
    return std::nullopt;
  }
  if (*kind == Kind::simple && bytes == 1) {
    fault();
    return std::nullopt;
  }
  return Head{*kind, *kind == Kind::simple ? kSimpleMax : argument};
}

std::optional<std::uint64_t> CborReader::argument_of(Kind kind) noexcept {
  if (peek() != kind) {
    fault();
    return std::nullopt;
  }
  const auto read = head();
  return read ? std::optional(read->argument) : std::nullopt;
}

std::optional<std::int64_t> CborReader::integer() noexcept {
  const bool is_negative = peek() == Kind::negative;
  const auto argument = argument_of(is_negative ? Kind::negative : Kind::natural);
  if (!argument ||
      *argument > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    fault();
    return std::nullopt;
  }
  const auto number = static_cast<std::int64_t>(*argument);
  return is_negative ? -1 - number : number;
}

std::optional<std::string_view> CborReader::string_of(Kind kind) noexcept {
  const auto size = argument_of(kind);
  if (!size || *size > rest_.size()) {
    fault();
    return std::nullopt;
  }
  const std::string_view taken = rest_.substr(0, *size);
  rest_.remove_prefix(*size);
  return taken;
}

std::optional<std::string_view> CborReader::bytes() noexcept {
  return string_of(Kind::bytes);
}

std::optional<std::string_view> CborReader::text() noexcept {
  return string_of(Kind::text);
}

std::optional<std::size_t> CborReader::count_of(Kind kind) noexcept {
  const auto count = argument_of(kind);
  // Each element has at least one byte: reject an impossible count before any loop uses it.
  if (!count || *count > rest_.size()) {
    fault();
    return std::nullopt;
  }
  return static_cast<std::size_t>(*count);
}

std::optional<std::size_t> CborReader::array() noexcept {
  return count_of(Kind::array);
}

std::optional<std::size_t> CborReader::map() noexcept {
  return count_of(Kind::map);
}

bool CborReader::skip() noexcept {
  return skip_within(kLevelsMax);
}

bool CborReader::skip_within(std::size_t depth) noexcept {
  const auto kind = peek();
  if (!kind) {
    return fault();
  }
  switch (*kind) {
    case Kind::natural:
    case Kind::negative:
      return head().has_value();
    case Kind::bytes:
    case Kind::text:
      return string_of(*kind).has_value();
    case Kind::array: {
      const auto count = depth == 0 ? std::nullopt : array();
      for (std::size_t index = 0; count && index < *count; ++index) {
        if (!skip_within(depth - 1)) {
          return false;
        }
      }
      return count ? true : fault();
    }
    case Kind::map: {
      const auto count = depth == 0 ? std::nullopt : map();
      return count ? skip_map(*count, depth - 1) : fault();
    }
    case Kind::tag:
      return fault();
    case Kind::simple: {
      const auto read = head();
      return read && read->argument >= kSimpleMin && read->argument <= kSimpleMax ? true : fault();
    }
  }
  return fault();
}

bool CborReader::skip_map(std::uint64_t count, std::size_t depth) noexcept {
  std::string_view last;
  for (std::uint64_t index = 0; index < count; ++index) {
    const std::string_view before = rest_;
    if (!skip_within(depth)) {
      return false;
    }
    const std::string_view key = before.substr(0, before.size() - rest_.size());
    if (index != 0 && !is_in_order(last, key)) {
      return fault();
    }
    last = key;
    if (!skip_within(depth)) {
      return false;
    }
  }
  return true;
}

}  // namespace eider::detail::passkeys
