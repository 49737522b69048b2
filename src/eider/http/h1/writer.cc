#include "eider/http/h1/writer.h"

#include <array>
#include <charconv>
#include <cstring>

#include "eider/http/date.h"
#include "eider/http/status.h"

namespace eider::h1 {

namespace {

constexpr std::string_view kOkLine = "HTTP/1.1 200 OK\r\nServer: eider\r\n";
constexpr std::string_view kVersion = "HTTP/1.1 ";
constexpr std::string_view kServer = "\r\nServer: eider\r\n";
constexpr std::string_view kDate = "Date: ";
constexpr std::string_view kType = "Content-Type: ";
constexpr std::string_view kLength = "Content-Length: ";
constexpr std::string_view kChunked = "Transfer-Encoding: chunked\r\n";
constexpr std::string_view kKeepAlive = "Connection: keep-alive\r\n";
constexpr std::string_view kClose = "Connection: close\r\n";
constexpr std::string_view kLineEnd = "\r\n";

/// More than all that write_head writes of its own, phrases and numbers included.
constexpr std::size_t kOwnBytesMax = 320;
constexpr std::size_t kDigitsMax = 20;

/// For constants: the size is known where this is inlined, so that it is a move or two.
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

char* put_status_line(char* at, int status) noexcept {
  at = put(at, kVersion);
  at = put_number(at, static_cast<std::uint64_t>(status));
  at = put(at, " ");
  at = put_short(at, reason_phrase(status));
  return put(at, kServer);
}

inline char* put_date(char* at, std::string_view date) noexcept {
  at = put(at, kDate);
  at = put(at, date.substr(0, kDateBytes));
  return put(at, kLineEnd);
}

inline char* put_framing(char* at, const ResponseHead& head) noexcept {
  switch (head.framing) {
    case Framing::none:
      return at;
    case Framing::sized:
      return put(put_number(put(at, kLength), head.content_length), kLineEnd);
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
  }
  return at;
}

}  // namespace

void write_head(Buffer& out, const ResponseHead& head) {
  char* const begin =
      out.reserve(kOwnBytesMax + head.content_type.size() + head.field_lines.size());
  char* at = head.status == 200 ? put(begin, kOkLine) : put_status_line(begin, head.status);
  if (head.date.size() == kDateBytes) {
    at = put_date(at, head.date);
  }
  if (!head.content_type.empty()) {
    at = put(put_short(put(at, kType), head.content_type), kLineEnd);
  }
  at = put_framing(at, head);
  at = put_persistence(at, head.persistence);
  at = put_short(at, head.field_lines);
  at = put(at, kLineEnd);
  out.commit(static_cast<std::size_t>(at - begin));
}

void write_chunk(Buffer& out, std::string_view data) {
  if (data.empty()) {
    return;
  }
  char* const begin = out.reserve(kDigitsMax + data.size() + 2 * kLineEnd.size());
  char* at = std::to_chars(begin, begin + kDigitsMax, data.size(), 16).ptr;
  at = put(at, kLineEnd);
  at = put(at, data);
  at = put(at, kLineEnd);
  out.commit(static_cast<std::size_t>(at - begin));
}

void write_refusal(Buffer& out, Refusal refusal, std::string_view date) {
  const RefusalInfo& info = refusal_info(refusal);
  ResponseHead head;
  head.status = info.status;
  head.persistence = Persistence::close;
  head.content_type = "text/plain; charset=utf-8";
  head.content_length = info.text.size() + 1;
  head.date = date;
  write_head(out, head);
  out.append(info.text);
  out.append('\n');
}

}  // namespace eider::h1
