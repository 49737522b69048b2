// A form with its values, validation errors and texts.
// Layering: must not generate HTML; views/form_view.h does.
#pragma once

#include <string>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/web/forms/form_choices.h"
#include "eider/web/forms/form_reader.h"
#include "eider/web/forms/form_shape.h"
#include "eider/web/forms/form_words.h"
#include "eider/web/views/form_view.h"

namespace eider::forms::detail {

/// The fields alone. Passwords and files are never among the values.
///
/// typed   what was sent; null: the values are of the struct at `object`
/// object  all of its members, or only those that it is made with (`only_defaults`)
/// choices  set by the handler; null: none
struct Shown {
  const FormShape* shape;
  const Words* words;
  const TypedForm* typed = nullptr;
  const void* object = nullptr;
  bool only_defaults = false;
  const std::vector<FieldError>* faults = nullptr;
  const OpenChoices* choices = nullptr;
};

/// `fields`, `errors` and `encoding` of it.
[[nodiscard]] FormView show(const Shown& shown);

}  // namespace eider::forms::detail
