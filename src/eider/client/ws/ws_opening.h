// The opening handshake of the WebSocket client: URL, request, and the check of the response.
// Layering: must not read or write sockets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/client/ws/ws_client.h"
#include "eider/core/base/result.h"
#include "eider/protocols/http/head.h"

namespace eider::detail::client {

/// The URL of a WebSocket service.
///
/// host       "127.0.0.1", "::1" (without brackets) or a name, as in the URL
/// authority  for the Host header: as in the URL, including brackets and port
/// target     path and query; at least "/"
struct WsUrl {
  bool is_secure = false;
  std::string host;
  std::uint16_t port = 80;
  std::string authority;
  std::string target;
};

/// errors   bad_url  no ws:// or wss:// scheme, no host, a user, a fragment, an invalid port, or a
///                   byte that is not allowed in a URL
/// source   RFC 6455, section 3; RFC 3986, sections 3.2 to 3.4
[[nodiscard]] Result<WsUrl, WsClientError> read_ws_url(std::string_view url);

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

/// The result of parsing the bytes so far.
///
/// bytes        number of bytes to drop from the front
/// is_opened    the server accepted with a valid 101, and frames follow
/// subprotocol  if opened: the server's choice; a view of the bytes
/// compression  if opened: the accepted part of the offer
struct WsOpening {
  std::size_t bytes = 0;
  bool is_opened = false;
  std::string_view subprotocol = {};
  std::optional<ws::DeflateTerms> compression = {};
};

/// Returns the error of invalid subprotocols or headers, before anything is sent.
[[nodiscard]] std::optional<WsClientError> fault_of(const WsClientOptions& options);

using WsKey = std::array<char, 24>;

/// Returns 16 random bytes as the value of Sec-WebSocket-Key.
[[nodiscard]] WsKey make_ws_key(ws::MaskSource& masks);

/// Returns the request. Pre: !fault_of(options).
/// source   RFC 6455, section 4.1
[[nodiscard]] std::string render_opening(const WsUrl& url, std::string_view key,
                                         const WsClientOptions& options);

/// Returns the headers of the offer, for HTTP/1.1 and HTTP/2: version, subprotocols, extensions,
/// and those of the options; "Name: value\r\n" each.
[[nodiscard]] std::string render_fields(const WsClientOptions& options);

/// Checks that the server has chosen from the offer.
/// errors   bad_response
[[nodiscard]] Result<WsOpening, WsClientError> judge_choices(std::span<const Field> fields,
                                                             const WsClientOptions& options);
/// Returns the error if the server responds without switching protocols.
[[nodiscard]] WsClientError declined(int status);

/// in       received bytes that were not dropped, of any length
/// returns  not opened: more is needed, possibly after an interim response (1xx) that is dropped
/// errors   declined    another status than 101
///          bad_response  not HTTP, too large, or not as offered
/// source   RFC 6455, section 4.1; RFC 9110, section 15.2
[[nodiscard]] Result<WsOpening, WsClientError> judge_response(std::string_view in,
                                                              std::string_view key,
                                                              const WsClientOptions& options);

}  // namespace eider::detail::client
