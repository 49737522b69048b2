// Creates the menus of the shelf from the query.
// Layering: must not query the database.
#pragma once

#include <vector>

#include "catalogue/book_pages.h"

namespace bookstore {

[[nodiscard]] std::vector<Choice> genre_choices(const BookQuery& query,
                                                const eider::Translator& tr);
[[nodiscard]] std::vector<Choice> sort_choices(const BookQuery& query, const eider::Translator& tr);

}  // namespace bookstore
