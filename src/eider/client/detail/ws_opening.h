// The opening handshake as the client sends it, and the judgement of what comes back.
// Must not read or write sockets.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "eider/base/result.h"
#include "eider/client/detail/ws_url.h"
#include "eider/client/ws_client.h"

namespace eider::detail {

/// What is wrong with subprotocols or headers, before anything is sent.
[[nodiscard]] std::optional<WsClientError> fault_of(const WsClientOptions& options);

using WsKey = std::array<char, 24>;

/// 16 bytes from the source, as Sec-WebSocket-Key has them.
[[nodiscard]] WsKey make_ws_key(ws::MaskSource& masks);

/// The request. Pre: !fault_of(options).
/// source   RFC 6455, section 4.1
[[nodiscard]] std::string render_opening(const WsUrl& url, std::string_view key,
                                         const WsClientOptions& options);

/// What the bytes so far amount to.
///
/// bytes        to drop from their front
/// is_opened    the 101 was right, and frames follow
/// subprotocol  then: what the server chose; a view into the bytes
struct WsOpening {
  std::size_t bytes = 0;
  bool is_opened = false;
  std::string_view subprotocol = {};
};

/// in       what has come and was not dropped, any length
/// returns  not opened: more is needed, perhaps behind an interim answer (1xx) that is dropped
/// errors   declined    another status than 101
///          bad_answer  no HTTP, too much of it, or not what was asked for
/// source   RFC 6455, section 4.1; RFC 9110, section 15.2
[[nodiscard]] Result<WsOpening, WsClientError> judge_answer(std::string_view in,
                                                            std::string_view key,
                                                            const WsClientOptions& options);

}  // namespace eider::detail
