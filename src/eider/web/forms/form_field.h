// Settings of form fields in addition to their types, and files in forms.
// Layering: must not repeat limits that types and rules define.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/reflect/text_kind.h"

namespace eider {

/// The control of a field.
///
/// automatic  chosen by the member's type
/// password  never shown again, like members called `password`, `new_password` etc.
/// select, radios  for an enum, OneOf, or a number with at most 100 values. Any other single value,
///                 such as the id of a row, needs BoundForm::set_choices
/// checkboxes      for a list; its choices come from BoundForm::set_choices
enum class Control : std::uint8_t {
  automatic,
  text,
  textarea,
  password,
  hidden,
  select,
  radios,
  checkboxes,
};

/// Settings of one form field, in the struct:
///
///     struct NewNote {
///       Sized<std::string, 1, 200> title;
///       std::string body = kOptional;
///       static constexpr FieldText kFormFields[] = {
///           {.member = "title", .label = "What is it about?"},
///           {.member = "body", .control = Control::textarea, .rows = 6}};
///     };
///
/// member        its name; in a nested struct, "address.street"
/// label         default: from the name: "first_name" is "First name"
/// hint          default: the text of kDocs (MemberText)
/// autocomplete  an HTML token: "street-address"; default: by type and name if possible
struct FieldText {
  std::string_view member;
  std::string_view label = {};
  std::string_view hint = {};
  Control control = Control::automatic;
  std::string_view autocomplete = {};
  std::string_view placeholder = {};
  unsigned rows = 0;
};

/// A member for an uploaded file, in memory, within the body limit of the route; its form is
/// multipart. Use Multipart for larger files (docs/guides/requests/file-uploads.md). Optional:
/// `std::optional<FormFile>`.
///
/// name  file name from the client, any bytes: see safe_filename
struct FormFile {
  std::string name;
  std::string content_type;
  std::string bytes;

  friend bool operator==(const FormFile& left, const FormFile& right) = default;
};

template <>
struct TextFormat<FormFile> {
  static std::optional<FormFile> parse(std::string_view /*text*/) noexcept { return std::nullopt; }
  static std::string_view format(const FormFile& file) noexcept { return file.name; }
  static constexpr TextSchema kSchema = {.requirement = "must be a file", .format = "binary"};
};

}  // namespace eider
