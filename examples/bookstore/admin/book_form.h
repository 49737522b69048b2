// The form of a book: like NewBook, with a price as text.
// Layering: must not know its layout or its use.
#pragma once

#include <eider/forms.h>

#include "catalogue/book.h"
#include "catalogue/price.h"

namespace bookstore {

struct BookForm {
  decltype(NewBook::title) title;
  decltype(NewBook::author) author;
  Isbn isbn;
  Genre genre;
  decltype(NewBook::year) year;
  eider::Validated<eider::Trimmed, IsPrice> price;
  Stock stock;
  decltype(NewBook::summary) summary;

  static constexpr eider::MemberText kDocs[] = {
      {"isbn", "Thirteen digits, with or without dashes."},
      {"price", "In euros."},
      {"stock", "Number of copies in stock."}};
  static constexpr eider::FieldText kFormFields[] = {
      {.member = "isbn", .label = "ISBN"},
      {.member = "price", .label = "Price"},
      {.member = "summary", .control = eider::Control::textarea, .rows = 5}};
};

}  // namespace bookstore
