// The fields of a form: the control of each member, and the rules for the browser.
// Layering: must not know requests or values; it is created once for each struct.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/reflect/type.h"
#include "eider/web/forms/form_field.h"
#include "eider/web/views/form_view.h"

namespace eider::forms::detail {

/// name         as it is sent: "address.street"
/// pointer      in errors: "address/street"
/// type         of the member, at `offset` in its struct
/// has_default  if nothing is sent, or the field is empty, the member keeps its initial value
/// is_required  the browser requires a value
/// control, input_type, attributes, choices  as in FieldView
/// chosen_with  the control if the handler sets the choices: "select", "radios" or "checkboxes";
///              empty: the handler sets none
struct ShapeField {
  enum class Form : std::uint8_t { text, flag, lines, choices, group, file };

  Form form = Form::text;
  std::string name;
  std::string pointer;
  std::string id;
  const reflect::Type* type = nullptr;
  std::uint32_t offset = 0;
  bool has_default = false;
  bool is_optional = false;
  bool is_required = false;
  bool is_secret = false;
  std::string control;
  std::string input_type;
  std::string label;
  std::string hint;
  std::string chosen_with;
  std::vector<FieldAttribute> attributes;
  std::vector<FieldChoice> choices;
  std::vector<ShapeField> fields;
};

/// passed  names that are ignored without a field
struct FormShape {
  const reflect::Type* type = nullptr;
  std::vector<ShapeField> fields;
  std::span<const std::string_view> passed;
  bool has_files = false;
};

/// Throws a Failure for a member that has no control.
[[nodiscard]] FormShape make_shape(const reflect::Type& type, std::span<const FieldText> texts,
                                   std::span<const std::string_view> passed);

/// Adds an empty choice first, if the field is optional, or if the user has to choose.
void offer_nothing(const ShapeField& field, std::string_view control,
                   std::vector<FieldChoice>& choices);

}  // namespace eider::forms::detail
