#include "eider/protocols/http/multipart_refusal.h"

#include <iterator>

namespace eider {

namespace {

// In the order of the enum. A test checks each row.
constexpr MultipartRefusalInfo kMultipartRefusals[] = {
    {500, "Nothing was rejected.", ""},

    {415, "The request body must be multipart/form-data.", "RFC 7578, 4.1"},
    {400, "Content-Type has no boundary parameter.", "RFC 7578, 4.1"},
    {400, "The boundary in Content-Type is not valid.", "RFC 2046, 5.1.1"},

    {413, "There is too much data before the first part.", "RFC 2046, 5.1.1"},
    {413, "There is too much data after the last part.", "RFC 2046, 5.1.1"},
    {400, "A boundary line has extra data after the boundary.", "RFC 2046, 5.1.1"},
    {400, "The request body ends in the middle of a part.", "RFC 2046, 5.1.1"},
    {413, "The form has too many parts.", "RFC 7578, 7"},
    {413, "A part of the form is too large.", "RFC 7578, 7"},
    {413, "The form is too large.", "RFC 7578, 7"},

    {413, "The header of a part is too large.", "RFC 7578, 7"},
    {413, "A part has too many headers.", "RFC 7578, 7"},
    {400, "A header line of a part is not valid.", "RFC 2046, 5.1"},
    {400, "A header of a part is given more than once.", "RFC 7578, 4.2"},
    {400, "A part has no Content-Disposition.", "RFC 7578, 4.2"},
    {400, "The Content-Disposition of a part is not valid.", "RFC 7578, 4.2"},
    {400, "A part has no name.", "RFC 7578, 4.2"},
    {400, "The name of a part is not UTF-8 text.", "RFC 7578, 5.1"},
    {413, "The name of a part is too long.", "RFC 7578, 7"},
    {413, "The file name of a part is too long.", "RFC 7578, 7"},
    {400, "A part has a transfer encoding, which is not supported: send the part unencoded.",
     "RFC 7578, 4.7"},
};
static_assert(std::size(kMultipartRefusals) ==
              static_cast<std::size_t>(MultipartRefusal::coded_part) + 1);

}  // namespace

const MultipartRefusalInfo& refusal_info(MultipartRefusal refusal) noexcept {
  return kMultipartRefusals[static_cast<std::size_t>(refusal)];
}

}  // namespace eider
