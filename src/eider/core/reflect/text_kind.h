// How a type of one's own is told as text: once, for JSON, queries, forms, paths and rows.
// Must not include what it is specialised for: each kind brings its own header.
#pragma once

#include <string_view>

#include "eider/core/reflect/type.h"

namespace eider {

using reflect::TextSchema;

/// Specialise it for a type that is written as text:
///
///     template <>
///     struct eider::TextKind<Isbn> {
///       static std::optional<Isbn> parse(std::string_view text);
///       static std::string format(const Isbn& isbn);
///       static constexpr TextSchema kSchema = {.requirement = "must be an ISBN of 13 digits",
///                                              .format = "isbn",
///                                              .example = "9783161484100"};
///     };
///
/// parse   nothing when `text`, which is UTF-8 and of at most kSchema.bytes_max bytes, is none
/// format  what parse takes; anything that converts to a std::string_view
///
/// The type can be made without arguments, and compared or else is compared by its text.
template <class T>
struct TextKind;

namespace reflect {

template <class T>
concept TextLike = requires { TextKind<T>::kSchema; };

}  // namespace reflect
}  // namespace eider
