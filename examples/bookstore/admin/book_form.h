// The form of one book: as a NewBook, but for a price that people type.
// Must not know how it looks, nor what becomes of it.
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
  eider::Must<eider::Trimmed, IsPrice> price;
  Stock stock;
  decltype(NewBook::summary) summary;

  static constexpr eider::MemberText kAbout[] = {
      {"isbn", "Thirteen digits, with or without dashes."},
      {"price", "In euros."},
      {"stock", "How many there are to sell."}};
  static constexpr eider::FieldText kForm[] = {
      {.member = "isbn", .label = "ISBN"},
      {.member = "price", .label = "Price"},
      {.member = "summary", .control = eider::Control::textarea, .rows = 5}};
};

}  // namespace bookstore
