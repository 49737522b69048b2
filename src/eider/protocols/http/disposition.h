// The Content-Disposition headers of form parts (RFC 7578, section 4.2) and of downloads.
// Layering: must not read filename*: RFC 7578 forbids it in forms, and two names for one file
// invite mistakes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/protocols/http/multipart_refusal.h"

namespace eider {

struct Disposition {
  /// UTF-8.
  std::string name;
  /// The client's name of the file, which may be any bytes: see `safe_filename`. Nothing: not a
  /// file.
  std::optional<std::string> filename;
};

/// Reads `form-data; name="a"; filename="b.txt"`.
///
/// Decodes `%22`, `%0D` and `%0A`, with which browsers write quotes and line ends, and `\"` and
/// `\\`, which other clients write. Any other '%' or '\' is literal.
///
/// errors   bad_disposition  not form-data, no parameters, or a duplicate parameter
///          missing_name     no name, or an empty one
///          bad_name         not UTF-8
/// source   RFC 7578, section 4.2; WHATWG HTML, 4.10.21.8
[[nodiscard]] Result<Disposition, MultipartRefusal> read_disposition(std::string_view field_value);

/// Returns the header value by which a browser saves a response under that name: the name in ASCII
/// for old clients, then all of it.
///
/// filename  any text; it is encoded
/// source    RFC 6266, section 4.3 and appendix D; RFC 8187, section 3.2.1
[[nodiscard]] std::string attachment_disposition(std::string_view filename);

/// Returns a safe name for the file on this machine: the last part of a path with '/' or '\', at
/// most `bytes_max` long, and never empty. Control characters, invisible characters (such as those
/// that change the direction of text) and bytes that are not UTF-8 become '_'. Dots, blanks and '-'
/// at the start are removed, and a device name of Windows (CON, NUL, COM1, …) gets a '_' before it.
/// A file of that name may already exist.
///
/// bytes_max  at least 8; a longer name is cut before its extension
[[nodiscard]] std::string safe_filename(std::string_view filename, std::size_t bytes_max = 255);

}  // namespace eider
