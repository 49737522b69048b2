// Negotiation of permessage-deflate (RFC 7692, section 7.1): offers, responses, terms.
// Layering: must not compress: http/ws/deflate does that by these terms.
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

/// Whether a compressor remembers the messages before.
enum class Takeover : std::uint8_t { kept, dropped };

/// What both ends have agreed on, for the compressor of each.
struct DeflateTerms {
  Takeover server_takeover = Takeover::kept;
  Takeover client_takeover = Takeover::kept;
  std::uint8_t server_window_bits = kWindowBitsMax;
  std::uint8_t client_window_bits = kWindowBitsMax;

  bool operator==(const DeflateTerms&) const = default;
};

/// What one end wants. Its own compressor cannot have a window below `own_window_bits_min`
/// (zlib's raw DEFLATE knows no window of 8 bits).
struct DeflateWishes {
  DeflateTerms terms = {};
  std::uint8_t own_window_bits_min = 9;
};

/// What the server makes of an offer.
///
/// answer  the value of Sec-WebSocket-Extensions
struct DeflateChoice {
  DeflateTerms terms;
  std::string response;
};

/// Server: the first offer in the list that is valid and can be met; nothing when there is none,
/// and then the extension is not used.
///
/// A wish of `dropped` or of fewer bits for the server is always told to the client; fewer bits for
/// the client only to one that has offered client_max_window_bits, else the offer is met with 15.
/// source   RFC 7692, sections 5.1, 7.1.1, 7.1.2 and 7.1.3
[[nodiscard]] std::optional<DeflateChoice> choose_deflate(std::span<const Extension> offers,
                                                          const DeflateWishes& wishes);

/// The client's offer. It always names client_max_window_bits, so that the server may lower it.
[[nodiscard]] std::string deflate_offer(const DeflateWishes& wishes);

/// Client: what the server has made of `deflate_offer(wishes)`.
///
/// returns  nothing when the server does not use the extension
/// errors   one sentence: another extension, the same twice, or a parameter that is unknown,
///          doubled, badly valued, or not what was offered: the connection must fail
/// source   RFC 7692, sections 5.1 and 7.1; RFC 6455, section 9.1
[[nodiscard]] Result<std::optional<DeflateTerms>, std::string_view> check_deflate_response(
    std::span<const Extension> response, const DeflateWishes& wishes) noexcept;

}  // namespace eider::ws
