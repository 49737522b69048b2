// Stores one cell in one member.
// Layering: must not convert silently; 1.5 is not an integer, and NULL is not 0.
#pragma once

#include <string>

#include "eider/data/db/value.h"

namespace eider::db {

/// Stores `cell` into the value of that type at `object`.
///
/// returns  the requirement, "must be an integer", if the cell does not fit; otherwise empty
[[nodiscard]] std::string store_cell(const reflect::Type& type, void* object, const Cell& cell);

}  // namespace eider::db
