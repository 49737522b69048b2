// The response to a request for a document: variant, byte range or error.
// Layering: must not access files.
#pragma once

#include <cstdint>
#include <memory>

#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"
#include "eider/web/files/document.h"

namespace eider::detail::files {

/// Returns a 200, 206, 304, 412 or 416. Pre: GET or HEAD.
///
/// now_seconds  since 1970, to compare dates with
[[nodiscard]] Response respond_with(const Document& document, const Request& request,
                                    std::int64_t now_seconds);

}  // namespace eider::detail::files
