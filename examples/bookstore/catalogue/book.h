// A book in the database, in responses, and in searches.
// Layering: must not know the database or pages.
#pragma once

#include <eider/eider.h>
#include <eider/forms.h>
#include <eider/pagination.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalogue/isbn.h"

namespace bookstore {

// Templates show these by | tr.
// tr
enum class Genre : std::uint8_t { novel, crime, science, history, computing, poetry, children };
// tr
enum class Sort : std::uint8_t { title, author, newest, cheapest, most_expensive, best };

inline constexpr std::int64_t kCentsMax = 1'000'000;
inline constexpr int kStockMax = 100'000;

using Cents = eider::Bounded<std::int64_t, 1, kCentsMax>;
using Stock = eider::Bounded<int, 0, kStockMax>;
using Stars = eider::Bounded<int, 1, 5>;

struct NewBook {
  eider::Sized<std::string, 1, 200> title;
  eider::Sized<std::string, 1, 120> author;
  Isbn isbn;
  Genre genre;
  eider::Bounded<int, 1450, 2100> year;
  Cents price_cents;
  Stock stock;
  eider::Sized<std::string, 0, 4000> summary;

  static constexpr eider::MemberText kDocs[] = {
      {"isbn", "Thirteen digits, with or without dashes.", "9783161484100"},
      {"price_cents", "In cents of a euro.", "1990"},
      {"stock", "Number of copies in stock.", "12"}};
  static constexpr eider::FieldText kFormFields[] = {
      {.member = "isbn", .label = "ISBN"},
      {.member = "summary", .control = eider::Control::textarea, .rows = 5}};
};

struct Book {
  std::int64_t id = 0;
  std::string title;
  std::string author;
  Isbn isbn;
  Genre genre = Genre::novel;
  int year = 0;
  std::int64_t price_cents = 0;
  int stock = 0;
  std::string summary;
  bool has_cover = false;
  double rating = 0;
  int reviews = 0;
  std::int64_t version = 1;

  static constexpr eider::MemberText kDocs[] = {
      {"rating", "Average rating, 1 to 5 stars; 0 without reviews."},
      {"has_cover", "True if there is a cover at /covers/{id}."},
      {"version", "Changes with each edit, but not with a sale."}};
};

/// The values that a form for a book was shown with. The change of the stock is relative to
/// `stock`, so that copies sold in the meantime stay sold.
struct Seen {
  std::int64_t version = 0;
  Stock stock = 0;
};

/// Filters and order of a list of books. Empty members do not filter.
struct BookQuery {
  std::optional<eider::Sized<std::string, 0, 100>> q;
  std::optional<Genre> genre;
  std::optional<eider::Bounded<int, 0, 10'000>> price_max;
  bool in_stock;
  Sort sort = Sort::title;
  eider::PageNumber page = 1;
  eider::PageSize<100> per_page = 12;

  static constexpr eider::MemberText kDocs[] = {
      {"q", "Searches the title, the author's name and the ISBN."},
      {"price_max", "In euros."},
      {"in_stock", "Only books in stock."}};
};

/// One page of the list, and the number of books on all pages.
struct BookList {
  std::vector<Book> books;
  std::int64_t total = 0;
};

struct NewReview {
  Stars stars;
  eider::Sized<std::string, 1, 2000> text;

  static constexpr eider::FieldText kFormFields[] = {
      {.member = "stars", .control = eider::Control::radios},
      {.member = "text", .label = "Review", .control = eider::Control::textarea, .rows = 4}};
};

struct Review {
  std::int64_t id = 0;
  std::string name;
  int stars = 1;
  std::string text;
  std::chrono::sys_seconds written;
};

}  // namespace bookstore
