#include "eider/protocols/http/h2/reply_builder.h"

#include <algorithm>
#include <array>
#include <limits>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/h2/field_bytes.h"

namespace eider::h2 {

namespace {

/// The overhead that is counted for each field (RFC 9113, section 6.5.2).
constexpr std::uint64_t kReplyFieldOverhead = 32;
/// The maximum length, so that it can always be stored in a signed number.
constexpr std::uint64_t kReplyLengthMax = std::numeric_limits<std::int64_t>::max();

constexpr int kSwitchingProtocols = 101;
constexpr int kNoContent = 204;

/// RFC 9113, 8.2.2: "An endpoint MUST NOT generate an HTTP/2 message containing connection-specific
/// header fields"; such a message is malformed.
bool is_hop_by_hop(std::string_view name) noexcept {
  static constexpr std::array<std::string_view, 5> kNames = {
      "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

void ReplyBuilder::begin(Kind kind) noexcept {
  text_.reset();
  pieces_.clear();
  fields_.clear();
  listed_bytes_ = 0;
  content_length_.reset();
  refusal_.reset();
  status_ = 0;
  kind_ = kind;
}

void ReplyBuilder::refuse(std::string_view text) noexcept {
  if (!refusal_) {
    refusal_ = ReplyRefusal{false, text};
  }
}

void ReplyBuilder::refuse_size(std::string_view text) noexcept {
  if (!refusal_) {
    refusal_ = ReplyRefusal{true, text};
  }
}

void ReplyBuilder::add(std::string_view name, std::string_view value, const ReplyLimits& limits) {
  listed_bytes_ += name.size() + value.size() + kReplyFieldOverhead;
  if (listed_bytes_ > limits.head_bytes_max) {
    refuse_size("The response headers are too large: raise head_bytes_max.");
  } else if (pieces_.size() >= limits.headers_max) {
    refuse_size("The response has too many headers: raise headers_max.");
  }
  if (refusal_) {
    return;
  }
  if (!detail::is_value(value)) {
    refuse("A header value contains a forbidden byte, or a space at its start or end.");
  } else if (name.starts_with(':')) {
    add_status(name, value);
  } else {
    add_field(name, value);
  }
}

/// RFC 9113, 8.3.2: one pseudo-header field, before all other fields; none in trailers (8.1).
void ReplyBuilder::add_status(std::string_view name, std::string_view value) {
  if (name != ":status" || status_ != 0 || !pieces_.empty() || kind_ == Kind::trailers) {
    return refuse("A pseudo-header is unknown, duplicate or misplaced.");
  }
  const bool is_number = value.size() == 3 && std::ranges::all_of(value, is_digit);
  const int status =
      is_number ? (value[0] - '0') * 100 + (value[1] - '0') * 10 + (value[2] - '0') : 0;
  // RFC 9113, 8.6: "HTTP/2 removes support for the 101 (Switching Protocols)".
  if (status < 100 || status > 599 || status == kSwitchingProtocols) {
    return refuse("The status of the response is not valid.");
  }
  status_ = status;
}

void ReplyBuilder::add_field(std::string_view name, std::string_view value) {
  if (!detail::is_lower_token(name)) {
    return refuse("A header name is not a lowercase token.");
  }
  if (is_hop_by_hop(name)) {
    return refuse("A connection-specific header of HTTP/1.1 is not allowed in HTTP/2.");
  }
  if (name == "content-length" && kind_ == Kind::head) {
    take_length(value);
  }
  pieces_.push_back({static_cast<std::uint32_t>(text_.size()),
                     static_cast<std::uint32_t>(name.size()),
                     static_cast<std::uint32_t>(value.size())});
  text_.append(name);
  text_.append(": ");
  text_.append(value);
  text_.append("\r\n");
}

/// Content-Length = 1*DIGIT, at most once: equal duplicates are rejected.
void ReplyBuilder::take_length(std::string_view value) {
  const auto length = parse_uint64(value);
  if (content_length_ || !std::ranges::all_of(value, is_digit) || !length ||
      *length > kReplyLengthMax) {
    return refuse("Content-Length is given more than once, or is not a number.");
  }
  content_length_ = *length;
}

/// RFC 9110, 8.6: no length if there is no content.
void ReplyBuilder::check_framing(Ends ends) noexcept {
  const bool has_none = status_ < 200 || status_ == kNoContent;
  if (status_ == 0) {
    refuse("The response has no status.");
  } else if (status_ < 200 && ends == Ends::with_head) {
    refuse("An interim response ends the stream.");
  } else if (has_none && content_length_.value_or(0) != 0) {
    refuse("A response without a body has a Content-Length.");
  }
}

std::optional<ReplyRefusal> ReplyBuilder::finish(Ends ends, ReplyHead& head) {
  // Trailers have neither a status nor framing.
  if (kind_ == Kind::trailers) {
    if (ends != Ends::with_head) {
      refuse("A second block of headers does not end the response.");
    }
    return refusal_;
  }
  check_framing(ends);
  if (refusal_) {
    return refusal_;
  }
  fields_.reserve(pieces_.size());
  // The text is complete, so views of it stay valid.
  const std::string_view all = text_.view();
  for (const Piece& piece : pieces_) {
    fields_.push_back({all.substr(piece.at, piece.name_bytes),
                       all.substr(piece.at + piece.name_bytes + 2, piece.value_bytes)});
  }
  head = {status_, ends, content_length_, fields_, all};
  return std::nullopt;
}

}  // namespace eider::h2
