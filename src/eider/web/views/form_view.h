// A form as plain data for a page, and the filters that convert it to HTML.
// Layering: must not know requests, structs or rules; forms/ fills the data.
#pragma once

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "eider/web/views/filter_set.h"
#include "eider/web/views/markup.h"

namespace eider::views {

/// A choice of a field with several values.
struct FieldChoice {
  std::string value;
  std::string label;
  bool is_chosen = false;
};

/// An attribute of a control's tag: `maxlength="200"`; without a value `multiple`.
struct FieldAttribute {
  std::string name;
  std::string value;
};

/// A field of a form.
///
/// name        name of the submitted value
/// id          of the control; its hint is `{id}-hint`, its error `{id}-error`
/// control     "input", "textarea", "select", "checkbox", "checkboxes", "radios", "group" (a
///             fieldset of `fields`) or "hidden"
/// type        of an input: "email"
/// value       submitted or existing value
/// attributes  further attributes of the control: its rules for the browser
/// errors      validation errors in the language of the user
struct FieldView {
  std::string name;
  std::string id;
  std::string label;
  std::string hint;
  std::string control;
  std::string type;
  std::string value;
  bool is_required = false;
  std::vector<FieldChoice> choices;
  std::vector<FieldAttribute> attributes;
  std::vector<std::string> errors;
  std::vector<FieldView> fields;
};

/// token       CSRF token in the hidden field `token_name`; none if that is empty
/// is_checked_by_browser  false: the form has `novalidate`
/// heading     above the list of errors
/// errors      errors of the form as a whole
struct FormView {
  std::string action;
  std::string method;
  std::string encoding;
  std::string token_name;
  std::string token;
  bool is_checked_by_browser = true;
  std::string submit;
  std::string heading;
  std::vector<std::string> errors;
  std::vector<FieldView> fields;
};

// Filters. They are in the namespace of their parameters, so that generated code finds them.

/// `{{ note_form | form }}`: the complete form, with errors above and a button below.
[[nodiscard]] Markup form(const FormView& form);
/// The opening tag, with the hidden fields.
[[nodiscard]] Markup form_begin(const FormView& form);
/// The errors, with links to the fields; empty without errors.
[[nodiscard]] Markup form_errors(const FormView& form);
/// Returns all fields.
[[nodiscard]] Markup form_fields(const FormView& form);
/// The button and the closing tag.
[[nodiscard]] Markup form_end(const FormView& form);
/// `{{ note_form | field("title") }}`: one field with its label, hint and errors.
///
/// where   line of the template, which generated code passes automatically
///
/// errors  throws a Failure if the form has no field with that name: with the line, and the nearest
///         name
[[nodiscard]] Markup field(const FormView& form, std::string_view name,
                           std::source_location where = std::source_location::current());
/// `{{ note_form | control("title") }}`: only the control.
[[nodiscard]] Markup control(const FormView& form, std::string_view name,
                             std::source_location where = std::source_location::current());
/// The same for a field that a template already has, as in `for each in note_form.fields`.
[[nodiscard]] Markup row(const FieldView& field);
[[nodiscard]] Markup bare_control(const FieldView& field);

/// Adds the form filters for interpreted templates.
void add_form_filters(FilterSet& filters);

}  // namespace eider::views

namespace eider {

using views::FieldAttribute;
using views::FieldChoice;
using views::FieldView;
using views::FormView;

}  // namespace eider
