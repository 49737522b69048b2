// The data of the pages with the shelf and with one book.
// Layering: must not know the layout; pages/*.html does.
#pragma once

#include <eider/eider.h>
#include <eider/views.h>

#include <string>
#include <vector>

#include "catalogue/book.h"
#include "site/frame.h"

namespace bookstore {

/// An option in a menu.
struct Choice {
  std::string value;
  std::string text;
  bool is_chosen = false;
};

struct ShelfPage {
  Frame frame;
  std::string q;
  std::string price_max;
  bool in_stock = false;
  std::vector<Choice> genres;
  std::vector<Choice> sorts;
  std::int64_t total = 0;
  std::vector<Book> books;
  eider::PageLinks pages;
};

/// cover  form for the staff to upload another picture
struct BookPage {
  Frame frame;
  Book book;
  std::vector<Review> reviews;
  int in_cart = 0;
  eider::FormView form;
  eider::FormView cover;
};

/// Adds GET /, GET /books/{id}, POST /books/{id}/reviews.
void add_book_pages(eider::Routes& app);

}  // namespace bookstore
