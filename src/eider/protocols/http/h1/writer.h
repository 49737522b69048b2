// Writes HTTP/1.1 responses as bytes (RFC 9112).
// Layering: must not check anything: callers have checked the headers for CR LF.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/base/text.h"
#include "eider/protocols/http/date.h"

namespace eider::h1::detail {

inline constexpr std::size_t kDigitsMax = 20;

/// For constants: after inlining, the size is known, so that it is only a move or two.
inline char* put(char* at, std::string_view text) noexcept {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

/// For short texts of any size: two moves that may overlap instead of a call.
inline char* put_short(char* at, std::string_view text) noexcept {
  const std::size_t bytes = text.size();
  const char* from = text.data();
  if (bytes >= 8 && bytes <= 16) {
    std::memcpy(at, from, 8);
    std::memcpy(at + bytes - 8, from + bytes - 8, 8);
  } else if (bytes > 16 && bytes <= 32) {
    std::memcpy(at, from, 16);
    std::memcpy(at + bytes - 16, from + bytes - 16, 16);
  } else if (bytes != 0) {
    std::memcpy(at, from, bytes);
  }
  return at + bytes;
}

inline char* put_number(char* at, std::uint64_t number) noexcept {
  return std::to_chars(at, at + kDigitsMax, number).ptr;
}

}  // namespace eider::h1::detail

namespace eider::h1 {

/// The value of the Connection field (RFC 9112, section 9.3).
enum class Persistence : std::uint8_t {
  /// No field: an HTTP/1.1 connection stays open.
  implied,
  /// "keep-alive": an HTTP/1.0 client has requested it.
  spoken,
  /// "close": the connection ends after this response.
  close,
  /// "upgrade": another protocol follows this response.
  upgrade,
};

/// How the client determines the end of the content.
enum class Framing : std::uint8_t {
  /// No field: 1xx, 204, 304, or content that ends with the connection.
  none,
  /// Content-Length.
  sized,
  /// Transfer-Encoding: chunked; only for HTTP/1.1 clients.
  chunked,
};

/// The start of the responses of one second, so that the date is formatted only once. One per event
/// loop.
class HeadStart {
 public:
  /// The lines of a 200 up to Date, and the name of the next field.
  static constexpr std::string_view kBeforeDate = "HTTP/1.1 200 OK\r\nServer: eider\r\nDate: ";
  static constexpr std::string_view kBehindDate = "\r\nContent-Type: ";
  static constexpr std::size_t kBytes = kBeforeDate.size() + kDateBytes + kBehindDate.size();

  HeadStart() noexcept { tell(0); }

  /// Returns the start for that time, valid until the next call.
  [[nodiscard]] const HeadStart& at(std::int64_t unix_seconds) noexcept {
    if (unix_seconds != seconds_) [[unlikely]] {
      tell(unix_seconds);
    }
    return *this;
  }

  /// "HTTP/1.1 200 OK", Server, Date, "Content-Type: ".
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), kBytes}; }
  /// For example "Sun, 06 Nov 1994 08:49:37 GMT".
  [[nodiscard]] std::string_view date() const noexcept {
    return {text_.data() + kBeforeDate.size(), kDateBytes};
  }

 private:
  void tell(std::int64_t unix_seconds) noexcept;

  std::int64_t seconds_ = 0;
  std::array<char, kBytes> text_{};
};

/// A response head to write.
struct ResponseHead {
  /// 200 <= status <= 599
  int status = 200;
  Framing framing = Framing::sized;
  Persistence persistence = Persistence::implied;
  /// For Framing::sized: the length of the content, even if none follows (HEAD).
  std::uint64_t content_length = 0;
  /// Empty: no Content-Type field.
  std::string_view content_type = {};
  /// Provides the date; null: no Date field.
  const HeadStart* start = nullptr;
  /// Further field lines, each ending in CRLF.
  std::string_view field_lines = {};
};

inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

/// Appends status line, Server, Date, Content-Type, framing, Connection, `field_lines`, empty line.
void write_head(Buffer& out, const ResponseHead& head);

/// Appends a whole response of the most frequent form: a 200 with a Content-Type, on a connection
/// that stays open.
///
/// content_type  not empty
/// field_lines   the same as in ResponseHead
inline void write_usual(Buffer& out, const HeadStart& start, std::string_view content_type,
                        std::string_view field_lines, std::string_view body);

/// Appends one chunk. Appends nothing for empty `data`, which would end the body (RFC 9112, section
/// 7.1).
void write_chunk(Buffer& out, std::string_view data);

inline void write_usual(Buffer& out, const HeadStart& start, std::string_view content_type,
                        std::string_view field_lines, std::string_view body) {
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  constexpr std::size_t kOwnBytesMax =
      HeadStart::kBytes + kLength.size() + detail::kDigitsMax + 2 * kCrlf.size();
  char* const begin =
      out.reserve(kOwnBytesMax + content_type.size() + field_lines.size() + body.size());
  char* at = detail::put(begin, start.text());
  at = detail::put(detail::put_short(at, content_type), kLength);
  at = detail::put(detail::put_number(at, body.size()), kCrlf);
  at = detail::put(detail::put_short(at, field_lines), kCrlf);
  at = detail::put_short(at, body);
  out.commit(static_cast<std::size_t>(at - begin));
}

}  // namespace eider::h1
