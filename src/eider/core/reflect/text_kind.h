// TextFormat<T>: represents a custom type as text in JSON, queries, forms, paths and rows.
// Layering: must not include the types that it is specialized for: each type has its own header.
#pragma once

#include <string_view>

#include "eider/core/reflect/type.h"

namespace eider {

using reflect::TextSchema;

/// Represents a type as text. Specialize it for your own type:
///
///     template <>
///     struct eider::TextFormat<Isbn> {
///       static std::optional<Isbn> parse(std::string_view text);
///       static std::string format(const Isbn& isbn);
///       static constexpr TextSchema kSchema = {.requirement = "must be an ISBN of 13 digits",
///                                              .format = "isbn",
///                                              .example = "9783161484100"};
///     };
///
/// parse   returns nothing if `text` is not valid; it is UTF-8, of at most kSchema.bytes_max bytes
/// format  returns a text that parse accepts; anything that converts to a std::string_view
///
/// The type must be default constructible. Values without operator== are compared by their text.
template <class T>
struct TextFormat;

namespace reflect {

template <class T>
concept TextLike = requires { TextFormat<T>::kSchema; };

}  // namespace reflect
}  // namespace eider
