// What stands on the shelves at first.
// Must not be asked anything: the stores do that.
#pragma once

#include <eider/database.h>

namespace bookstore {

/// Some books, where there is none.
[[nodiscard]] eider::Task<> add_first_books(eider::Database database);

}  // namespace bookstore
