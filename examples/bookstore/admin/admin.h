// Admin pages for staff: books, reviews and orders, and roles of users for administrators.
// Layering: must not know the pages of the shop.
#pragma once

#include <eider/eider.h>

#include "catalogue/books.h"

namespace bookstore {

/// Adds /admin and the pages below.
///
/// books  outlives the app
void add_admin_pages(eider::App& app, const Books& books);

}  // namespace bookstore
