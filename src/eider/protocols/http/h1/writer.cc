#include "eider/protocols/http/h1/writer.h"

#include <charconv>
#include <cstring>

#include "eider/core/base/text.h"
#include "eider/protocols/http/status.h"

namespace eider::h1 {

namespace {

using detail::kDigitsMax;
using detail::put;
using detail::put_number;
using detail::put_short;

constexpr std::string_view kVersion = "HTTP/1.1 ";
constexpr std::string_view kServer = "\r\nServer: eider\r\n";
constexpr std::string_view kDate = "Date: ";
constexpr std::string_view kType = "Content-Type: ";
constexpr std::string_view kLength = "Content-Length: ";
constexpr std::string_view kChunked = "Transfer-Encoding: chunked\r\n";
constexpr std::string_view kKeepAlive = "Connection: keep-alive\r\n";
constexpr std::string_view kClose = "Connection: close\r\n";
constexpr std::string_view kUpgrade = "Connection: upgrade\r\n";

/// More than everything that write_head itself writes, including phrases and numbers.
constexpr std::size_t kOwnBytesMax = 320;

char* put_status_line(char* at, int status) noexcept {
  at = put(at, kVersion);
  at = put_number(at, static_cast<std::uint64_t>(status));
  at = put(at, " ");
  at = put_short(at, reason_phrase(status));
  return put(at, kServer);
}

/// Writes all lines before Content-Type.
char* put_start(char* at, const ResponseHead& head) noexcept {
  at = put_status_line(at, head.status);
  if (head.start != nullptr) {
    at = put(put(put(at, kDate), head.start->date()), kCrlf);
  }
  if (!head.content_type.empty()) {
    at = put(put(put(at, kType), head.content_type), kCrlf);
  }
  return at;
}

inline char* put_framing(char* at, const ResponseHead& head) noexcept {
  switch (head.framing) {
    case Framing::none:
      return at;
    case Framing::sized:
      return put(put_number(put(at, kLength), head.content_length), kCrlf);
    case Framing::chunked:
      return put(at, kChunked);
  }
  return at;
}

inline char* put_persistence(char* at, Persistence persistence) noexcept {
  switch (persistence) {
    case Persistence::implied:
      return at;
    case Persistence::spoken:
      return put(at, kKeepAlive);
    case Persistence::close:
      return put(at, kClose);
    case Persistence::upgrade:
      return put(at, kUpgrade);
  }
  return at;
}

}  // namespace

void HeadStart::tell(std::int64_t unix_seconds) noexcept {
  seconds_ = unix_seconds;
  const DateText date = format_date(unix_seconds);
  put(put(put(text_.data(), kBeforeDate), {date.data(), date.size()}), kBehindDate);
}

void write_head(Buffer& out, const ResponseHead& head) {
  // Room for everything is reserved once, so that the calls of put below need no checks.
  char* const begin =
      out.reserve(kOwnBytesMax + head.content_type.size() + head.field_lines.size());
  char* at = put_start(begin, head);
  at = put_framing(at, head);
  at = put_persistence(at, head.persistence);
  at = put_short(at, head.field_lines);
  at = put(at, kCrlf);
  out.commit(static_cast<std::size_t>(at - begin));
}

void write_chunk(Buffer& out, std::string_view data) {
  // An empty chunk would end the content (RFC 9112, 7.1).
  if (data.empty()) {
    return;
  }
  char* const begin = out.reserve(kDigitsMax + data.size() + 2 * kCrlf.size());
  char* at = std::to_chars(begin, begin + kDigitsMax, data.size(), 16).ptr;
  at = put(at, kCrlf);
  at = put(at, data);
  at = put(at, kCrlf);
  out.commit(static_cast<std::size_t>(at - begin));
}

}  // namespace eider::h1
