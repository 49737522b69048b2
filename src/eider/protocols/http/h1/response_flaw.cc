#include "eider/protocols/http/h1/response_flaw.h"

#include <iterator>

namespace eider::h1 {

namespace {

// In the order of the enum. The table test reads every row.
constexpr ResponseFlawInfo kFlaws[] = {
    {"Nothing is wrong.", ""},

    {"The response does not start with an HTTP version.", "RFC 9112, 4"},
    {"The response is neither HTTP/1.0 nor HTTP/1.1.", "RFC 9110, 2.5"},
    {"The status code is not a number from 100 to 999.", "RFC 9110, 15"},
    {"The reason phrase is not valid.", "RFC 9112, 4"},

    {"A line ends in LF without CR.", "RFC 9112, 2.2"},
    {"A CR is not followed by LF.", "RFC 9112, 2.2"},
    {"A header name is not a token.", "RFC 9110, 5.1"},
    {"A header is folded over several lines.", "RFC 9112, 5.2"},
    {"A header value contains a control character.", "RFC 9110, 5.5"},
    {"The response headers are too large.", "RFC 9110, 5.4"},
    {"The response has too many headers.", "RFC 9110, 5.4"},

    {"The Connection header is not valid.", "RFC 9110, 7.6.1"},
    {"The Content-Length header is not valid.", "RFC 9112, 6.3"},
    {"The Content-Length headers of the response differ.", "RFC 9112, 6.3"},
    {"The body is too large to count.", "RFC 9110, 8.6"},
    {"Content-Length and Transfer-Encoding are both present.", "RFC 9112, 6.3"},
    {"Transfer-Encoding is not part of HTTP/1.0.", "RFC 9112, 6.1"},
    {"The Transfer-Encoding header is not valid.", "RFC 9112, 6.1"},
    {"A transfer coding is not supported, or chunked is not the last one.", "RFC 9112, 6.3"},

    {"A chunk is not valid.", "RFC 9112, 7.1"},
    {"The chunk extensions are too long.", "RFC 9112, 7.1.1"},
    {"A trailer is not valid.", "RFC 9112, 7.1.2"},
    {"The trailers are too large.", "RFC 9112, 7.1.2"},
};
static_assert(std::size(kFlaws) == static_cast<std::size_t>(ResponseFlaw::trailers_too_large) + 1);

}  // namespace

const ResponseFlawInfo& flaw_info(ResponseFlaw flaw) noexcept {
  return kFlaws[static_cast<std::size_t>(flaw)];
}

}  // namespace eider::h1
