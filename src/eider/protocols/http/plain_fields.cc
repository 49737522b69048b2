#include "eider/protocols/http/plain_fields.h"

#include <algorithm>
#include <array>

#include "eider/core/base/text.h"

namespace eider {

namespace {

constexpr auto kPlain = std::to_array<std::string_view>({"Accept",
                                                         "Accept-Charset",
                                                         "Accept-Encoding",
                                                         "Accept-Language",
                                                         "Cache-Control",
                                                         "Content-Disposition",
                                                         "Content-Encoding",
                                                         "Content-Language",
                                                         "Content-Length",
                                                         "Content-Location",
                                                         "Content-Type",
                                                         "Date",
                                                         "Digest",
                                                         "Expect",
                                                         "If-Match",
                                                         "If-Modified-Since",
                                                         "If-None-Match",
                                                         "If-Range",
                                                         "If-Unmodified-Since",
                                                         "Max-Forwards",
                                                         "Origin",
                                                         "Pragma",
                                                         "Prefer",
                                                         "Priority",
                                                         "Range",
                                                         "Referer",
                                                         "TE",
                                                         "Trailer",
                                                         "User-Agent"});

}  // namespace

bool is_plain_request_field(std::string_view name) noexcept {
  return name.starts_with(':') || std::ranges::any_of(kPlain, [name](std::string_view plain) {
           return equals_ignoring_case(plain, name);
         });
}

}  // namespace eider
