// Detects responses whose compression could reveal a secret (BREACH).
// Layering: must not compress; compressed_response.h calls it first.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider {

class Request;
class Response;

/// Protection from BREACH. The size of a compressed response reveals how similar its parts are. An
/// attacker can make a victim's browser send requests with chosen text that appears in the response
/// next to a secret, and guess the secret letter by letter from the sizes.
enum class BreachProtection : std::uint8_t {
  /// Responses for one user are not compressed if another site may have caused the request.
  cross_site,
  /// Responses for one user are never compressed.
  always,
  /// Everything is compressed: there are no secrets, or they are masked differently in each
  /// response.
  off,
};

/// The properties of a request that determine the risk.
struct Exposure {
  /// The request has Cookie or Authorization, or the client has a TLS certificate.
  bool has_credentials = false;
  /// Another site may have caused the request. Browsers report that in Sec-Fetch-Site, which pages
  /// cannot forge. Without it, a request with a cookie, or with a password or certificate that
  /// browsers send automatically, is foreign unless Origin or Referer contains its host.
  bool is_foreign = false;
};

[[nodiscard]] Exposure exposure_of(const Request& request);

/// Returns whether the response must not be compressed. It is for one user if the request has
/// credentials, or the response sets a cookie or has Cache-Control private or no-store.
///
/// field_lines  the headers of the response
[[nodiscard]] bool must_stay_plain(BreachProtection policy, const Exposure& exposure,
                                   std::string_view field_lines) noexcept;

}  // namespace eider
