// The opening handshake of the client, and the check of the response.
// Layering: must not read or write sockets.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "eider/client/ws_client.h"
#include "eider/client/ws_url.h"
#include "eider/core/base/result.h"
#include "eider/protocols/http/head.h"

namespace eider::detail::client {

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
