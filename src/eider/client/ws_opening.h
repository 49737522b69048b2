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

/// What the bytes so far amount to.
///
/// bytes        to drop from their front
/// is_opened    the 101 was right, and frames follow
/// subprotocol  then: what the server chose; a view into the bytes
/// compression  then: what it agrees to, of what was offered
struct WsOpening {
  std::size_t bytes = 0;
  bool is_opened = false;
  std::string_view subprotocol = {};
  std::optional<ws::DeflateTerms> compression = {};
};

/// What is wrong with subprotocols or headers, before anything is sent.
[[nodiscard]] std::optional<WsClientError> fault_of(const WsClientOptions& options);

using WsKey = std::array<char, 24>;

/// 16 bytes from the source, as Sec-WebSocket-Key has them.
[[nodiscard]] WsKey make_ws_key(ws::MaskSource& masks);

/// The request. Pre: !fault_of(options).
/// source   RFC 6455, section 4.1
[[nodiscard]] std::string render_opening(const WsUrl& url, std::string_view key,
                                         const WsClientOptions& options);

/// The fields of the request that say what is wanted, over HTTP/1.1 as over HTTP/2: version,
/// subprotocols, extensions, and those of the options; "Name: value\r\n" each.
[[nodiscard]] std::string render_fields(const WsClientOptions& options);

/// What the server has chosen is what was asked for.
/// errors   bad_response
[[nodiscard]] Result<WsOpening, WsClientError> judge_choices(std::span<const Field> fields,
                                                             const WsClientOptions& options);
/// The server answers, and does not switch.
[[nodiscard]] WsClientError declined(int status);

/// in       what has come and was not dropped, any length
/// returns  not opened: more is needed, perhaps behind an interim response (1xx) that is dropped
/// errors   declined    another status than 101
///          bad_response  no HTTP, too much of it, or not what was asked for
/// source   RFC 6455, section 4.1; RFC 9110, section 15.2
[[nodiscard]] Result<WsOpening, WsClientError> judge_response(std::string_view in,
                                                              std::string_view key,
                                                              const WsClientOptions& options);

}  // namespace eider::detail::client
