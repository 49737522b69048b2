// Outgoing headers: views until a Session has copied them.
// Layering: must not check them: Response::add_header has.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace eider::h2 {

/// A field to send. The name need not be in lowercase.
struct OutField {
  /// The parts that are never changed or freed, and need not be copied.
  enum class Static : std::uint8_t { none, name, both };

  std::string_view name;
  std::string_view value;
  /// A static name is in lowercase.
  Static is_static = Static::none;
};

/// Adds the fields of lines as in Response::field_lines, except those of the connection (RFC 9113,
/// section 8.2.2). They point into `lines`.
void append_lines(std::vector<OutField>& fields, std::string_view lines);

}  // namespace eider::h2
