// Escapes text for its place in a page.
// Layering: must not determine the place; the parser does.
#pragma once

#include <string>
#include <string_view>

#include "eider/web/views/sink.h"
#include "eider/web/views/tree.h"

namespace eider::views {

/// Replaces a URL whose scheme could run a script.
inline constexpr std::string_view kRefusedUrl = "about:invalid#refused";
/// Replaces a value that could be more than one CSS word.
inline constexpr std::string_view kRefusedStyle = "refused";

/// Escapes `&`, `<`, `>` and both quotes, for text between tags and in quoted attributes.
void append_html(std::string& out, std::string_view text);
void write_html(Sink& out, std::string_view text);

/// Appends a complete URL, or its beginning, as HTML: relative, or with the scheme http, https,
/// mailto or tel. Any other scheme (javascript:, data: and any future ones) makes it kRefusedUrl.
void append_url(std::string& out, std::string_view text);

/// The same for a URL that the page sends data to, or whose response becomes part of the page: only
/// a path, a query or a fragment, so that it leads to this site. A scheme or a host ("//host")
/// makes it kRefusedUrl.
void append_own_url(std::string& out, std::string_view text);

/// Appends a part of a URL: all characters except unreserved ones are percent-encoded (RFC 3986,
/// section 2.3).
void append_url_part(std::string& out, std::string_view text);

/// Appends a part of a URL that may be a complete path segment. An empty one, "." and ".." lead to
/// another path or, as "//host", to another host: the complete URL then becomes kRefusedUrl.
///
/// Pre: `out` ends in a quoted attribute
void append_url_segment(std::string& out, std::string_view text);

/// Appends a CSS word, number or color; one with other characters becomes kRefusedStyle.
void append_style(std::string& out, std::string_view text);

/// Appends JSON for a script element: `<`, `>`, `&`, U+2028 and U+2029 become \u escapes.
void append_json(std::string& out, std::string_view json);

/// Appends JSON as a JavaScript value: there, the key "__proto__" would set the prototype of the
/// object.
void append_script(std::string& out, std::string_view json);

/// Pre: !takes_json(context)
void append_in(std::string& out, Context context, std::string_view text);

}  // namespace eider::views
