// What an application says of the fields of a form beside their types, and files within forms.
// Must not repeat what types and rules say: a field's bounds are theirs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/reflect/text_kind.h"

namespace eider {

/// What a person types into. Usual: what fits the member's type.
///
/// password  is never shown again; so are members called `password`, `new_password` and the like
/// select, radios  of an enum, of OneOf, or of a number with at most 100 values
enum class Control : std::uint8_t { usual, text, textarea, password, hidden, select, radios };

/// One field of a form; a struct has its own beside the members:
///
///     struct NewNote {
///       Length<std::string, 1, 200> title;
///       std::string body = kEmpty;
///       static constexpr FieldText kForm[] = {
///           {.member = "title", .label = "What is it about?"},
///           {.member = "body", .control = Control::textarea, .rows = 6}};
///     };
///
/// member        its name; of a struct within, "address.street"
/// label         else made from the name: "first_name" is "First name"
/// hint          else what kAbout (MemberText) says
/// autocomplete  a token of HTML: "street-address"; else by the type and the name, where they tell
struct FieldText {
  std::string_view member;
  std::string_view label = {};
  std::string_view hint = {};
  Control control = Control::usual;
  std::string_view autocomplete = {};
  std::string_view placeholder = {};
  unsigned rows = 0;
};

/// A member that takes a file, in memory, within the bound of the route's content; a form with one
/// is multipart. Larger ones are for Multipart (uploads.md). Optional: `std::optional<FormFile>`.
///
/// name  what the client calls it, of any bytes: see safe_filename
struct FormFile {
  std::string name;
  std::string content_type;
  std::string bytes;

  friend bool operator==(const FormFile& left, const FormFile& right) = default;
};

template <>
struct TextKind<FormFile> {
  static std::optional<FormFile> parse(std::string_view /*text*/) noexcept { return std::nullopt; }
  static std::string_view format(const FormFile& file) noexcept { return file.name; }
  static constexpr TextSchema kSchema = {.requirement = "must be a file", .format = "binary"};
};

}  // namespace eider
