// One cell into one member.
// Must not convert quietly: 1.5 is no integer, text is no number, NULL is no zero.
#pragma once

#include <string>

#include "eider/data/db/value.h"

namespace eider::db {

/// Stores `cell` into the value of that type at `object`.
///
/// returns  what the value must be, "must be an integer", when the cell does not fit; else empty
[[nodiscard]] std::string store_cell(const reflect::Type& type, void* object, const Cell& cell);

}  // namespace eider::db
