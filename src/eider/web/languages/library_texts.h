// Texts of the library that users of an application see, and their translations.
// Layering: must not know the pages that contain them.
#pragma once

#include <string>

#include "eider/core/base/result.h"
#include "eider/web/languages/languages.h"

namespace eider {

/// Returns the texts of the library in German: validation errors, forms, error responses, the page
/// of API keys, and emails of accounts. The catalogs of the application take precedence.
///
///     add_languages(app, {.directory = "languages", .texts = {german()}});
[[nodiscard]] Language german();

namespace detail::languages {

/// Returns the translator of a request for a handler without a Translator parameter; without
/// languages, the one that returns English texts. The response then varies by language.
[[nodiscard]] Translator translator_of(Request& request);

/// Returns the text of a validation error: by its code, with the context "error", otherwise by its
/// text.
///
/// A code with `min` and `max` has further keys: "length_min" without an upper bound, "length_max"
/// without a lower one, and "length_exact" if both are equal.
[[nodiscard]] std::string error_text(const Translator& tr, const FieldError& error);

/// Returns an error as one line: "Name: is missing; Days: is not one of the choices".
[[nodiscard]] std::string error_line(const Translator& tr, const Error& error);

}  // namespace detail::languages

}  // namespace eider
