// Stores one cell in one member.
// Layering: must not convert silently; 1.5 is not an integer, and NULL is not 0.
#pragma once

#include <string>

#include "eider/data/db/value.h"

namespace eider::db {

/// Stores `cell` into the value of that type at `object`.
///
/// returns  what the value must be, "must be an integer", when the cell does not fit; else empty
[[nodiscard]] std::string store_cell(const reflect::Type& type, void* object, const Cell& cell);

}  // namespace eider::db
