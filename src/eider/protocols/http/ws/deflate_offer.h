// Negotiation of permessage-deflate (RFC 7692, section 7.1): offers, responses, terms.
// Layering: must not compress: http/ws/deflate does, with these terms.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/protocols/http/ws/extension_list.h"

namespace eider::ws {

inline constexpr std::string_view kDeflateName = "permessage-deflate";
inline constexpr std::uint8_t kWindowBitsMin = 8;
inline constexpr std::uint8_t kWindowBitsMax = 15;

/// Whether a compressor keeps its context from earlier messages.
enum class Takeover : std::uint8_t { kept, dropped };

/// The negotiated terms for the compressor of each side.
struct DeflateTerms {
  Takeover server_takeover = Takeover::kept;
  Takeover client_takeover = Takeover::kept;
  std::uint8_t server_window_bits = kWindowBitsMax;
  std::uint8_t client_window_bits = kWindowBitsMax;

  bool operator==(const DeflateTerms&) const = default;
};

/// The wishes of one side. Its own compressor cannot have a window below `own_window_bits_min`
/// (zlib's raw DEFLATE does not support 8 bits).
struct DeflateWishes {
  DeflateTerms terms = {};
  std::uint8_t own_window_bits_min = 9;
};

/// The server's response to an offer.
///
/// response  the value of Sec-WebSocket-Extensions
struct DeflateChoice {
  DeflateTerms terms;
  std::string response;
};

/// For servers: accepts the first offer in the list that is valid and can be met. Returns nothing
/// if there is none; the extension is then not used.
///
/// A wish for `dropped`, or for fewer bits of the server, is always sent to the client. Fewer bits
/// for the client are sent only if it offered client_max_window_bits; otherwise it uses 15.
/// source   RFC 7692, sections 5.1, 7.1.1, 7.1.2 and 7.1.3
[[nodiscard]] std::optional<DeflateChoice> choose_deflate(std::span<const Extension> offers,
                                                          const DeflateWishes& wishes);

/// Returns the client's offer. It always has client_max_window_bits, so that the server may reduce
/// it.
[[nodiscard]] std::string deflate_offer(const DeflateWishes& wishes);

/// For clients: checks the server's response to `deflate_offer(wishes)`.
///
/// returns  nothing if the server does not use the extension
/// errors   one sentence, after which the connection must fail: another extension, a duplicate one,
///          or a parameter that is unknown, duplicate, has an invalid value, or was not offered
/// source   RFC 7692, sections 5.1 and 7.1; RFC 6455, section 9.1
[[nodiscard]] Result<std::optional<DeflateTerms>, std::string_view> check_deflate_response(
    std::span<const Extension> response, const DeflateWishes& wishes) noexcept;

}  // namespace eider::ws
