#include "eider/client/response_head.h"

#include "eider/protocols/http/h1/response_reader.h"

namespace eider::detail::client {

namespace {

using h1::HeadStatus;
using h1::ResponseFlaw;

constexpr h1::ResponseLimits kLimits{.head_bytes_max = kResponseHeadBytesMax,
                                     .headers_max = kResponseFieldsMax};

/// Returns whether the first line ends with CRLF, as far as it has arrived.
bool has_line_end(std::string_view in) noexcept {
  const std::size_t end = in.find_first_of("\r\n");
  return end != std::string_view::npos && in.substr(end, 2) == "\r\n";
}

ResponseHeadFault fault_of(ResponseFlaw flaw, std::string_view in) noexcept {
  switch (flaw) {
    case ResponseFlaw::bad_version:
    case ResponseFlaw::unsupported_version:
    case ResponseFlaw::bad_status:
    case ResponseFlaw::bad_reason:
      return ResponseHeadFault::bad_status_line;
    case ResponseFlaw::bare_lf:
    case ResponseFlaw::bare_cr:
      return has_line_end(in) ? ResponseHeadFault::bad_field : ResponseHeadFault::bad_status_line;
    case ResponseFlaw::head_too_large:
    case ResponseFlaw::too_many_fields:
      return ResponseHeadFault::too_large;
    default:
      return ResponseHeadFault::bad_field;
  }
}

}  // namespace

std::string_view text(ResponseHeadFault fault) noexcept {
  switch (fault) {
    case ResponseHeadFault::need_more:
      return "The server's response headers do not end.";
    case ResponseHeadFault::bad_status_line:
      return "The server's response is not HTTP/1.1.";
    case ResponseHeadFault::bad_field:
      return "A header of the server's response is not valid.";
    case ResponseHeadFault::too_large:
      return "The server's response headers are too large.";
  }
  return {};
}

/// WebSocket requires HTTP/1.1 or later (RFC 6455, section 4.1).
Result<ResponseHead, ResponseHeadFault> read_response_head(std::string_view in) {
  if (in.starts_with("HTTP/1.0")) {
    return fail(ResponseHeadFault::bad_status_line);
  }
  h1::ResponseReader reader;
  switch (reader.read(in, Method::get, kLimits)) {
    case HeadStatus::need_more:
      return fail(ResponseHeadFault::need_more);
    case HeadStatus::refused:
      return fail(fault_of(reader.flaw(), in));
    case HeadStatus::complete:
      break;
  }
  const h1::ReplyHead& head = reader.head();
  return ResponseHead{head.status, {head.fields.begin(), head.fields.end()}, head.bytes.size()};
}

}  // namespace eider::detail::client
