#include "eider/protocols/http/h1/refusal.h"

#include <iterator>

namespace eider::h1 {

namespace {

// In the order of the enum. A test checks each row.
constexpr RefusalInfo kRows[] = {
    {500, "Nothing was rejected.", ""},
    {400, "There are too many empty lines before the request line.", "RFC 9112, 2.2"},
    {400, "The method is not a token.", "RFC 9112, 3.1"},
    {501, "The method is not supported.", "RFC 9110, 9.1"},
    {400, "The request target is not valid.", "RFC 9112, 3.2"},
    {414, "The request target is too long.", "RFC 9112, 3"},
    {400, "The HTTP version is not valid.", "RFC 9112, 2.3"},
    {505, "Only HTTP/1.0 and HTTP/1.1 are supported.", "RFC 9110, 2.5"},

    {400, "A line ends in LF without CR.", "RFC 9112, 2.2"},
    {400, "A CR is not followed by LF.", "RFC 9112, 2.2"},
    {400, "A header name is not a token.", "RFC 9110, 5.1"},
    {400, "There is a space between a header name and its colon.", "RFC 9112, 5.1"},
    {400, "A header is folded over several lines.", "RFC 9112, 5.2"},
    {400, "A header value contains a control character.", "RFC 9110, 5.5"},
    {431, "The request line and headers are too large.", "RFC 6585, 5"},
    {431, "The request has too many headers.", "RFC 6585, 5"},

    {400, "The Host header is missing.", "RFC 9112, 3.2"},
    {400, "The Host header is given more than once.", "RFC 9112, 3.2"},
    {400, "The Host header is not valid.", "RFC 9112, 3.2"},
    {400, "The Connection header is not valid.", "RFC 9110, 7.6.1"},
    {417, "The Expect header has an unsupported value.", "RFC 9110, 10.1.1"},

    {400, "The Content-Length header is not valid.", "RFC 9112, 6.3"},
    {400, "The Content-Length header is given more than once.", "RFC 9112, 6.3"},
    {413, "The body is too large to count.", "RFC 9110, 8.6"},
    {400, "Content-Length and Transfer-Encoding are both present.", "RFC 9112, 6.1"},
    {400, "Transfer-Encoding is not part of HTTP/1.0.", "RFC 9112, 6.1"},
    {400, "The Transfer-Encoding header is not valid.", "RFC 9112, 6.1"},
    {501, "A transfer coding is not supported.", "RFC 9112, 6.1"},
    {400, "The chunked coding is applied more than once.", "RFC 9112, 6.1"},
    {400, "The chunked coding is not the last one.", "RFC 9112, 6.3"},

    {400, "A chunk size is not valid.", "RFC 9112, 7.1"},
    {413, "A chunk is too large to count.", "RFC 9112, 7.1"},
    {400, "A chunk extension is not valid.", "RFC 9112, 7.1.1"},
    {413, "The chunk extensions are too long.", "RFC 9112, 7.1.1"},
    {400, "A chunk is longer than its size says.", "RFC 9112, 7.1"},
    {400, "A trailer is not valid.", "RFC 9112, 7.1.2"},
    {431, "The trailers are too large.", "RFC 6585, 5"},

    {408, "The request line and headers took too long to arrive.", "RFC 9110, 15.5.9"},
};
static_assert(std::size(kRows) == static_cast<std::size_t>(Refusal::head_too_slow) + 1);

}  // namespace

const RefusalInfo& refusal_info(Refusal refusal) noexcept {
  return kRows[static_cast<std::size_t>(refusal)];
}

}  // namespace eider::h1
