// Puts one response onto a stream: its head, then as much content as the request may be sent.
// Must not decide about the connection; that is told by `persistence`.
#pragma once

#include <cstdint>
#include <string_view>

#include "eider/http/h1/writer.h"
#include "eider/http/method.h"
#include "eider/http/response.h"
#include "eider/runtime/stream.h"

namespace eider::detail {

/// Content of this size is sent by itself instead of being copied behind others.
inline constexpr std::size_t kLargeBodyBytes = 64UL * 1024;

/// Whether all of a response is in the cork, or some of it has been given to the socket already.
enum class Sent : std::uint8_t { corked, partly };

/// Corks the response, or sends it when it is large. An owned large body is taken from it.
///
/// method  of the request: HEAD gets the head alone, with the length it would have had
/// date    as in h1::ResponseHead
/// source  RFC 9110, sections 8.6, 9.3.2, 15.3.5, 15.3.6 and 15.4.5
inline Sent write_answer(Stream& stream, Method method, Response& response,
                         h1::Persistence persistence, std::string_view date);

/// The rest of it: what has no content, and what has much.
Sent write_unusual_answer(Stream& stream, Method method, Response& response, h1::ResponseHead head);

/// RFC 9110, 15.3.5, 15.3.6 and 15.4.5.
constexpr bool is_bodiless(int status) noexcept {
  return status == 204 || status == 205 || status == 304;
}

inline Sent write_answer(Stream& stream, Method method, Response& response,
                         h1::Persistence persistence, std::string_view date) {
  const std::string_view body = response.body();
  const h1::ResponseHead head{.status = response.status(),
                              .framing = h1::Framing::sized,
                              .persistence = persistence,
                              .content_length = body.size(),
                              .content_type = response.content_type(),
                              .date = date,
                              .field_lines = response.field_lines()};
  if (is_bodiless(head.status) || method == Method::head || body.size() >= kLargeBodyBytes)
      [[unlikely]] {
    return write_unusual_answer(stream, method, response, head);
  }
  Buffer& out = stream.output();
  h1::write_head(out, head);
  out.append(body);
  return Sent::corked;
}

}  // namespace eider::detail
