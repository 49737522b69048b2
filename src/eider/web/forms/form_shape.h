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
/// pointer      as faults tell of it: "address/street"
/// type         the member's own, at `offset` of the struct that it is in
/// has_default  nothing sent, or nothing typed, leaves it as it is made
/// is_required  the browser asks for something
/// control, input_type, attributes, choices  as FieldView has them
/// chosen_with  the control once the handler has set the choices: "select", "radios" or
///              "checkboxes"; empty: the handler sets none
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

/// passed  names of no field that are passed over
struct FormShape {
  const reflect::Type* type = nullptr;
  std::vector<ShapeField> fields;
  std::span<const std::string_view> passed;
  bool has_files = false;
};

/// Throws a Failure for a member that has no control.
[[nodiscard]] FormShape make_shape(const reflect::Type& type, std::span<const FieldText> texts,
                                   std::span<const std::string_view> passed);

/// Puts the choice of nothing first, if nothing may be chosen, or if the user has to choose.
void offer_nothing(const ShapeField& field, std::string_view control,
                   std::vector<FieldChoice>& choices);

}  // namespace eider::forms::detail
