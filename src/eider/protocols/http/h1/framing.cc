#include "eider/protocols/http/h1/framing.h"

#include <limits>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/list.h"

namespace eider::h1::detail {

namespace {

/// The maximum length, so that it can always be stored in a signed number.
constexpr std::uint64_t kContentLengthMax = std::numeric_limits<std::int64_t>::max();

}  // namespace

Refusal Framing::take_content_length(std::string_view value) noexcept {
  // RFC 9112, section 6.3 allows recipients to accept equal duplicates. Reject them here: a client
  // that sends them may want another reader on the way to use the other one.
  if (has_length_) {
    return Refusal::doubled_content_length;
  }
  const Refusal refusal = read_length(value);
  if (refusal != Refusal::none) {
    return refusal;
  }
  if (head_.body == BodyKind::chunked) {
    return Refusal::length_with_coding;
  }
  has_length_ = true;
  // A length of zero counts as no content, so that such a request needs no reader.
  head_.body = head_.content_length == 0 ? BodyKind::none : BodyKind::sized;
  return Refusal::none;
}

/// Content-Length = 1*DIGIT
Refusal Framing::read_length(std::string_view value) noexcept {
  std::uint64_t length = 0;
  bool is_too_large = false;
  for (const char byte : value) {
    if (!is_digit(byte)) {
      return Refusal::bad_content_length;
    }
    // The flag is set before the product can overflow; later digits do not change it.
    is_too_large |= length > kContentLengthMax / 10;
    length = length * 10 + static_cast<std::uint64_t>(byte - '0');
  }
  if (value.empty()) {
    return Refusal::bad_content_length;
  }
  head_.content_length = length;
  const bool fits = !is_too_large && length <= kContentLengthMax;
  return fits ? Refusal::none : Refusal::content_length_too_large;
}

Refusal Framing::take_transfer_encoding(std::string_view value) noexcept {
  if (head_.minor_version == 0) {
    return Refusal::coding_in_http_1_0;
  }
  // RFC 9112, 6.1: both together indicate request smuggling.
  if (has_length_) {
    return Refusal::length_with_coding;
  }
  ListReader codings(value);
  while (const auto coding = codings.take()) {
    if (const Refusal refusal = take_coding(*coding); refusal != Refusal::none) {
      return refusal;
    }
  }
  return Refusal::none;
}

Refusal Framing::take_coding(std::string_view coding) noexcept {
  if (!is_token(coding)) {
    return Refusal::bad_transfer_coding;
  }
  const bool is_chunked = equals_ignoring_case(coding, "chunked");
  // No coding may follow chunked: otherwise other recipients would find another end of the content.
  if (head_.body == BodyKind::chunked) {
    return is_chunked ? Refusal::repeated_chunked : Refusal::chunked_not_last;
  }
  if (!is_chunked) {
    return Refusal::unknown_transfer_coding;
  }
  head_.body = BodyKind::chunked;
  return Refusal::none;
}

Refusal Framing::take_connection(std::string_view value) noexcept {
  // It is usually exactly one of these two.
  const bool is_keep_alive = is_named(value, "keep-alive");
  const bool is_close = is_named(value, "close");
  if (is_keep_alive || is_close) {
    names_keep_alive_ |= is_keep_alive;
    names_close_ |= is_close;
    return Refusal::none;
  }
  ListReader options(value);
  while (const auto option = options.next()) {
    if (!is_token(*option)) {
      return Refusal::bad_connection;
    }
    names_close_ |= equals_ignoring_case(*option, "close");
    names_keep_alive_ |= equals_ignoring_case(*option, "keep-alive");
    names_upgrade_ |= equals_ignoring_case(*option, "upgrade");
  }
  return Refusal::none;
}

Refusal Framing::take_expect(std::string_view value) noexcept {
  ListReader expectations(value);
  while (const auto expectation = expectations.next()) {
    if (!equals_ignoring_case(*expectation, "100-continue")) {
      return Refusal::unknown_expectation;
    }
    expects_continue_ = true;
  }
  return Refusal::none;
}

}  // namespace eider::h1::detail
