// Cover pictures: uploaded by staff, visible to all visitors.
// Layering: must not serve content that a browser would execute.
#pragma once

#include <eider/eider.h>
#include <eider/forms.h>

namespace bookstore {

struct CoverForm {
  eider::FormFile cover;

  static constexpr eider::FieldText kFormFields[] = {
      {.member = "cover", .hint = "PNG, JPEG or WebP, up to 1 MB"}};
};

/// Adds GET /covers/{id}, and POST of a form with the file `cover`.
void add_covers(eider::Routes& app);

}  // namespace bookstore
