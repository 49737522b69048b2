// Books and reviews as JSON.
// Layering: must not know pages.
#pragma once

#include <eider/eider.h>

namespace bookstore {

/// Adds routes below /api/books.
void add_book_api(eider::Routes& api);

}  // namespace bookstore
