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

/// RFC 9110, 15.3.5, 15.3.6 and 15.4.5.
constexpr bool is_bodiless(int status) noexcept {
  return status == 204 || status == 205 || status == 304;
}

/// Whether all of a response is in the cork, or some of it has been given to the socket already.
enum class Sent : std::uint8_t { corked, partly };

/// Corks the response, or sends it when it is large. An owned large body is taken from it.
///
/// method  of the request: HEAD gets the head alone, with the length it would have had
/// start   tells the date
/// source  RFC 9110, sections 8.6, 9.3.2, 15.3.5, 15.3.6 and 15.4.5
inline Sent write_answer(Stream& stream, Method method, Response& response,
                         h1::Persistence persistence, const h1::HeadStart& start);

/// The rest of it: what has a status or fields of its own, no content, or much.
Sent write_unusual_answer(Stream& stream, Method method, Response& response,
                          h1::Persistence persistence, const h1::HeadStart& start);

inline Sent write_answer(Stream& stream, Method method, Response& response,
                         h1::Persistence persistence, const h1::HeadStart& start) {
  const std::string_view body = response.body();
  const std::string_view type = response.content_type();
  const bool is_usual = response.status() == 200 && response.field_lines().empty() &&
                        persistence == h1::Persistence::implied && method != Method::head &&
                        !type.empty() && body.size() < kLargeBodyBytes &&
                        response.content() == nullptr;
  if (!is_usual) [[unlikely]] {
    return write_unusual_answer(stream, method, response, persistence, start);
  }
  h1::write_usual(stream.output(), start, type, body);
  return Sent::corked;
}

}  // namespace eider::detail
