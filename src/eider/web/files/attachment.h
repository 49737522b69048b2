// The Content-Disposition header of downloads.
// Layering: must not know files.
#pragma once

#include <string>
#include <string_view>

namespace eider::detail::files {

/// Returns the value by which a browser saves a response under that name: the name in ASCII for old
/// clients, then all of it.
///
/// filename  any text; it is encoded
/// source    RFC 6266, section 4.3 and appendix D; RFC 8187, section 3.2.1
[[nodiscard]] std::string attachment_disposition(std::string_view filename);

}  // namespace eider::detail::files
