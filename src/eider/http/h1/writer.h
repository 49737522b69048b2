// Writes HTTP/1.1 responses as bytes (RFC 9112).
// Must not decide anything: what it is told to say, it says; callers have checked fields for CR LF.
#pragma once

#include <cstdint>
#include <string_view>

#include "eider/base/buffer.h"
#include "eider/http/h1/refusal.h"

namespace eider::h1 {

/// What the Connection field says (RFC 9112, section 9.3).
enum class Persistence : std::uint8_t {
  /// No field: an HTTP/1.1 connection stays open.
  implied,
  /// "keep-alive": an HTTP/1.0 client has asked for it.
  spoken,
  /// "close": the connection ends behind this response.
  close,
};

/// How the client finds the content's end.
enum class Framing : std::uint8_t {
  /// No field: 1xx, 204, 304, or content that ends with the connection.
  none,
  /// Content-Length.
  sized,
  /// Transfer-Encoding: chunked; only for HTTP/1.1 clients.
  chunked,
};

/// A response head as it is to be written.
struct ResponseHead {
  /// 200 <= status <= 599
  int status = 200;
  Framing framing = Framing::sized;
  Persistence persistence = Persistence::implied;
  /// For Framing::sized: of the content, also where none follows (HEAD).
  std::uint64_t content_length = 0;
  /// Empty: no Content-Type field.
  std::string_view content_type = {};
  /// IMF-fixdate, 29 bytes (DateCache); empty: no Date field.
  std::string_view date = {};
  /// Further field lines, each ending in CRLF.
  std::string_view field_lines = {};
};

inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

/// Appends status line, Server, Date, Content-Type, framing, Connection, `field_lines`, empty line.
void write_head(Buffer& out, const ResponseHead& head);

/// Appends one chunk. Nothing for empty `data`, which would end the body (RFC 9112, section 7.1).
void write_chunk(Buffer& out, std::string_view data);

/// Appends a whole response that refuses the request in plain text and announces the close.
///
/// date  as in ResponseHead
void write_refusal(Buffer& out, Refusal refusal, std::string_view date);

}  // namespace eider::h1
