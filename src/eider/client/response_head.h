// Parses the headers of a response (RFC 9112, sections 4 and 5), within limits.
// Layering: must not find the end of a body: an upgrade does not need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/protocols/http/head.h"

namespace eider::detail::client {

inline constexpr std::size_t kResponseHeadBytesMax = 8192;
inline constexpr std::size_t kResponseFieldsMax = 64;

enum class ResponseHeadFault : std::uint8_t { need_more, bad_status_line, bad_field, too_large };

/// Returns a plain sentence. Pre: not need_more.
[[nodiscard]] std::string_view text(ResponseHeadFault fault) noexcept;

/// status  100 to 999
/// fields  views into the input
/// bytes   their length in the input, including the empty line
struct ResponseHead {
  int status = 0;
  std::vector<Field> fields;
  std::size_t bytes = 0;
};

/// Parses headers at the front of `in`.
///
/// in       all bytes of the response so far, possibly with bytes after the headers
/// errors   need_more        `in` ends before the empty line: call again with more bytes
///          bad_status_line  not "HTTP/1.1 ", three digits, a space, text, CRLF; returned as soon
///                           as it is detected
///          bad_field        no token before the colon, a folded line, a control byte, a bare CR
///                           or LF
///          too_large        over kResponseHeadBytesMax or kResponseFieldsMax
/// source   RFC 9112, sections 2.2, 4 and 5; RFC 9110, section 5.5
[[nodiscard]] Result<ResponseHead, ResponseHeadFault> read_response_head(std::string_view in);

}  // namespace eider::detail::client
