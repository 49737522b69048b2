// Reads submitted form values into a struct, and keeps the original input.
// Layering: must not render anything.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/web/forms/form_shape.h"

namespace eider::forms::detail {

/// The values that were sent with one name: at most two for a field with a single value, all for a
/// list.
struct TypedField {
  std::vector<std::string> values;
  std::optional<FormFile> file;
};

/// fields  by the names of the fields of the form; it contains all of them
/// faults  names that the form does not have, and values that cannot be decoded
struct TypedForm {
  std::map<std::string, TypedField, std::less<>> fields;
  std::vector<FieldError> faults;

  /// Returns whether a text was sent for the field.
  [[nodiscard]] bool has(std::string pointer) const;
};

/// token_name  of a field that is ignored
[[nodiscard]] TypedForm read_pairs(const FormShape& shape, std::string_view pairs,
                                   std::string_view token_name);

/// content_type  of multipart/form-data, with its boundary
/// errors        400 and 413 for a body that is malformed, or has too many or too large parts
[[nodiscard]] Result<TypedForm> read_parts(const FormShape& shape, std::string_view content_type,
                                           std::string_view content, std::string_view token_name);

/// Reads the values into the struct at `object`, which has its initial values. Line breaks of a
/// textarea become one byte each.
///
/// checks_struct  calls the check function of the struct if all members are valid
///
/// returns  the errors, at most ValidationErrors::kMax
[[nodiscard]] std::vector<FieldError> fill(const FormShape& shape, void* object,
                                           const TypedForm& typed, bool checks_struct = true);

/// Empties a list or a set.
void clear_list(const reflect::Type& list, void* object);

/// Replaces "\r\n" and "\r" by "\n".
[[nodiscard]] std::string with_plain_breaks(std::string_view text);

}  // namespace eider::forms::detail
