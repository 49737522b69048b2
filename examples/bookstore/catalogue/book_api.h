// Books and reviews as JSON.
// Must not know pages.
#pragma once

#include <eider/app/app.h>

namespace bookstore {

/// Below /api/books.
void add_book_api(eider::Routes& api);

}  // namespace bookstore
