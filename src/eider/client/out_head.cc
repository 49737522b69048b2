#include "eider/client/out_head.h"

#include "eider/core/base/digits.h"
#include "eider/core/base/text.h"

namespace eider::detail::client {

namespace {

/// These mean something with content, so that "none" is worth saying (RFC 9110, section 8.6).
bool announces_emptiness(Method method) noexcept {
  return method == Method::post || method == Method::put || method == Method::patch ||
         method == Method::query;
}

void write_framing(Buffer& out, const OutHead& head) {
  if (head.content == OutContent::streamed) {
    out.append("Transfer-Encoding: chunked\r\n");
  } else if (const auto length = head.announced_length()) {
    out.append("Content-Length: ");
    out.append(Digits(*length).view());
    out.append(kCrlf);
  }
}

}  // namespace

std::optional<std::uint64_t> OutHead::announced_length() const noexcept {
  switch (content) {
    case OutContent::none:
      return announces_emptiness(method) ? std::optional<std::uint64_t>(0) : std::nullopt;
    case OutContent::sized:
      return content_length;
    case OutContent::streamed:
      break;
  }
  return std::nullopt;
}

void write_head(Buffer& out, const OutHead& head) {
  out.append(to_text(head.method));
  out.append(' ');
  out.append(head.origin);
  out.append(head.target);
  out.append(" HTTP/1.1\r\nHost: ");
  out.append(head.authority);
  out.append(kCrlf);
  out.append(head.lines);
  if (head.takes_trailers) {
    out.append("Connection: TE\r\nTE: trailers\r\n");
  }
  write_framing(out, head);
  if (head.expects_continue) {
    out.append("Expect: 100-continue\r\n");
  }
  out.append(kCrlf);
}

}  // namespace eider::detail::client
