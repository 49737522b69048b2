// Pictures of books: taken from staff, shown to everybody.
// Must not serve what a browser would run.
#pragma once

#include <eider/eider.h>
#include <eider/forms.h>

namespace bookstore {

struct CoverForm {
  eider::FormFile cover;

  static constexpr eider::FieldText kForm[] = {
      {.member = "cover", .hint = "PNG, JPEG or WebP, up to 1 MB"}};
};

/// GET /covers/{id}, and POST of a form with the file `cover`.
void add_covers(eider::Routes& app);

}  // namespace bookstore
