// The data of pages for staff and administrators: books and user roles.
// Layering: must not know the layout; pages/*.html does.
#pragma once

#include <eider/eider.h>
#include <eider/views.h>

#include <string>
#include <vector>

#include "catalogue/book_pages.h"
#include "people/people.h"
#include "site/frame.h"

namespace bookstore {

struct AdminBooksPage {
  Frame frame;
  std::string q;
  std::vector<Book> books;
  std::int64_t total = 0;
  eider::PageLinks pages;
};

/// id  0: one that is not there yet
struct AdminBookPage {
  Frame frame;
  std::int64_t id = 0;
  bool has_cover = false;
  eider::FormView form;
  eider::FormView cover;
};

struct AdminUsersPage {
  Frame frame;
  std::vector<ListedUser> accounts;
};

/// /admin/books for staff: the list, and taking a book out of it.
void add_book_administration(eider::Routes& app);
/// /admin/books/new and /admin/books/{id} for staff: the form of one book.
void add_book_editor(eider::Routes& app);
/// /admin/users for administrators.
void add_user_administration(eider::Routes& app);

}  // namespace bookstore
