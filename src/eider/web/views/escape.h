// Escapes text for its place in a page.
// Layering: must not determine the place; the parser does.
#pragma once

#include <string>
#include <string_view>

#include "eider/web/views/sink.h"
#include "eider/web/views/tree.h"

namespace eider::views {

/// In place of an address whose scheme could run a script.
inline constexpr std::string_view kRefusedUrl = "about:invalid#refused";
/// In place of a value that could be more of CSS than a word.
inline constexpr std::string_view kRefusedStyle = "refused";

/// `&`, `<`, `>` and both quotes as references: between tags and in quoted attributes.
void append_html(std::string& out, std::string_view text);
void write_html(Sink& out, std::string_view text);

/// A whole address, or its beginning: relative, or of http, https, mailto or tel, as HTML; any
/// other scheme makes it kRefusedUrl (javascript:, data: and what comes after them).
void append_url(std::string& out, std::string_view text);

/// The same of an address that the page has sent to, or asks for what becomes a part of it: a path,
/// a query or a fragment, which leads to this site. One with a scheme or a host ("//host") makes it
/// kRefusedUrl.
void append_own_url(std::string& out, std::string_view text);

/// A part of an address: all but unreserved characters percent-encoded (RFC 3986, section 2.3).
void append_url_part(std::string& out, std::string_view text);

/// A part of an address that may be all that stands between two '/'. An empty one, "." and ".."
/// lead elsewhere, "//host" among it: the whole address becomes kRefusedUrl.
///
/// Pre: `out` ends in a quoted attribute
void append_url_segment(std::string& out, std::string_view text);

/// A word, number or colour of CSS; one with other characters is kRefusedStyle.
void append_style(std::string& out, std::string_view text);

/// JSON, so that it can stand in a script element: `<`, `>`, `&`, U+2028 and U+2029 as \u escapes.
void append_json(std::string& out, std::string_view json);

/// That as a value of JavaScript, where the key "__proto__" would set what an object derives from.
void append_script(std::string& out, std::string_view json);

/// Pre: !takes_json(context)
void append_in(std::string& out, Context context, std::string_view text);

}  // namespace eider::views
