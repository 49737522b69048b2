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

/// The type of an array's elements; 0 where `array` is none, or none of types that are known.
[[nodiscard]] Oid element_of(Oid array) noexcept;

/// Elements of an array as they are sent; nothing stands for NULL.
using ArrayElements = std::vector<std::optional<std::string_view>>;

/// Finds the elements.
///
/// room     where those of a text stand that is written otherwise; must live as long as they
/// returns  in `elements`, each in its own form
/// errors   Failure(row)  bytes that are no array of `element`; more than one dimension
void read_array(Oid element, Format format, std::string_view bytes, std::string& room,
                ArrayElements& elements);

/// In binary form; its elements have that, too.
[[nodiscard]] std::string write_array(Oid element, const ArrayElements& elements);
/// In text form, "{1,NULL,\"a b\"}"; its elements have that, too.
[[nodiscard]] std::string write_array_text(const ArrayElements& elements);
/// Bytes as the text of a bytea.
[[nodiscard]] std::string hex_of(std::string_view bytes);
/// What has been read, in text form.
[[nodiscard]] std::string text_of_array(Oid element, const CellList& list);

}  // namespace eider::db::postgres
