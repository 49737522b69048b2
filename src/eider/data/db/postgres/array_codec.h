// Encodes and decodes one-dimensional arrays, in binary and text form.
// Layering: must not wait, and must not trust lengths that the server sends.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/postgres/codec.h"

namespace eider::db::postgres {

/// Returns the element type of an array type, or 0 if `array` is not a supported array type.
[[nodiscard]] Oid element_of(Oid array) noexcept;

/// Elements of an array in wire format; std::nullopt for NULL.
using ArrayElements = std::vector<std::optional<std::string_view>>;

/// Splits an array into its elements.
///
/// room     buffer for elements of a text that had to be unescaped; must live as long as they
/// returns  the elements, each in the same format as the array
/// errors   Failure(row)  the bytes are not an array of `element`; more than one dimension
void read_array(Oid element, Format format, std::string_view bytes, std::string& room,
                ArrayElements& elements);

/// Returns an array of binary elements in binary form.
[[nodiscard]] std::string write_array(Oid element, const ArrayElements& elements);
/// Returns an array of text elements in text form, such as "{1,NULL,\"a b\"}".
[[nodiscard]] std::string write_array_text(const ArrayElements& elements);
/// Returns bytes as the text of a bytea.
[[nodiscard]] std::string hex_of(std::string_view bytes);
/// Returns an array that was read, in text form.
[[nodiscard]] std::string text_of_array(Oid element, const CellList& list);

}  // namespace eider::db::postgres
