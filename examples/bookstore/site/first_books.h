// The initial books of the shop.
// Layering: must not be queried; the stores do that.
#pragma once

#include <eider/database.h>

namespace bookstore {

/// Some books, where there is none.
[[nodiscard]] eider::Task<> add_first_books(eider::Database database);

}  // namespace bookstore
