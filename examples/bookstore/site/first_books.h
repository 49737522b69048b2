// The initial books of the shop.
// Layering: must not be queried; the stores do that.
#pragma once

#include <eider/database.h>

namespace bookstore {

/// Adds some books if there are none.
[[nodiscard]] eider::Task<> add_first_books(eider::Database database);

}  // namespace bookstore
