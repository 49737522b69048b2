#include "eider/protocols/http/h1/response_framing.h"

#include <limits>
#include <optional>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/list.h"
#include "eider/protocols/http/status.h"

namespace eider::h1::detail {

namespace {

using enum ResponseFlaw;

/// So that a length can be counted in a signed number anywhere.
constexpr std::uint64_t kResponseLengthMax = std::numeric_limits<std::int64_t>::max();

bool is_digits(std::string_view text) noexcept {
  for (const char byte : text) {
    if (!is_digit(byte)) {
      return false;
    }
  }
  return !text.empty();
}

}  // namespace

ResponseFlaw ResponseFraming::take(const Field& field) noexcept {
  switch (field.name.size()) {
    case 10:
      return equals_ignoring_case(field.name, "connection") ? take_connection(field.value) : none;
    case 14:
      return equals_ignoring_case(field.name, "content-length") ? take_content_length(field.value)
                                                                : none;
    case 17:
      return equals_ignoring_case(field.name, "transfer-encoding")
                 ? take_transfer_encoding(field.value)
                 : none;
    default:
      return none;
  }
}

/// Content-Length = 1*DIGIT. Equal values, in one list or in several lines, count as one (RFC 9110,
/// section 8.6): some servers and CDNs write the header twice.
ResponseFlaw ResponseFraming::take_content_length(std::string_view value) noexcept {
  ListReader lengths(value);
  while (const auto length = lengths.take()) {
    if (const ResponseFlaw flaw = take_one_length(*length); flaw != none) {
      return flaw;
    }
  }
  return none;
}

ResponseFlaw ResponseFraming::take_one_length(std::string_view value) noexcept {
  if (!is_digits(value)) {
    return bad_content_length;
  }
  const auto length = parse_uint64(value);
  if (!length || *length > kResponseLengthMax) {
    return content_length_too_large;
  }
  // RFC 9112, section 6.3 lets the coding win here. Only an attacker, or a broken server, sends
  // both, and what a proxy forwards must not depend on the reader.
  if (is_chunked_) {
    return length_with_coding;
  }
  if (has_length_ && head_.content_length != *length) {
    return different_content_lengths;
  }
  has_length_ = true;
  head_.content_length = *length;
  return none;
}

ResponseFlaw ResponseFraming::take_transfer_encoding(std::string_view value) noexcept {
  if (head_.minor_version == 0) {
    return coding_in_http_1_0;
  }
  if (has_length_) {
    return length_with_coding;
  }
  ListReader codings(value);
  while (const auto coding = codings.take()) {
    if (!is_token(*coding)) {
      return bad_transfer_coding;
    }
    // Others are not asked for (there is no TE field), and chunked is applied once, at the end.
    if (is_chunked_ || !equals_ignoring_case(*coding, "chunked")) {
      return unknown_transfer_coding;
    }
    is_chunked_ = true;
  }
  return none;
}

ResponseFlaw ResponseFraming::take_connection(std::string_view value) noexcept {
  ListReader options(value);
  while (const auto option = options.next()) {
    if (!is_token(*option)) {
      return bad_connection;
    }
    names_close_ |= equals_ignoring_case(*option, "close");
    names_keep_alive_ |= equals_ignoring_case(*option, "keep-alive");
  }
  return none;
}

/// RFC 9112, section 6.3: "Any 2xx (Successful) response to a CONNECT request implies that the
/// connection will become a tunnel … A client MUST ignore any Content-Length or Transfer-Encoding".
bool ResponseFraming::is_tunnel() const noexcept {
  return asked_ == Method::connect && head_.status >= 200 && head_.status < 300;
}

/// These end with the empty line, whatever their fields say (RFC 9112, section 6.3, rule 1).
bool ResponseFraming::has_no_content() const noexcept {
  return head_.status < 200 || head_.status == 204;
}

ReplyBody ResponseFraming::body() const noexcept {
  if (asked_ == Method::head || forbids_content(head_.status) || is_tunnel()) {
    return ReplyBody::none;
  }
  if (is_chunked_) {
    return ReplyBody::chunked;
  }
  if (!has_length_) {
    return ReplyBody::until_close;
  }
  return head_.content_length == 0 ? ReplyBody::none : ReplyBody::sized;
}

void ResponseFraming::finish() noexcept {
  // A server that announces content here may send it, too: it must not be read as another response.
  const bool may_go_on = has_no_content() && (is_chunked_ || head_.content_length != 0);
  head_.body = body();
  if (head_.body != ReplyBody::sized) {
    head_.content_length = 0;
  }
  const bool stays = !names_close_ && (head_.minor_version == 1 || names_keep_alive_);
  // A connection that carries another protocol or ends its content by closing is not used again.
  head_.keeps_alive = stays && !may_go_on && head_.body != ReplyBody::until_close &&
                      head_.status != 101 && !is_tunnel();
}

}  // namespace eider::h1::detail
