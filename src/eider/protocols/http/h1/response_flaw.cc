#include "eider/protocols/http/h1/response_flaw.h"

#include <iterator>

namespace eider::h1 {

namespace {

// In the order of the enum. The table test reads every row.
constexpr ResponseFlawInfo kFlaws[] = {
    {"Nothing is wrong.", ""},

    {"The answer does not begin with an HTTP version.", "RFC 9112, 4"},
    {"The answer is neither in HTTP/1.0 nor in HTTP/1.1.", "RFC 9110, 2.5"},
    {"The status code is not a number from 100 to 999.", "RFC 9110, 15"},
    {"The reason phrase is not valid.", "RFC 9112, 4"},

    {"A line ends in LF without CR.", "RFC 9112, 2.2"},
    {"A CR is not followed by LF.", "RFC 9112, 2.2"},
    {"A field name is not a token.", "RFC 9110, 5.1"},
    {"A field line is folded.", "RFC 9112, 5.2"},
    {"A field value holds a control character.", "RFC 9110, 5.5"},
    {"The head of the answer is too large.", "RFC 9110, 5.4"},
    {"The answer has too many fields.", "RFC 9110, 5.4"},

    {"The Connection field is not valid.", "RFC 9110, 7.6.1"},
    {"The Content-Length field is not valid.", "RFC 9112, 6.3"},
    {"The Content-Length headers of the response differ.", "RFC 9112, 6.3"},
    {"The content is larger than can be counted.", "RFC 9110, 8.6"},
    {"Content-Length and Transfer-Encoding are both there.", "RFC 9112, 6.3"},
    {"Transfer-Encoding is not part of HTTP/1.0.", "RFC 9112, 6.1"},
    {"The Transfer-Encoding field is not valid.", "RFC 9112, 6.1"},
    {"A transfer coding is not known, or chunked is not the last one.", "RFC 9112, 6.3"},

    {"A chunk is not valid.", "RFC 9112, 7.1"},
    {"The chunk extensions are too long.", "RFC 9112, 7.1.1"},
    {"A trailer field is not valid.", "RFC 9112, 7.1.2"},
    {"The trailer fields are too large.", "RFC 9112, 7.1.2"},
};
static_assert(std::size(kFlaws) == static_cast<std::size_t>(ResponseFlaw::trailers_too_large) + 1);

}  // namespace

const ResponseFlawInfo& flaw_info(ResponseFlaw flaw) noexcept {
  return kFlaws[static_cast<std::size_t>(flaw)];
}

}  // namespace eider::h1
