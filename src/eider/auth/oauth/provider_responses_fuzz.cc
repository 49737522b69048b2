// Fuzzes responses of a provider, also through a browser: accepted values must be usable in
// requests.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "eider/auth/oauth/provider_responses.h"
#include "eider/core/base/assert.h"

namespace {

using namespace eider;
using namespace eider::detail::oauth;

constexpr std::string_view kIssuer = "https://id.example";

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char byte) { return byte >= ' ' && byte <= '~'; });
}

void check_place(std::string_view place) {
  ensure(place.empty() || place.starts_with("https://"), "only https is asked");
  ensure(is_printable(place) && !place.contains(' ') && !place.contains('#'),
         "an address stands in a field, with a query behind it");
  ensure(place.empty() || checked_place(place, false) == place, "an address is read as written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto places = read_places(text, kIssuer)) {
    for (const std::string& place :
         {places->authorization, places->token, places->user, places->keys, places->end_session}) {
      check_place(place);
    }
    ensure(!places->authorization.empty() && !places->token.empty() && !places->keys.empty(),
           "what is needed is there");
  }
  if (const auto place = checked_place(text, false)) {
    check_place(*place);
  }
  if (const auto tokens = read_tokens(text, 1)) {
    ensure(!tokens->access_token.empty() && is_printable(tokens->access_token),
           "a token stands in a field");
    ensure(!tokens->expires_at || *tokens->expires_at >= 1, "no token is over when it comes");
  }
  ensure(is_printable(error_word(text)), "a word stands in a log");
  if (const auto response = read_response(text)) {
    ensure(response->state == query_value(text, "state"), "an answer has one state");
    ensure(!response->error || is_printable(printable_word(*response->error)), "as above");
  }
  if (const auto claims = read_claims(text)) {
    ensure(claims->is_object(), "claims are an object");
  }
  return 0;
}
