// Detects responses whose compression could reveal a secret (BREACH).
// Layering: must not compress; compressed_response.h calls it first.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider {

class Request;
class Response;

/// How long a compressed answer is tells how alike its parts are. An attacker who makes a
/// victim's browser ask with words of his choice, finds them in the response next to a secret and
/// sees the lengths, guesses the secret letter by letter.
enum class BreachProtection : std::uint8_t {
  /// Answers for one person are not compressed when another site may have caused the request.
  cross_site,
  /// Answers for one person are never compressed.
  always,
  /// Everything is compressed: nothing is secret here, or masked afresh in each response.
  off,
};

/// What the request has to say about it.
struct Exposure {
  /// It carries Cookie or Authorization, or comes from a client that has shown a certificate.
  bool has_credentials = false;
  /// Another site may have caused it. Browsers say so in Sec-Fetch-Site, which no page can forge;
  /// where it is missing, the request of a person with a cookie, or with a password or certificate
  /// that browsers show by themselves, is foreign unless Origin or Referer name this very host.
  bool is_foreign = false;
};

[[nodiscard]] Exposure exposure_of(const Request& request);

/// Whether the response has to stay as it is. It is for one person when the request has
/// credentials, or the response sets a cookie or has Cache-Control private or no-store.
///
/// field_lines  the response's
[[nodiscard]] bool must_stay_plain(BreachProtection policy, const Exposure& exposure,
                                   std::string_view field_lines) noexcept;

}  // namespace eider
